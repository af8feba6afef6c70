DROP TABLE kb_article_terms;
