//! The tables of the inventory, as in `migrations/`.

use diesel::{allow_tables_to_appear_in_same_query, table};

table! {
    resources (tenant_id, id) {
        tenant_id -> Text,
        id -> Text,
        version -> BigInt,
        #[sql_name = "type"]
        kind -> Text,
        resource_type_id -> BigInt,
        resource_type -> Text,
        resource_type_key -> Text,
        state -> Text,
        name -> Text,
        host_name -> Text,
        ip_address -> Text,
        alias_name -> Text,
        resource_name -> Text,
        name_key -> Text,
        host_key -> Text,
        dns_key -> Text,
        resource_key -> Text,
        alias_key -> Text,
        ip_key -> Text,
        ext_key -> Nullable<Text>,
        site_id -> Nullable<BigInt>,
        installed_intg_key -> Nullable<Text>,
        agent_installed -> Bool,
        launch_ms -> Nullable<BigInt>,
        created_ms -> BigInt,
        updated_ms -> BigInt,
        asset_managed_ms -> Nullable<BigInt>,
        first_asset_managed_ms -> Nullable<BigInt>,
        decommissioned_ms -> Nullable<BigInt>,
        document -> Text,
    }
}

/// More columns of `resources`: texts that are written with a row and that conditions ask for, in words of SQL. Nobody
/// reads them, so its `table!` does without, and keeps to the 32 columns that diesel is built for (root `Cargo.toml`).
macro_rules! further_columns {
    ($($name:ident)*) => {$(
        #[expect(non_camel_case_types, reason = "it is named as the column is")]
        #[derive(Clone, Copy, Debug, Default, diesel::query_builder::QueryId)]
        pub struct $name;

        impl diesel::Expression for $name {
            type SqlType = Nullable<Text>;
        }

        impl diesel::Column for $name {
            type Table = table;
            const NAME: &'static str = stringify!($name);
        }
    )*};
}

/// The [`further_columns`] of `resources`, where derives look for columns of a table.
pub mod further_keys {
    use diesel::sql_types::{Nullable, Text};

    pub use super::resources::table;

    further_columns! {
        serial_key
        uid_key
        template_key
        agent_profile_key
        gateway_profile_key
        instance_id_key
        account_number_key
        provider_key
        owner_key
        instance_type_key
        instance_state_key
        zone_key
        region_key
        ami_key
        hosted_service_key
    }
}

table! {
    resource_tags (tenant_id, name_key, resource_id) {
        tenant_id -> Text,
        name_key -> Text,
        resource_id -> Text,
    }
}

table! {
    resource_app_roles (tenant_id, role, resource_id) {
        tenant_id -> Text,
        role -> Text,
        resource_id -> Text,
    }
}

table! {
    resource_identities (tenant_id, identity) {
        tenant_id -> Text,
        identity -> Text,
        resource_id -> Text,
    }
}

table! {
    resource_addresses (tenant_id, address, resource_id) {
        tenant_id -> Text,
        address -> Text,
        resource_id -> Text,
    }
}

table! {
    resource_types (tenant_id, id) {
        tenant_id -> Text,
        id -> BigInt,
        name -> Text,
        name_key -> Text,
        path -> Text,
    }
}

table! {
    applications (tenant_id, resource_id, id) {
        tenant_id -> Text,
        resource_id -> Text,
        id -> BigInt,
        name -> Text,
        vendor -> Text,
        version -> Text,
        installed_ms -> Nullable<BigInt>,
        created_ms -> BigInt,
        modified_ms -> BigInt,
    }
}

table! {
    antivirus (tenant_id, resource_id, id) {
        tenant_id -> Text,
        resource_id -> Text,
        id -> BigInt,
        name -> Text,
        version -> Text,
        definition -> Text,
        definition_ms -> Nullable<BigInt>,
        scan_ms -> BigInt,
        supported -> Bool,
        status -> Text,
    }
}

table! {
    sites (tenant_id, id) {
        tenant_id -> Text,
        id -> BigInt,
        version -> BigInt,
        name -> Text,
        name_key -> Text,
        description -> Text,
        address -> Text,
        city -> Text,
        country -> Text,
        created_ms -> BigInt,
        updated_ms -> BigInt,
    }
}

table! {
    resource_groups (tenant_id, id) {
        tenant_id -> Text,
        id -> BigInt,
        unique_id -> Text,
        version -> BigInt,
        kind -> Text,
        name -> Text,
        name_key -> Text,
        description -> Text,
        parent_id -> Nullable<BigInt>,
        rules -> Nullable<Text>,
        created_ms -> BigInt,
        updated_ms -> BigInt,
    }
}

table! {
    group_members (tenant_id, group_id, resource_id) {
        tenant_id -> Text,
        group_id -> BigInt,
        resource_id -> Text,
        by_rule -> Bool,
    }
}

allow_tables_to_appear_in_same_query!(
    resources,
    resource_tags,
    resource_app_roles,
    resource_identities,
    resource_addresses,
    resource_types,
    applications,
    antivirus,
    sites,
    resource_groups,
    group_members
);
