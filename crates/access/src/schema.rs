//! The tables, as diesel knows them; what they mean stands in `migrations/`.

diesel::table! {
    tenants (id) {
        id -> Text,
        partner_id -> Text,
        number -> BigInt,
        name -> Text,
        name_fold -> Text,
        activated -> Bool,
        suspended -> Bool,
        version -> BigInt,
        created_ms -> BigInt,
        updated_ms -> BigInt,
    }
}

diesel::table! {
    users (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        login_name -> Text,
        login_fold -> Text,
        first_name -> Nullable<Text>,
        last_name -> Nullable<Text>,
        email -> Nullable<Text>,
        phone_number -> Nullable<Text>,
        mobile_number -> Nullable<Text>,
        activated -> Bool,
        version -> BigInt,
        created_ms -> BigInt,
        updated_ms -> BigInt,
        first_fold -> Text,
        last_fold -> Text,
        email_fold -> Text,
    }
}

diesel::table! {
    user_groups (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        name -> Text,
        name_fold -> Text,
        description -> Text,
        activated -> Bool,
        version -> BigInt,
        created_ms -> BigInt,
        updated_ms -> Nullable<BigInt>,
    }
}

diesel::table! {
    user_group_members (tenant_id, group_id, user_id) {
        tenant_id -> Text,
        group_id -> Text,
        user_id -> Text,
        user_tenant_id -> Text,
    }
}

diesel::table! {
    api_keys (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        key -> Text,
        name -> Text,
        name_fold -> Text,
        role -> Text,
        user_id -> Text,
        secret_hash -> Text,
        secret2_hash -> Nullable<Text>,
        version -> BigInt,
        created_by -> Text,
        created_ms -> BigInt,
        updated_ms -> BigInt,
        revoked_ms -> Nullable<BigInt>,
    }
}

diesel::table! {
    tokens (hash) {
        hash -> Text,
        tenant_id -> Text,
        key_id -> Text,
        created_ms -> BigInt,
        expires_ms -> BigInt,
        secret_mark -> Text,
    }
}

diesel::allow_tables_to_appear_in_same_query!(tokens, api_keys, tenants);
diesel::allow_tables_to_appear_in_same_query!(users, user_group_members);
