//! The table, as in `migrations/`.

diesel::table! {
    contacts (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        version -> BigInt,
        name -> Text,
        name_key -> Text,
        phone -> Text,
        note -> Text,
        created_ms -> BigInt,
        updated_ms -> BigInt,
    }
}
