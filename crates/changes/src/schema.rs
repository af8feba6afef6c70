//! The tables.

diesel::table! {
    changes_heads (tenant_id, reach) {
        tenant_id -> Text,
        reach -> Text,
        seq -> BigInt,
        until_ms -> BigInt,
    }
}

diesel::table! {
    changes (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        partner_id -> Text,
        entity -> Text,
        entity_id -> Text,
        action -> Text,
        request_id -> Text,
        at_ms -> BigInt,
        own_seq -> Nullable<BigInt>,
        all_seq -> Nullable<BigInt>,
    }
}
