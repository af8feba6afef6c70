//! Integrations: what the outside world is told, and how.
