-- Ids are unique among all tenants: whoever makes one looks whether another has it.
CREATE INDEX kb_categories_by_id ON kb_categories (id);
CREATE INDEX kb_articles_by_id ON kb_articles (id);
