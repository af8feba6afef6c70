DROP INDEX kb_article_revisions_age;
ALTER TABLE kb_article_revisions DROP COLUMN replaced_ms;
