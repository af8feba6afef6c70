//! How the operations of the knowledge base are called; the head of `recipes.rs` says how to add one.

use super::super::{bodies::*, entities::Kind};
use super::{Recipe, op};

pub(super) const RECIPES: &[Recipe] = &[
    op("POST /kb/category").sends(NAMED).refers(BELOW_KB_CATEGORY),
    op("GET /kb/categorylist").asks("state=ALL").filters(&[
        "queryString=id:$kbCategory",
        "queryString=name:$kbCategory.name",
        "queryString=parentId:$kbCategory",
    ]),
    op("GET /kb/categorylist/{categoryId}").ids(&[Kind::KbCategory]),
    op("POST /kb/category/restore/{categoryId}").ids(&[Kind::KbCategory]),
    op("GET /kb/category/{categoryId}").ids(&[Kind::KbCategory]),
    op("POST /kb/category/{categoryId}").ids(&[Kind::KbCategory]).sends(NAMED).refers(BELOW_KB_CATEGORY),
    op("POST /kb/category/{categoryId}/move").ids(&[Kind::KbCategory]).sends("{}").refers(BELOW_KB_CATEGORY),
    op("DELETE /kb/category/{categoryId}").ids(&[Kind::KbCategory]),
    op("POST /kb/article").sends(IN_KB_CATEGORY[0]).refers(IN_KB_CATEGORY),
    op("GET /kb/articlelist").filters(&[
        "queryString=id:$kbArticle",
        "queryString=title:$kbArticle.name",
        "queryString=categoryId:$kbCategory",
        "queryString=categoryName:$kbCategory.name",
    ]),
    // Every planted article begins with this word.
    op("GET /kb/article/search").asks("query=marker").filters(&["categoryId=$kbCategory"]),
    op("POST /kb/article/restore/{articleId}").ids(&[Kind::KbArticle]),
    op("GET /kb/article/{articleId}").ids(&[Kind::KbArticle]),
    op("POST /kb/article/{articleId}").ids(&[Kind::KbArticle]).sends(r#"{"title": "$new"}"#).refers(IN_KB_CATEGORY),
    op("DELETE /kb/article/{articleId}").ids(&[Kind::KbArticle]),
    op("GET /kb/article/{articleId}/versions").ids(&[Kind::KbArticle]),
];
