-- When another revision took the place of this one; null for the present one. A former revision ages from then on.
ALTER TABLE kb_article_revisions ADD COLUMN replaced_ms BIGINT;
UPDATE kb_article_revisions SET replaced_ms = (
    SELECT n.created_ms FROM kb_article_revisions n
    WHERE n.tenant_id = kb_article_revisions.tenant_id AND n.article_id = kb_article_revisions.article_id
        AND n.revision = kb_article_revisions.revision + 1
);
CREATE INDEX kb_article_revisions_age ON kb_article_revisions (tenant_id, replaced_ms) WHERE replaced_ms IS NOT NULL;
