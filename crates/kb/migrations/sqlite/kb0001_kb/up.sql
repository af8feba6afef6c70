-- Categories of articles: a tree. `parent_id` is empty at the top, where `depth` is 1; `path` is the chain of names.
-- `trashed_with` is empty, or names the category whose deletion put this one into the trash; `state` is the one outside
-- the trash. `_ms` columns are milliseconds since the epoch.
CREATE TABLE kb_categories (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    version BIGINT NOT NULL,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    description TEXT NOT NULL,
    parent_id TEXT NOT NULL,
    depth BIGINT NOT NULL,
    path TEXT NOT NULL,
    state TEXT NOT NULL,
    trashed_with TEXT NOT NULL,
    created_by TEXT NOT NULL,
    updated_by TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX kb_categories_siblings ON kb_categories (tenant_id, parent_id, name_key) WHERE trashed_with = '';
CREATE INDEX kb_categories_parent ON kb_categories (tenant_id, parent_id);
CREATE INDEX kb_categories_name ON kb_categories (tenant_id, name_key, id);
CREATE INDEX kb_categories_trash ON kb_categories (tenant_id, trashed_with) WHERE trashed_with <> '';

-- Articles, in Markdown. `number` is that in the id; `revision` counts the versions of title and content.
CREATE TABLE kb_articles (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    number BIGINT NOT NULL,
    version BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    category_id TEXT NOT NULL,
    title TEXT NOT NULL,
    title_key TEXT NOT NULL,
    content TEXT NOT NULL,
    state TEXT NOT NULL,
    trashed_with TEXT NOT NULL,
    created_by TEXT NOT NULL,
    updated_by TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, category_id) REFERENCES kb_categories (tenant_id, id)
);
CREATE UNIQUE INDEX kb_articles_number ON kb_articles (tenant_id, number);
CREATE INDEX kb_articles_category ON kb_articles (tenant_id, category_id, title_key, id);
CREATE INDEX kb_articles_title ON kb_articles (tenant_id, title_key, id);
CREATE INDEX kb_articles_updated ON kb_articles (tenant_id, updated_ms, id);
CREATE INDEX kb_articles_trash ON kb_articles (tenant_id, trashed_with) WHERE trashed_with <> '';

-- What an article said, from its first revision to the present one.
CREATE TABLE kb_article_revisions (
    tenant_id TEXT NOT NULL,
    article_id TEXT NOT NULL,
    revision BIGINT NOT NULL,
    title TEXT NOT NULL,
    content TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, article_id, revision),
    FOREIGN KEY (tenant_id, article_id) REFERENCES kb_articles (tenant_id, id)
);

-- The words of title and content, each with its tenant in front: a search is one of the tenant's words from the start.
-- The row is that of the article with this number; the texts are not kept a second time.
CREATE VIRTUAL TABLE kb_article_words USING fts5(
    title, content, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 0 tokenchars '_'"
);
