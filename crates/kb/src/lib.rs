//! Knowledge base: categories and articles.
