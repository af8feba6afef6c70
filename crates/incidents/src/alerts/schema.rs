//! The tables of alerts, as in `migrations/`.

diesel::table! {
    alerts (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        version -> BigInt,
        problem -> Text,
        resource_id -> Nullable<Text>,
        host_key -> Text,
        subject_key -> Text,
        metric_key -> Text,
        service_key -> Text,
        monitor_key -> Text,
        app_key -> Text,
        component_key -> Text,
        type_key -> Text,
        ext_key -> Text,
        current_state -> Text,
        repeats -> BigInt,
        first_ms -> BigInt,
        last_ms -> BigInt,
        created_ms -> BigInt,
        updated_ms -> BigInt,
        acknowledged -> Bool,
        suppression -> Text,
        suppressed_until_ms -> Nullable<BigInt>,
        closed_ms -> Nullable<BigInt>,
        window_tenant -> Nullable<Text>,
        window_id -> Nullable<Text>,
        incident_id -> Nullable<Text>,
        document -> Text,
        sender -> Text,
        acknowledged_ms -> Nullable<BigInt>,
        acknowledged_by -> Nullable<Text>,
    }
}

diesel::table! {
    open_alerts (tenant_id, sender) {
        tenant_id -> Text,
        sender -> Text,
        open -> BigInt,
    }
}

diesel::table! {
    alert_problems (tenant_id, problem) {
        tenant_id -> Text,
        problem -> Text,
        alert_id -> Text,
        is_open -> Bool,
        settled_ms -> BigInt,
    }
}

diesel::table! {
    alert_windows (tenant_id, window_tenant, window_id) {
        tenant_id -> Text,
        window_tenant -> Text,
        window_id -> Text,
        name -> Text,
        until_ms -> BigInt,
        escalates -> Bool,
    }
}

diesel::table! {
    alert_days (tenant_id, day) {
        tenant_id -> Text,
        day -> BigInt,
        format -> BigInt,
        made_ms -> BigInt,
        alerts -> BigInt,
        content -> Binary,
    }
}
