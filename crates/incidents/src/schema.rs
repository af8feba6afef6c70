//! The tables, as in `migrations/`.

diesel::table! {
    incident_categories (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        version -> BigInt,
        name -> Text,
        name_key -> Text,
        parent_id -> Text,
        depth -> BigInt,
        created_by -> Text,
        updated_by -> Text,
        created_ms -> BigInt,
        updated_ms -> BigInt,
    }
}

diesel::table! {
    incidents (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        version -> BigInt,
        subject -> Text,
        subject_key -> Text,
        description -> Text,
        priority -> BigInt,
        status -> BigInt,
        category_id -> Text,
        sub_category_id -> Text,
        requester_id -> Text,
        assignee_id -> Text,
        group_id -> Text,
        roster_id -> Text,
        resources -> Text,
        alerts -> Text,
        notes -> BigInt,
        due_ms -> BigInt,
        resolved_ms -> Nullable<BigInt>,
        closed_ms -> Nullable<BigInt>,
        created_by -> Text,
        updated_by -> Text,
        created_ms -> BigInt,
        updated_ms -> BigInt,
    }
}

diesel::table! {
    incident_links (tenant_id, kind, named_id, incident_id) {
        tenant_id -> Text,
        kind -> Text,
        named_id -> Text,
        incident_id -> Text,
    }
}

diesel::table! {
    incident_notes (tenant_id, incident_id, number) {
        tenant_id -> Text,
        incident_id -> Text,
        number -> BigInt,
        content -> Text,
        created_by -> Text,
        created_ms -> BigInt,
    }
}

diesel::table! {
    heartbeats (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        version -> BigInt,
        name -> Text,
        name_key -> Text,
        interval_ms -> BigInt,
        grace_ms -> BigInt,
        severity -> Text,
        device -> Text,
        token_hash -> Text,
        last_ms -> Nullable<BigInt>,
        due_ms -> Nullable<BigInt>,
        missed -> Bool,
        created_by -> Text,
        created_ms -> BigInt,
        updated_ms -> BigInt,
        report_ms -> Nullable<BigInt>,
    }
}
