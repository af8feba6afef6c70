-- Incidents. `priority` and `status` are the places of their words in the lists of the interface, so that they sort.
-- What is not set is empty; `due_ms` is the largest number then, so that it comes last. `_ms` columns are milliseconds
-- since the epoch. `resources` and `alerts` are JSON, as they are shown; the table below finds incidents by them.
CREATE TABLE incidents (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    subject_key TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    priority BIGINT NOT NULL,
    status BIGINT NOT NULL,
    category_id TEXT COLLATE "C" NOT NULL,
    sub_category_id TEXT COLLATE "C" NOT NULL,
    requester_id TEXT COLLATE "C" NOT NULL,
    assignee_id TEXT COLLATE "C" NOT NULL,
    group_id TEXT COLLATE "C" NOT NULL,
    roster_id TEXT COLLATE "C" NOT NULL,
    resources TEXT COLLATE "C" NOT NULL,
    alerts TEXT COLLATE "C" NOT NULL,
    notes BIGINT NOT NULL,
    due_ms BIGINT NOT NULL,
    resolved_ms BIGINT,
    closed_ms BIGINT,
    created_by TEXT COLLATE "C" NOT NULL,
    updated_by TEXT COLLATE "C" NOT NULL,
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
    tenant_id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    named_id TEXT COLLATE "C" NOT NULL,
    incident_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, kind, named_id, incident_id)
);
CREATE INDEX incident_links_incident ON incident_links (tenant_id, incident_id);

-- Notes of incidents, numbered from 1. They are only ever added.
CREATE TABLE incident_notes (
    tenant_id TEXT COLLATE "C" NOT NULL,
    incident_id TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    content TEXT COLLATE "C" NOT NULL,
    created_by TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, incident_id, number),
    FOREIGN KEY (tenant_id, incident_id) REFERENCES incidents (tenant_id, id)
);
