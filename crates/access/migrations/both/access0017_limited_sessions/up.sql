-- A session that began by the link of a page reads one tenant and answers one alert or incident; empty for all others.
ALTER TABLE sessions ADD COLUMN limit_tenant TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN limit_alert TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN limit_incident TEXT NOT NULL DEFAULT '';

-- Links of pages by which a session began, so that none begins by one twice; of their tokens the SHA-256 is kept.
CREATE TABLE used_page_links (
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    id TEXT COLLATE "C" NOT NULL,
    used_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX used_page_links_age ON used_page_links (tenant_id, used_ms);
