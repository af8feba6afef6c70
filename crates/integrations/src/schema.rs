//! The tables, as in `migrations/`.

diesel::table! {
    integrations (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        version -> BigInt,
        kind -> Text,
        name -> Text,
        name_key -> Text,
        description -> Text,
        enabled -> Bool,
        notifier -> Nullable<Text>,
        secrets -> Text,
        signing -> Text,
        created_by -> Text,
        created_ms -> BigInt,
        updated_ms -> Nullable<BigInt>,
        inbound -> Nullable<Text>,
        gone -> Bool,
    }
}

diesel::table! {
    integration_events (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        integration_id -> Text,
        version -> BigInt,
        active -> Bool,
        inactive_because -> Text,
        config -> Text,
        secrets -> Text,
        created_ms -> BigInt,
        updated_ms -> Nullable<BigInt>,
        gone -> Bool,
    }
}

diesel::table! {
    integration_revisions (tenant_id) {
        tenant_id -> Text,
        revision -> BigInt,
    }
}

diesel::table! {
    integration_lanes (tenant_id, event_id) {
        tenant_id -> Text,
        event_id -> Text,
        due_ms -> BigInt,
        failing_since_ms -> Nullable<BigInt>,
    }
}

diesel::table! {
    integration_deliveries (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        event_id -> Text,
        status -> Text,
        due_ms -> BigInt,
        owner -> Text,
        claim -> BigInt,
        attempts -> BigInt,
        tries -> BigInt,
        created_ms -> BigInt,
        last_attempt_ms -> Nullable<BigInt>,
        response_status -> Nullable<BigInt>,
        log -> Text,
        entity -> Text,
        action -> Text,
        entity_id -> Text,
    }
}

diesel::table! {
    integration_messages (tenant_id, delivery_id) {
        tenant_id -> Text,
        delivery_id -> Text,
        method -> Text,
        target -> Text,
        headers -> Text,
        body -> Text,
        about -> Text,
        trace -> Nullable<Text>,
    }
}

diesel::allow_tables_to_appear_in_same_query!(integration_events, integrations);
