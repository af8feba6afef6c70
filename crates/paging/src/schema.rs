//! The tables, as in `migrations/`.

diesel::table! {
    contact_methods (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        version -> BigInt,
        user_id -> Text,
        name -> Text,
        kind -> Text,
        preset -> Text,
        settings -> Text,
        sealed -> Text,
        verified -> Bool,
        code_hash -> Text,
        code_until_ms -> BigInt,
        code_tries -> BigInt,
        created_ms -> BigInt,
        updated_ms -> BigInt,
    }
}

diesel::table! {
    notification_rules (tenant_id, user_id, urgency) {
        tenant_id -> Text,
        user_id -> Text,
        urgency -> Text,
        version -> BigInt,
        document -> Text,
        updated_ms -> BigInt,
    }
}

diesel::table! {
    escalation_policies (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        version -> BigInt,
        name -> Text,
        name_key -> Text,
        document -> Text,
        created_by -> Text,
        updated_by -> Text,
        created_ms -> BigInt,
        updated_ms -> BigInt,
    }
}

diesel::table! {
    alert_routes (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        version -> BigInt,
        name -> Text,
        name_key -> Text,
        position -> BigInt,
        is_default -> Bool,
        rules -> Text,
        policy_id -> Text,
        created_by -> Text,
        updated_by -> Text,
        created_ms -> BigInt,
        updated_ms -> BigInt,
    }
}

diesel::table! {
    escalations (tenant_id, alert_id) {
        tenant_id -> Text,
        alert_id -> Text,
        version -> BigInt,
        policy_tenant -> Text,
        policy_id -> Text,
        policy_name -> Text,
        policy -> Text,
        route_id -> Text,
        stage -> Text,
        round -> BigInt,
        step -> BigInt,
        repeats -> BigInt,
        next_ms -> Nullable<BigInt>,
        urgency -> Text,
        conversation -> Text,
        alert -> Text,
        created_ms -> BigInt,
        updated_ms -> BigInt,
        problem -> Text,
        stands_for -> Text,
        waits_for -> Text,
        waits_until_ms -> Nullable<BigInt>,
        actions -> Text,
        handed_over_step -> Nullable<BigInt>,
    }
}

diesel::table! {
    outages (tenant_id, place, alert_id) {
        tenant_id -> Text,
        place -> Text,
        alert_id -> Text,
        since_ms -> BigInt,
    }
}

diesel::table! {
    pages (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        alert_id -> Text,
        round -> BigInt,
        step -> BigInt,
        user_id -> Text,
        method_tenant -> Text,
        method_id -> Text,
        channel -> Text,
        kind -> Text,
        status -> Text,
        why -> Text,
        urgency -> Text,
        policy_id -> Text,
        conversation -> Text,
        message -> Text,
        due_ms -> Nullable<BigInt>,
        owner -> Text,
        attempts -> BigInt,
        log -> Text,
        created_ms -> BigInt,
        sent_ms -> Nullable<BigInt>,
        roster_tenant -> Text,
        roster_id -> Text,
        called_ms -> Nullable<BigInt>,
    }
}

diesel::table! {
    requested_messages (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        kind -> Text,
        user_id -> Text,
        author_id -> Text,
        destination -> Text,
        sent_ms -> BigInt,
    }
}

diesel::table! {
    owners (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        kind -> Text,
        target_id -> Text,
        group_id -> Text,
        created_by -> Text,
        created_ms -> BigInt,
    }
}

diesel::table! {
    shift_reminders (tenant_id, user_id) {
        tenant_id -> Text,
        user_id -> Text,
        before_ms -> BigInt,
        next_ms -> BigInt,
    }
}
