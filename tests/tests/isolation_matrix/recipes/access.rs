//! How the operations of tenants, API keys, inbound addresses and people are called; the head of `recipes.rs` says how
//! to add one.

use super::super::{bodies::*, entities::Kind};
use super::{Recipe, op};

pub(super) const RECIPES: &[Recipe] = &[
    op("GET /api/v2/tenants/{tenantId}"),
    op("POST /clients").sends(NAMED).of_partners(),
    op("GET /clients/minimal").of_partners(),
    op("GET /clients/search").filters(&["queryString=uniqueId:$client", "queryString=name:$client.name"]).of_partners(),
    op("GET /clients/{clientId}").ids(&[Kind::Client]).of_partners(),
    op("POST /clients/{clientId}").ids(&[Kind::Client]).sends(NAMED).of_partners(),
    op("POST /clients/{clientId}/suspend").ids(&[Kind::Client]).of_partners(),
    op("POST /clients/{clientId}/resume").ids(&[Kind::Client]).of_partners(),
    op("POST /clients/{clientId}/terminate").ids(&[Kind::Client]).of_partners(),
    op("GET /api/v2/me"),
    op("GET /api/v2/me/sessions"),
    op("DELETE /api/v2/me/sessions/{sessionId}").ids(&[Kind::Session]).answers_keys(404),
    op("GET /api/v2/me/identities"),
    op("DELETE /api/v2/me/identities"),
    op("DELETE /auth/session").answers_keys(409),
    op("GET /api/v2/cfg/tenants/channels"),
    op("GET /api/v2/cfg/tenants/nocs"),
    op("GET /apiKeys"),
    op("POST /apiKeys")
        .sends(r#"{"name": "$new", "role": "admin", "operations": ["createApiKey"]}"#)
        .refers(&[r#"{"name": "$new", "role": "viewer", "userId": "$user"}"#]),
    op("GET /apiKeys/{apiKeyId}").ids(&[Kind::ApiKey]),
    op("POST /apiKeys/{apiKeyId}/rotate").ids(&[Kind::ApiKey]).sends("{}"),
    op("DELETE /apiKeys/{apiKeyId}").ids(&[Kind::ApiKey]),
    op("GET /inbound"),
    op("POST /inbound").sends(NAMED).not_narrowed(),
    op("DELETE /inbound/{inboundId}").ids(&[Kind::InboundAddress]),
    // People
    op("POST /users").sends(r#"{"loginName": "$new"}"#),
    op("GET /users/search").filters(&["queryString=id:$user", "queryString=loginName:$user.name"]),
    op("GET /users/minimal"),
    op("GET /users/{userId}").ids(&[Kind::User]),
    op("POST /users/{userId}").ids(&[Kind::User]).sends(r#"{"loginName": "$new"}"#),
    op("POST /users/{userId}/deactivate").ids(&[Kind::User]),
    op("POST /users/{userId}/activate").ids(&[Kind::User]),
    op("GET /users/{userId}/sessions").ids(&[Kind::User]),
    op("DELETE /users/{userId}/sessions").ids(&[Kind::User]),
    op("DELETE /users/{userId}/sessions/{sessionId}").ids(&[Kind::User, Kind::Session]),
    op("GET /users/{userId}/identities").ids(&[Kind::User]),
    op("DELETE /users/{userId}/identities").ids(&[Kind::User]),
    op("POST /users/{userId}/signInLink").ids(&[Kind::User]).not_narrowed(),
    op("POST /userGroups").sends(NAMED).refers(WITH_USERS),
    op("GET /userGroups/search").filters(USER_GROUP_FILTERS),
    op("GET /userGroups/{userGroupId}").ids(&[Kind::UserGroup]),
    op("POST /userGroups/{userGroupId}").ids(&[Kind::UserGroup]).sends(NAMED).refers(WITH_USERS),
    op("POST /userGroups/{userGroupId}/deactivate").ids(&[Kind::UserGroup]),
    op("POST /userGroups/{userGroupId}/activate").ids(&[Kind::UserGroup]),
    op("GET /userGroups/{userGroupId}/members").ids(&[Kind::UserGroup]),
    op("POST /userGroups/{userGroupId}/members").ids(&[Kind::UserGroup]).sends(USER).refers(USERS),
    op("DELETE /userGroups/{userGroupId}/members").ids(&[Kind::UserGroup]).sends(USER).refers(USERS),
    op("GET /auditLog/search").filters(&[
        "queryString=entityId:$resource",
        "queryString=entityId:$apiKey",
        "queryString=entityId:$deviceGroup.uniqueId",
    ]),
];
