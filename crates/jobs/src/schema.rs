//! The tables, as in `migrations/`.

diesel::table! {
    jobs (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        version -> BigInt,
        name -> Text,
        name_key -> Text,
        description -> Text,
        schedule -> Text,
        zone -> Text,
        start_ms -> BigInt,
        job_type -> Text,
        script -> Text,
        script_id -> Nullable<BigInt>,
        misfire -> Text,
        lateness_s -> Nullable<BigInt>,
        overlap -> Text,
        time_limit_s -> BigInt,
        active -> Bool,
        next_due_ms -> Nullable<BigInt>,
        created_by -> Text,
        created_ms -> BigInt,
        updated_by -> Text,
        updated_ms -> BigInt,
        held_ms -> Nullable<BigInt>,
        job_queued -> Nullable<Bool>,
        frequent -> Bool,
        alert_on_failure -> Bool,
        alerting -> Bool,
        alarm_ms -> Nullable<BigInt>,
    }
}

diesel::table! {
    job_resources (tenant_id, job_id, resource_id) {
        tenant_id -> Text,
        job_id -> Text,
        resource_id -> Text,
        resource_tenant -> Text,
        position -> BigInt,
        kind -> Text,
    }
}

diesel::table! {
    job_labels (tenant_id, job_id, label) {
        tenant_id -> Text,
        job_id -> Text,
        label -> Text,
    }
}

diesel::table! {
    job_runs (tenant_id, job_id, due_ms) {
        tenant_id -> Text,
        job_id -> Text,
        due_ms -> BigInt,
        id -> Text,
        job_name -> Text,
        job_type -> Text,
        cause -> Text,
        state -> Text,
        reason -> Text,
        exclusive -> Bool,
        maintenance -> Text,
        created_ms -> BigInt,
        started_ms -> Nullable<BigInt>,
        finished_ms -> Nullable<BigInt>,
        attempt -> BigInt,
        lease_ms -> Nullable<BigInt>,
        lease_s -> BigInt,
        runner -> Text,
        runner_user -> Text,
        exit_code -> Nullable<BigInt>,
        output_bytes -> BigInt,
        output_cut -> Bool,
        runner_key -> Text,
        trace -> Nullable<Text>,
    }
}

diesel::table! {
    job_output (tenant_id, run_id, position) {
        tenant_id -> Text,
        run_id -> Text,
        position -> BigInt,
        text -> Text,
    }
}

diesel::table! {
    job_scripts (tenant_id, id) {
        tenant_id -> Text,
        id -> BigInt,
        version -> BigInt,
        name -> Text,
        name_key -> Text,
        description -> Text,
        platforms -> Text,
        interpreter -> Text,
        content -> Text,
        bytes -> BigInt,
        created_by -> Text,
        created_ms -> BigInt,
        updated_by -> Text,
        updated_ms -> BigInt,
    }
}

diesel::allow_tables_to_appear_in_same_query!(jobs, job_resources);
