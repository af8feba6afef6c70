//! The tables, as in `migrations/`.

use diesel::{allow_tables_to_appear_in_same_query, table};

table! {
    maintenance_windows (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        version -> BigInt,
        name -> Text,
        name_key -> Text,
        description -> Text,
        schedule -> Text,
        holds -> Text,
        conditions -> Nullable<Text>,
        run_rba -> Bool,
        install_patch -> Bool,
        run_escalation -> Bool,
        opens_ms -> BigInt,
        closes_ms -> BigInt,
        created_by -> Text,
        created_ms -> BigInt,
        updated_ms -> BigInt,
    }
}

table! {
    maintenance_targets (tenant_id, window_id, kind, target_tenant, target) {
        tenant_id -> Text,
        window_id -> Text,
        kind -> Text,
        target_tenant -> Text,
        target -> Text,
        position -> BigInt,
        closes_ms -> BigInt,
    }
}

table! {
    maintenance_calendars (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        window_id -> Text,
        hash -> Text,
        created_by -> Text,
        created_ms -> BigInt,
    }
}

allow_tables_to_appear_in_same_query!(maintenance_windows, maintenance_targets, maintenance_calendars);

diesel::table! {
    maintenance_watches (tenant_id, window_id) {
        tenant_id -> Text,
        window_id -> Text,
        seq -> BigInt,
        due_ms -> Nullable<BigInt>,
        looked_ms -> Nullable<BigInt>,
        open_ms -> Nullable<BigInt>,
    }
}
