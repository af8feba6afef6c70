DROP TABLE kb_article_words;
DROP TABLE kb_article_revisions;
DROP TABLE kb_articles;
DROP TABLE kb_categories;
