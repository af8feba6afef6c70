//! The tables, as in `migrations/`.

diesel::table! {
    rosters (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        version -> BigInt,
        name -> Text,
        name_key -> Text,
        description -> Text,
        zone -> Text,
        off_hours -> Text,
        created_ms -> BigInt,
        updated_ms -> Nullable<BigInt>,
        sequence -> BigInt,
        modified_ms -> BigInt,
        deleted_ms -> Nullable<BigInt>,
        conflicts_to -> Nullable<Text>,
    }
}

diesel::table! {
    roster_shifts (tenant_id, roster_id, id, valid_from_ms) {
        tenant_id -> Text,
        roster_id -> Text,
        id -> Text,
        valid_from_ms -> BigInt,
        valid_until_ms -> Nullable<BigInt>,
        position -> BigInt,
        name -> Text,
        zone -> Text,
        schedule -> Text,
        crew -> Text,
        rotation -> Nullable<Text>,
        level -> Nullable<Text>,
        holidays -> Nullable<Text>,
    }
}

diesel::table! {
    roster_versions (tenant_id, roster_id, valid_from_ms) {
        tenant_id -> Text,
        roster_id -> Text,
        valid_from_ms -> BigInt,
        valid_until_ms -> Nullable<BigInt>,
        name -> Text,
        zone -> Text,
        off_hours -> Text,
    }
}

diesel::table! {
    roster_overrides (tenant_id, roster_id, id) {
        tenant_id -> Text,
        roster_id -> Text,
        id -> Text,
        number -> BigInt,
        user_id -> Text,
        start_ms -> BigInt,
        end_ms -> BigInt,
        shift_id -> Nullable<Text>,
        shift_name -> Nullable<Text>,
        zone -> Nullable<Text>,
        schedule -> Nullable<Text>,
        note -> Text,
        created_by -> Text,
        created_ms -> BigInt,
        replaces -> Nullable<Text>,
        swap_id -> Nullable<Text>,
        shift_settings -> Nullable<Text>,
    }
}

diesel::table! {
    roster_revisions (tenant_id) {
        tenant_id -> Text,
        revision -> BigInt,
    }
}

diesel::table! {
    roster_calendars (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        hash -> Text,
        roster_id -> Nullable<Text>,
        user_id -> Nullable<Text>,
        created_by -> Text,
        created_ms -> BigInt,
    }
}

diesel::table! {
    roster_watches (tenant_id, roster_id) {
        tenant_id -> Text,
        roster_id -> Text,
        seq -> BigInt,
        due_ms -> BigInt,
        on_call -> Nullable<Text>,
        warned_ms -> BigInt,
        uncovered -> Nullable<Text>,
    }
}

diesel::table! {
    roster_covers (tenant_id, roster_id, id) {
        tenant_id -> Text,
        roster_id -> Text,
        id -> Text,
        user_id -> Text,
        start_ms -> BigInt,
        end_ms -> BigInt,
        shift_id -> Nullable<Text>,
        asked -> Text,
        note -> Text,
        state -> Text,
        answered_by -> Text,
        answered_ms -> Nullable<BigInt>,
        override_id -> Nullable<Text>,
        created_by -> Text,
        created_ms -> BigInt,
    }
}

diesel::table! {
    roster_hour_categories (tenant_id) {
        tenant_id -> Text,
        working_from -> Text,
        evening_from -> Text,
        night_from -> Text,
        weekend_days -> Text,
        updated_ms -> BigInt,
    }
}

diesel::table! {
    roster_time_off (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        version -> BigInt,
        user_id -> Text,
        start_ms -> BigInt,
        end_ms -> BigInt,
        reason -> Text,
        created_by -> Text,
        created_ms -> BigInt,
        updated_ms -> BigInt,
    }
}

diesel::table! {
    roster_former_time_off (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        time_off_id -> Text,
        user_id -> Text,
        start_ms -> BigInt,
        end_ms -> BigInt,
        known_from_ms -> BigInt,
        known_until_ms -> Nullable<BigInt>,
    }
}

diesel::table! {
    roster_time_off_revisions (tenant_id) {
        tenant_id -> Text,
        revision -> BigInt,
    }
}

diesel::table! {
    roster_holiday_calendars (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        version -> BigInt,
        name -> Text,
        name_key -> Text,
        url -> Nullable<Text>,
        due_ms -> Nullable<BigInt>,
        read_ms -> Nullable<BigInt>,
        error -> Nullable<Text>,
        created_by -> Text,
        created_ms -> BigInt,
        updated_ms -> BigInt,
    }
}

diesel::table! {
    roster_holidays (tenant_id, calendar_id, day, known_from_ms) {
        tenant_id -> Text,
        calendar_id -> Text,
        day -> BigInt,
        known_from_ms -> BigInt,
        known_until_ms -> Nullable<BigInt>,
        name -> Text,
    }
}

diesel::table! {
    roster_holiday_owners (tenant_id, calendar_id, owner_id, known_from_ms) {
        tenant_id -> Text,
        calendar_id -> Text,
        owner_id -> Text,
        known_from_ms -> BigInt,
        known_until_ms -> Nullable<BigInt>,
    }
}

diesel::table! {
    roster_conflict_watches (tenant_id) {
        tenant_id -> Text,
        seq -> BigInt,
        due_ms -> BigInt,
        earliest_ms -> BigInt,
    }
}

diesel::table! {
    roster_conflicts_told (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        subject -> Text,
        roster_id -> Text,
        from_ms -> BigInt,
        to_ms -> BigInt,
        people_told -> Bool,
        told_ms -> BigInt,
    }
}

diesel::allow_tables_to_appear_in_same_query!(roster_overrides, roster_shifts, rosters);
