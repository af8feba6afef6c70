//! Who may do what: tenants, users, API keys, tokens ("Tenants and callers" in `docs/interface.md`).
//!
//! [`Authenticator`] is what the server asks about every request. In reading order of the routes: the token endpoint
//! under its two paths; who calls, and the pages on which people sign in; a tenant's facts; the clients of a partner;
//! users; user groups; API keys. [`bootstrap`] makes the first tenants and the first key on an empty database,
//! [`console`] is what a person does at the database itself. [`Directory`] answers what domains ask about tenants and
//! their people.
//!
//! Secrets and tokens are random; what is stored of them is a SHA-256. Whatever looks a caller up does so before its
//! tenant is known; every other statement names its tenant.

mod api_keys;
mod audit;
mod authenticator;
mod bootstrap;
mod callers;
mod change_sets;
pub mod console;
pub mod demo;
mod directory;
mod facts;
mod filters;
mod history;
mod inbound;
mod lifecycle;
mod link_requests;
mod mailbox;
mod me;
pub mod oidc;
pub mod reporting;
mod restorers;
mod schema;
mod secrets;
mod sessions;
mod tenants;
#[cfg(test)]
mod tests;
mod throttle;
mod token_endpoint;
mod tokens;
mod undo;
mod user_groups;
mod users;

use std::sync::Arc;

use api::{Alias, Extras, Need, Restorers, Routes, Tag};

pub use crate::{
    authenticator::Authenticator,
    bootstrap::{FirstKey, bootstrap, check_first_key, credentials_in, is_empty, is_live, key_in, unused_first_key},
    directory::Directory,
    link_requests::{LinkMailer, LinkQueue},
    restorers::restorers,
    sessions::sign_in_url,
};

/// How people sign in.
#[derive(Clone, Debug)]
pub struct SignIn {
    /// Where a browser goes on once it is signed in.
    pub home: &'static str,
    /// The issuer of OpenID Connect, where there is one.
    pub oidc: Option<Arc<oidc::Provider>>,
    /// Are sign-in links mailed to people who ask for one?
    pub by_mail: bool,
}

impl Default for SignIn {
    fn default() -> Self {
        Self { home: "/", oidc: None, by_mail: false }
    }
}

/// A row before and after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RowChange<T> {
    pub(crate) before: T,
    pub(crate) after: T,
}

static QUOTAS: [&db::Quota; 4] =
    [&tenants::store::QUOTA, &users::store::QUOTA, &user_groups::store::QUOTA, &api_keys::store::QUOTA];

/// The shared data that handlers need; [`extras`] adds it, but for the restorers of all domains, which the gateway has.
const NEEDS: &[Need] =
    &[Need::of::<Authenticator>(), Need::of::<SignIn>(), Need::of::<LinkQueue>(), Need::of::<Restorers>()];

/// The tables, as they came to be.
const MIGRATIONS: db::Migrations = db::migrations!(
    "access",
    both access0001_callers,
    both access0002_people,
    both access0003_narrow_keys,
    both access0004_newest_tokens,
    both access0005_terminated,
    both access0006_inbound,
    both access0007_retention,
    both access0008_roles,
    both access0009_sessions,
    both access0010_identities,
    both access0012_former_people,
    both access0014_people_versions,
    both access0015_operation_names,
    both access0016_sign_in_mails,
    both access0017_limited_sessions,
);

/// The headings of the OpenAPI document under which the operations stand. The first is that of operations without
/// another.
const TAGS: &[Tag] = &[
    Tag { name: "Tokens", description: "Access tokens for key and secret, as OAuth 2.0 client credentials." },
    Tag { name: "Me", description: "The caller itself: who it is, and the sessions that it has." },
    Tag { name: "Pages", description: "Pages for people: signing in, signing out, and the console." },
    Tag { name: "Tenants", description: "The partner and its clients: facts, creation, suspension and termination." },
    Tag { name: "Users", description: "People of a tenant: their details, roles, sign-in links and sessions." },
    Tag { name: "User groups", description: "Groups of users, which rosters and policies name." },
    Tag {
        name: "API keys",
        description: "Keys of scripts, agents and integrations: roles, narrowed operations, rotation and revocation.",
    },
    Tag {
        name: "Audit log",
        description: "Who changed what and when, with the state before and after; writes that belong together.",
    },
    Tag::CONFIGURATION,
    Tag::INBOUND,
];

