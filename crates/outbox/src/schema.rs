//! The tables, as in `migrations/`.

use diesel::table;

table! {
    outbox_events (tenant_id, seq) {
        seq -> BigInt,
        tenant_id -> Text,
        id -> Text,
        entity -> Text,
        entity_id -> Text,
        action -> Text,
        before -> Nullable<Text>,
        after -> Nullable<Text>,
        request_id -> Text,
        created_ms -> BigInt,
        due_ms -> BigInt,
        owner -> Text,
        attempts -> BigInt,
        trace -> Nullable<Text>,
    }
}

table! {
    audit_log (tenant_id, at_ms, id) {
        tenant_id -> Text,
        at_ms -> BigInt,
        id -> BigInt,
        former_id -> Nullable<Text>,
        user_id -> Text,
        key_id -> Text,
        action -> Text,
        entity -> Text,
        entity_id -> Text,
        changes -> Nullable<Text>,
        packed -> Nullable<Binary>,
        request_id -> Text,
    }
}

table! {
    idempotency (tenant_id, caller, idempotency_key) {
        tenant_id -> Text,
        caller -> Text,
        idempotency_key -> Text,
        fingerprint -> Text,
        etag -> Nullable<BigInt>,
        body -> Text,
        created_ms -> BigInt,
    }
}

table! {
    change_sets (tenant_id, created_ms, id) {
        tenant_id -> Text,
        created_ms -> BigInt,
        id -> Text,
        name -> Nullable<Text>,
        user_id -> Text,
        key_id -> Text,
        owner_id -> Text,
        first_ms -> BigInt,
        request_id -> Text,
        requests -> BigInt,
        objects -> BigInt,
        undoes -> Nullable<Text>,
    }
}

table! {
    change_set_parts (tenant_id, set_id, owner_id, at_ms, request_id) {
        tenant_id -> Text,
        set_id -> Text,
        owner_id -> Text,
        at_ms -> BigInt,
        request_id -> Text,
    }
}

table! {
    change_set_objects (tenant_id, set_id, owner_id, entity, entity_id) {
        tenant_id -> Text,
        set_id -> Text,
        owner_id -> Text,
        entity -> Text,
        entity_id -> Text,
    }
}
