//! The shapes of requests, for the OpenAPI document.

#![expect(dead_code, reason = "only the schemas of these types are used")]

use utoipa::ToSchema;

/// An incident to create, or the changes to one: what is left out of an update stays as it is, and an empty id or an
/// empty `dueDate` takes away what was there.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct IncidentInput {
    /// What it is about, in a line; at most 500 characters. Required in a create.
    subject: Option<String>,
    /// At most 20,000 characters.
    description: Option<String>,
    /// `Very Low`, `Low`, `Normal` (default), `High` or `Urgent`.
    priority: Option<String>,
    /// `New` (default), `Open`, `Pending`, `Resolved` or `Closed`.
    status: Option<String>,
    /// A category of the tenant or its partner.
    category: Option<IncidentCategoryId>,
    /// One right below `category`.
    sub_category: Option<IncidentCategoryId>,
    /// Who asks for it: a user of the tenant or its partner. In a create, by default the caller.
    requester: Option<IncidentUserId>,
    /// Who works on it: a user of the tenant or its partner.
    assignee: Option<IncidentUserId>,
    /// Whose members work on it: a user group of the tenant or its partner.
    assignee_group: Option<IncidentGroupId>,
    /// A roster of the tenant. Without `assignee` beside it, the incident goes to whoever is on call.
    roster: Option<IncidentRosterId>,
    /// In a create: the alerts of the tenant that it is opened for, at most 100.
    #[schema(max_items = 100)]
    alerts: Option<Vec<IncidentAlertId>>,
    /// The machines that it is about, at most 100.
    #[schema(max_items = 100)]
    resources: Option<Vec<IncidentResourceId>>,
    /// When it is to be done.
    due_date: Option<String>,
    /// A note to add.
    note: Option<String>,
}

/// A category, by its id.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", example = json!({"uniqueId": "SCAT-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"}))]
pub struct IncidentCategoryId {
    /// `SCAT-<uuid>`.
    unique_id: String,
}

/// A user, by its id.
#[derive(ToSchema)]
#[schema(example = json!({"id": "USR0000000007"}))]
pub struct IncidentUserId {
    /// `USR` and ten digits.
    id: String,
}

/// A user group, by its id.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", example = json!({"uniqueId": "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90"}))]
pub struct IncidentGroupId {
    /// `USRGRP-<uuid>`.
    unique_id: String,
}

/// A roster, by its id.
#[derive(ToSchema)]
#[schema(example = json!({"id": "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90"}))]
pub struct IncidentRosterId {
    /// `ES-<uuid>`.
    id: String,
}

/// An alert, by its id.
#[derive(ToSchema)]
pub struct IncidentAlertId {
    /// `ALT-<uuid>`.
    id: String,
}

/// A resource, by its id or else by its host name.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", example = json!({"hostName": "db-01"}))]
pub struct IncidentResourceId {
    /// A UUID.
    id: Option<String>,
    /// The whole of it, whatever the letter case.
    host_name: Option<String>,
}

/// A note to add.
#[derive(ToSchema)]
pub struct IncidentNoteInput {
    /// At most 10,000 characters.
    content: String,
}

/// How an incident is closed.
#[derive(ToSchema)]
pub struct IncidentClosing {
    /// A note to add.
    note: Option<String>,
}
