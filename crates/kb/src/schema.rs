//! The tables, as in `migrations/`. The words of articles are the business of [`db::FullText`].

diesel::table! {
    kb_categories (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        version -> BigInt,
        name -> Text,
        name_key -> Text,
        description -> Text,
        parent_id -> Text,
        depth -> BigInt,
        path -> Text,
        state -> Text,
        trashed_with -> Text,
        created_by -> Text,
        updated_by -> Text,
        created_ms -> BigInt,
        updated_ms -> BigInt,
    }
}

diesel::table! {
    kb_articles (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        number -> BigInt,
        version -> BigInt,
        revision -> BigInt,
        category_id -> Text,
        title -> Text,
        title_key -> Text,
        content -> Text,
        state -> Text,
        trashed_with -> Text,
        created_by -> Text,
        updated_by -> Text,
        created_ms -> BigInt,
        updated_ms -> BigInt,
    }
}

diesel::table! {
    kb_article_revisions (tenant_id, article_id, revision) {
        tenant_id -> Text,
        article_id -> Text,
        revision -> BigInt,
        title -> Text,
        content -> Text,
        created_by -> Text,
        created_ms -> BigInt,
        replaced_ms -> Nullable<BigInt>,
    }
}
