-- Incidents. `priority` and `status` are the places of their words in the lists of the interface, so that they sort.
-- What is not set is empty; `due_ms` is the largest number then, so that it comes last. `_ms` columns are milliseconds
-- since the epoch. `resources` and `alerts` are JSON, as they are shown; the table below finds incidents by them.
CREATE TABLE incidents (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    version BIGINT NOT NULL,
    subject TEXT NOT NULL,
    subject_key TEXT NOT NULL,
    description TEXT NOT NULL,
    priority BIGINT NOT NULL,
    status BIGINT NOT NULL,
    category_id TEXT NOT NULL,
    sub_category_id TEXT NOT NULL,
    requester_id TEXT NOT NULL,
    assignee_id TEXT NOT NULL,
    group_id TEXT NOT NULL,
    roster_id TEXT NOT NULL,
    resources TEXT NOT NULL,
    alerts TEXT NOT NULL,
    notes BIGINT NOT NULL,
    due_ms BIGINT NOT NULL,
    resolved_ms BIGINT,
    closed_ms BIGINT,
    created_by TEXT NOT NULL,
    updated_by TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX incidents_created ON incidents (tenant_id, created_ms, id);
CREATE INDEX incidents_updated ON incidents (tenant_id, updated_ms, id);
CREATE INDEX incidents_due ON incidents (tenant_id, due_ms, id);
CREATE INDEX incidents_priority ON incidents (tenant_id, priority, id);
CREATE INDEX incidents_status ON incidents (tenant_id, status, id);
CREATE INDEX incidents_subject ON incidents (tenant_id, subject_key, id);
CREATE INDEX incidents_category ON incidents (tenant_id, category_id);
CREATE INDEX incidents_sub_category ON incidents (tenant_id, sub_category_id) WHERE sub_category_id <> '';
CREATE INDEX incidents_assignee ON incidents (tenant_id, assignee_id);

-- What incidents name: `kind` is `resource` or `alert`.
CREATE TABLE incident_links (
    tenant_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    named_id TEXT NOT NULL,
    incident_id TEXT NOT NULL,
    PRIMARY KEY (tenant_id, kind, named_id, incident_id)
);
CREATE INDEX incident_links_incident ON incident_links (tenant_id, incident_id);

-- Notes of incidents, numbered from 1. They are only ever added.
CREATE TABLE incident_notes (
    tenant_id TEXT NOT NULL,
    incident_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    content TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, incident_id, number),
    FOREIGN KEY (tenant_id, incident_id) REFERENCES incidents (tenant_id, id)
);