/// The domain: its routes and its tables. Its handlers need what [`extras`] adds.
pub fn domain() -> api::Domain {
    api::Domain {
        name: "access",
        title: "Muster: tenants, users, API keys and tokens",
        tags: TAGS,
        routes,
        root_routes,
        aliases: ALIASES,
        needs: NEEDS,
        migrations: MIGRATIONS,
        retention: &[
            tokens::store::RETENTION,
            sessions::store::RETENTION,
            sessions::links::RETENTION,
            link_requests::store::RETENTION,
            sessions::limited::RETENTION,
            history::USER_RETENTION,
            history::GROUP_RETENTION,
            history::MEMBER_RETENTION,
        ],
        quotas: &QUOTAS,
    }
}

/// Puts the authenticator, and the queue of those who ask for a link, where the handlers of this domain look for them.
pub fn extras(authenticator: Arc<Authenticator>, sign_in: SignIn, queue: LinkQueue) -> Extras {
    Extras::default().with(authenticator).with(Arc::new(sign_in)).with(Arc::new(queue))
}

/// The paths by which clients of other services of this kind call the same operations.
const ALIASES: &[Alias] = &[
    Alias::post("/clients/{clientId}/activate", "/clients/{clientId}/resume", "resumeClientAlias"),
    Alias::get("/userGroups", "/userGroups/search", "searchUserGroupsAlias"),
    Alias::get("/userGroups/{userGroupId}/users", "/userGroups/{userGroupId}/members", "listUserGroupMembersAlias"),
    Alias::post("/userGroups/{userGroupId}/users", "/userGroups/{userGroupId}/members", "addUserGroupMembersAlias"),
    Alias::delete(
        "/userGroups/{userGroupId}/users",
        "/userGroups/{userGroupId}/members",
        "removeUserGroupMembersAlias",
    ),
];

fn root_routes(config: &mut Routes) {
    config
        .tagged("Tokens")
        .service(token_endpoint::http::create_token)
        .service(token_endpoint::http::create_tenancy_token);
    config
        .tagged("Me")
        .service(me::get_me)
        .service(sessions::http::list_my_sessions)
        .service(sessions::http::end_my_session)
        .service(oidc::identities::list_my_identities)
        .service(oidc::identities::delete_my_identities);
    config
        .tagged("Pages")
        .service(sessions::browser::show_home)
        .service(sessions::browser::show_sign_in)
        .service(link_requests::http::request_sign_in_link)
        .service(sessions::browser::create_session)
        .service(sessions::browser::end_session)
        .service(sessions::browser::sign_out)
        .service(oidc::http::start_oidc)
        .service(oidc::http::finish_oidc);
    config.tagged(Tag::CONFIGURATION.name).service(tenants::levels::channels).service(tenants::levels::nocs);
}

fn routes(config: &mut Routes) {
    config
        .tagged("Tenants")
        .service(tenants::http::get_tenant)
        .service(tenants::http::create_client)
        .service(tenants::http::list_clients_minimal)
        .service(tenants::http::search_clients)
        .service(tenants::http::get_client)
        .service(tenants::http::update_client)
        .service(lifecycle::clients::suspend_client)
        .service(lifecycle::clients::resume_client)
        .service(lifecycle::clients::terminate_client);
    config
        .tagged("Users")
        .service(users::http::create_user)
        .service(users::http::search_users)
        .service(users::http::list_users_minimal)
        .service(users::http::get_user)
        .service(users::http::update_user)
        .service(lifecycle::users::deactivate_user)
        .service(lifecycle::users::activate_user)
        .service(sessions::http::list_user_sessions)
        .service(sessions::http::end_user_sessions)
        .service(sessions::http::end_user_session)
        .service(sessions::http::create_sign_in_link)
        .service(oidc::identities::list_user_identities)
        .service(oidc::identities::delete_user_identities);
    config
        .tagged("User groups")
        .service(user_groups::http::create_user_group)
        .service(user_groups::http::search_user_groups)
        .service(user_groups::http::get_user_group)
        .service(user_groups::http::update_user_group)
        .service(user_groups::http::deactivate_user_group)
        .service(user_groups::http::activate_user_group)
        .service(user_groups::http::list_user_group_members)
        .service(user_groups::http::add_user_group_members)
        .service(user_groups::http::remove_user_group_members);
    config
        .tagged("API keys")
        .service(api_keys::http::create_api_key)
        .service(api_keys::http::list_api_keys)
        .service(api_keys::http::get_api_key)
        .service(api_keys::http::rotate_api_key)
        .service(api_keys::http::revoke_api_key);
    config
        .tagged(Tag::INBOUND.name)
        .service(inbound::http::create_inbound_address)
        .service(inbound::http::list_inbound_addresses)
        .service(inbound::http::delete_inbound_address);
    config
        .tagged("Audit log")
        .service(audit::search)
        .service(change_sets::search_change_sets)
        .service(change_sets::get_change_set)
        .service(undo::undo_change_set);
}
