//! Contacts over HTTP.

use actix_web::HttpResponse;
use api::{Answer, Body, PageQuery, PathIds, RequestContext, RequestScope, answer, delete, get, post, spec::PageOf};
use outbox::Tx;

use super::{
    row::Row,
    rules, store,
    wire::{Contact, ContactChange, ContactId, NewContact},
};

api::list! {
    /// The list of contacts.
    pub Contacts by store::SORTS: SORT = "name"
}

/// Create a contact
///
/// Its name is unique in the tenant.
#[utoipa::path(
    operation_id = "createContact",
    request_body(content = NewContact),
    responses(
        (status = 200, description = "The new contact", body = Contact),
        (status = 409, description = "The tenant has a contact of this name"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/contacts")]
pub async fn create(context: RequestContext, Body(new): Body<NewContact>) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let row = rules::created(scope.tenant_id(), new, tx.now);
            store::insert(tx.conn, &row)?;
            tx.record_change(None, Some(&row))?;
            Answer::entity(&Contact::from(&row), row.version)
        })
        .await
}

/// Search contacts
///
/// A page of those of the tenant; at partner level, of its clients too.
#[utoipa::path(
    operation_id = "searchContacts",
    params(PageQuery<Contacts>),
    responses((status = 200, description = "A page of contacts", body = PageOf<Contact>)),
    security(("bearer" = ["viewer"]))
)]
#[get("/contacts/search")]
pub async fn search(context: RequestContext<PageQuery<Contacts>>) -> api::Result<HttpResponse> {
    let page = context.page(move |conn, scope, sort, walk| {
        Ok(store::page(conn, &scope.scope(), sort, walk)?.map(|row| Contact::from(&row)))
    });
    page.await
}

/// Get a contact
#[utoipa::path(
    operation_id = "getContact",
    params(ContactId),
    responses((status = 200, description = "The contact", body = Contact)),
    security(("bearer" = ["viewer"]))
)]
#[get("/contacts/{contactId}")]
pub async fn get(context: RequestContext, PathIds(id): PathIds<ContactId>) -> api::Result<HttpResponse> {
    let row = context.read(move |conn, scope| store::existing(conn, &scope.scope(), &id)).await?;
    answer::entity(&context, &Contact::from(&row), row.version)
}

/// Update a contact
///
/// Fields left out stay as they are.
#[utoipa::path(
    operation_id = "updateContact",
    params(ContactId),
    request_body(content = ContactChange),
    responses(
        (status = 200, description = "The contact after the change", body = Contact),
        (status = 409, description = "The tenant has a contact of this name"),
        (status = 412, description = "The contact has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[post("/contacts/{contactId}")]
pub async fn update(
    context: RequestContext,
    PathIds(id): PathIds<ContactId>,
    Body(change): Body<ContactChange>,
) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = lock_for_update(tx, scope, &id)?;
            let row = rules::changed(&old, change, tx.now);
            store::update(tx.conn, &row)?;
            tx.record_change(Some(&old), Some(&row))?;
            Answer::entity(&Contact::from(&row), row.version)
        })
        .await
}

/// Delete a contact
#[utoipa::path(
    operation_id = "deleteContact",
    params(ContactId),
    responses(
        (status = 200, description = "Deleted; an empty object"),
        (status = 412, description = "The contact has changed since it was read"),
    ),
    security(("bearer" = ["operator"]))
)]
#[delete("/contacts/{contactId}")]
pub async fn delete(context: RequestContext, PathIds(id): PathIds<ContactId>) -> api::Result<HttpResponse> {
    context
        .write(move |tx, scope| {
            let old = lock_for_update(tx, scope, &id)?;
            store::delete(tx.conn, &old)?;
            tx.record_change(Some(&old), None)?;
            Ok(Answer::empty())
        })
        .await
}

/// The contact that is to be changed, which nobody else changes until the end of the transaction.
fn lock_for_update(tx: &mut Tx<'_>, scope: &RequestScope, id: &str) -> db::Result<Row> {
    store::lock(id).take(tx.conn)?;
    let row = store::existing(tx.conn, &scope.scope(), id)?;
    scope.check_version(row.version)?;
    Ok(row)
}
