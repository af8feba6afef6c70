-- The words of title and content, as the service tells them apart: to the tokenizer of `kb_article_words` letters of
-- some scripts, and marks, were not parts of words. This one divides nothing but ASCII. A backfill fills it.
CREATE VIRTUAL TABLE kb_article_terms USING fts5(
    title, content, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);
