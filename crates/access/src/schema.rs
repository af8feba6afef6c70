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
        terminated -> Bool,
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
        role -> Text,
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
        since_ms -> BigInt,
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
        operations -> Nullable<Text>,
        expires_ms -> Nullable<BigInt>,
        last_used_ms -> Nullable<BigInt>,
        personal -> Bool,
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

diesel::table! {
    inbound_addresses (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        name -> Text,
        name_fold -> Text,
        user_id -> Text,
        token_hash -> Text,
        created_by -> Text,
        created_ms -> BigInt,
    }
}

diesel::table! {
    sign_in_links (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        user_id -> Text,
        code_hash -> Text,
        created_by -> Text,
        created_ms -> BigInt,
        expires_ms -> BigInt,
    }
}

diesel::table! {
    sign_in_mails (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        until_ms -> BigInt,
    }
}

diesel::table! {
    sessions (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        user_id -> Text,
        token_hash -> Text,
        method -> Text,
        user_agent -> Text,
        created_ms -> BigInt,
        used_ms -> BigInt,
        expires_ms -> BigInt,
        limit_tenant -> Text,
        limit_alert -> Text,
        limit_incident -> Text,
    }
}

diesel::table! {
    used_page_links (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        used_ms -> BigInt,
    }
}

diesel::table! {
    former_users (tenant_id, id, until_ms) {
        tenant_id -> Text,
        id -> Text,
        until_ms -> BigInt,
        login_name -> Text,
        first_name -> Nullable<Text>,
        last_name -> Nullable<Text>,
        email -> Nullable<Text>,
        phone_number -> Nullable<Text>,
        mobile_number -> Nullable<Text>,
        activated -> Bool,
    }
}

diesel::table! {
    former_user_groups (tenant_id, id, until_ms) {
        tenant_id -> Text,
        id -> Text,
        until_ms -> BigInt,
        name -> Text,
        description -> Text,
        created_ms -> BigInt,
        updated_ms -> Nullable<BigInt>,
        activated -> Bool,
    }
}

diesel::table! {
    former_members (tenant_id, group_id, user_id, until_ms) {
        tenant_id -> Text,
        group_id -> Text,
        user_id -> Text,
        since_ms -> BigInt,
        until_ms -> BigInt,
    }
}

diesel::table! {
    user_identities (tenant_id, issuer, subject) {
        tenant_id -> Text,
        issuer -> Text,
        subject -> Text,
        user_id -> Text,
        created_ms -> BigInt,
    }
}

diesel::allow_tables_to_appear_in_same_query!(inbound_addresses, tenants);
diesel::allow_tables_to_appear_in_same_query!(sessions, tokens, api_keys, tenants, users);
diesel::allow_tables_to_appear_in_same_query!(users, user_group_members);
