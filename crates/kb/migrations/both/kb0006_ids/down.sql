DROP INDEX kb_articles_by_id;
DROP INDEX kb_categories_by_id;
