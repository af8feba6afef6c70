//! The isolation matrix: every operation of the server's OpenAPI document, tried by everybody who may not.
//!
//! Rows are the operations, generated from the document; columns are the tests below. How an operation is called
//! stands in `recipes.rs`, and an operation that is not there fails. `every_post.rs` has the same rows for what holds
//! for every `POST`, `every_version.rs` for what becomes of `If-Match`, and `every_spelling.rs` for ids in paths.

mod bodies;
mod document;
mod entities;
mod every_post;
mod every_spelling;
mod every_version;
mod recipes;
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering;

use muster_tests::{Backend, Client, SharedByBackend, both_backends, unique};
use serde_json::json;

use self::{
    entities::{Entity, named_in},
    recipes::{PUBLIC, recipes},
    world::{Sent, Tenant, World, essence},
};

both_backends![
    every_operation_has_a_recipe,
    without_a_token_nothing_is_answered,
    with_a_wrong_token_nothing_is_answered,
    below_the_declared_role_nothing_is_done,
    a_narrow_key_does_its_own_operations_and_nothing_else,
    a_key_for_one_operation_is_enough_for_it,
    what_a_person_may_is_answered,
    a_person_finds_no_other_tenant,
    another_tenants_path_is_like_none,
    another_tenants_ids_in_paths_are_like_none,
    another_tenants_ids_in_bodies_and_queries_are_like_none,
    lists_hold_nothing_of_others,
    who_may_is_answered,
];

/// Runs a column on the world that all columns of a backend share: they change nothing that another looks at.
fn column(backend: Backend, test: impl FnOnce(&World)) {
    static SHARED: SharedByBackend<World> = SharedByBackend::new();
    let world = SHARED.get(backend, || World::new(backend));
    let _log = world.server.log_on_failure();
    world.running.fetch_add(1, Ordering::SeqCst);
    let done = catch_unwind(AssertUnwindSafe(|| test(world)));
    let is_last = world.running.fetch_sub(1, Ordering::SeqCst) == 1;
    done.unwrap_or_else(|panic| resume_unwind(panic));
    // What columns that run beside each other change is looked for once, after the last of them.
    if is_last {
        world.others_are_untouched();
    }
}

fn every_operation_has_a_recipe(backend: Backend) {
    column(backend, |world| {
        let mut wrong = Vec::new();
        for operation in &world.operations {
            let name = operation.name();
            match (&operation.role, recipes().find(|recipe| recipe.operation == operation.meant())) {
                (None, _) if PUBLIC.contains(&name.as_str()) => {}
                (None, _) => wrong.push(format!("{name} is public, and not on the list PUBLIC")),
                (Some(_), None) => wrong.push(format!("{name} has no recipe")),
                (Some(_), Some(recipe)) => {
                    let parameters = operation.parameters();
                    if parameters.len() != recipe.ids.len() {
                        wrong.push(format!("{name}: its recipe says what {} of {parameters:?} name", recipe.ids.len()));
                    }
                    if operation.has_body != recipe.body.is_some() {
                        wrong.push(format!("{name}: it reads a body, or the recipe has one, but not both"));
                    }
                }
            }
        }
        let exists = |name: &str| world.operations.iter().any(|operation| operation.name() == name);
        let rows = recipes().map(|recipe| recipe.operation).chain(PUBLIC.iter().copied());
        wrong.extend(rows.filter(|name| !exists(name)).map(|name| format!("{name} is in the table and not served")));
        assert!(
            wrong.is_empty(),
            "{}\nThe head of isolation_matrix/recipes.rs says how to add a row.",
            wrong.join("\n")
        );
    });
}

fn without_a_token_nothing_is_answered(backend: Backend) {
    column(backend, |world| {
        let nobody = world.server.anonymous();
        for (operation, recipe) in world.guarded() {
            let home = world.home(recipe);
            let Some(ids) = home.ids(recipe) else { continue };
            world.send(&nobody, None, &Sent::new(operation, recipe, home, &ids)).unauthenticated();
        }
    });
}

fn with_a_wrong_token_nothing_is_answered(backend: Backend) {
    column(backend, |world| {
        // The token of an inbound address opens that address and nothing else.
        let made = world.server.new_client().post("/inbound", &json!({"name": unique("monitor")})).ok();
        let inbound = made["token"].as_str().unwrap();
        for (operation, recipe) in world.guarded() {
            let home = world.home(recipe);
            let Some(ids) = home.ids(recipe) else { continue };
            let sent = Sent::new(operation, recipe, home, &ids);
            let wrong = world.server.anonymous().with_token(inbound);
            world.send(&wrong, None, &sent).unauthenticated();
            // What is not a key and secret; wrong ones of somebody are soon throttled.
            let basic = world.server.request(&operation.method, &operation.at(&home.id, &ids));
            basic.header("Authorization", "Basic bm9ib2R5").send().unauthenticated();
        }
    });
}

fn below_the_declared_role_nothing_is_done(backend: Backend) {
    column(backend, |world| {
        let mine = &world.mine;
        for (operation, recipe) in world.guarded() {
            let weaker: Vec<&str> = operation.weaker_roles().collect();
            let Some(ids) = world.home(recipe).ids(recipe) else { continue };
            // The role is asked for before the path and the body are: even of what is not there.
            let sent = Sent::new(operation, recipe, mine, &ids);
            let callers = world.roles.iter().chain(&world.people);
            for (role, caller) in callers.filter(|(role, _)| weaker.contains(role)) {
                let answer = world.send(caller, Some(mine), &sent);
                assert_eq!(answer.status, 403, "{role}: {answer}");
                answer.forbidden();
            }
        }
    });
}

fn a_narrow_key_does_its_own_operations_and_nothing_else(backend: Backend) {
    column(backend, |world| {
        let own = ["getTenant", "listMinimalSites", "searchAlerts"];
        let caller = world.narrowed(&own);
        let mut done = 0;
        for (operation, recipe) in world.guarded() {
            let Some(ids) = world.home(recipe).ids(recipe) else { continue };
            let answer = world.send(&caller, Some(&world.mine), &Sent::new(operation, recipe, &world.mine, &ids));
            if own.contains(&operation.id.as_str()) {
                answer.ok();
                done += 1;
            } else {
                answer.forbidden();
            }
        }
        assert_eq!(done, own.len());
    });
}

fn a_key_for_one_operation_is_enough_for_it(backend: Backend) {
    column(backend, |world| {
        for (operation, recipe) in world.guarded() {
            let home = world.home(recipe);
            let caller = world.narrowed_to(operation);
            let sent = Sent::new(operation, recipe, home, &home.fresh_ids(recipe));
            let answer = world.send(&caller, Some(home), &sent);
            // How a person is reached is for that person's own keys, when they are restricted.
            let expected = if recipe.not_narrowed || recipe.of_oneself { 403 } else { recipe.allowed() };
            assert_eq!(answer.status, expected, "{answer}");
        }
    });
}

/// A session and a person's key of the weakest role that may are answered like a key of that role.
fn what_a_person_may_is_answered(backend: Backend) {
    column(backend, |world| {
        for (operation, recipe) in world.guarded().filter(|(_, recipe)| !recipe.of_partners) {
            // That ends the session that asks; people/sessions.rs does so.
            if operation.id == "endSession" {
                continue;
            }
            let weakest = document::ROLES[recipe.weakest(operation)];
            let callers: Vec<_> = world.people.iter().filter(|(role, _)| *role == weakest).collect();
            assert_eq!(callers.len(), 2);
            for (_, caller) in callers {
                let sent = Sent::new(operation, recipe, &world.mine, &world.mine.fresh_ids(recipe));
                let answer = world.send(caller, Some(&world.mine), &sent);
                let is_refused = operation.writes_by_get && caller.is_session();
                assert_eq!(answer.status, if is_refused { 403 } else { recipe.allowed() }, "{answer}");
            }
        }
    });
}

fn a_person_finds_no_other_tenant(backend: Backend) {
    column(backend, |world| {
        let admins: Vec<_> = world.people.iter().filter(|(role, _)| *role == "admin").collect();
        for (operation, recipe) in world.guarded().filter(|(operation, _)| operation.is_of_a_tenant()) {
            for at in world.others.iter().chain([&world.partner]) {
                let Some(ids) = at.ids(recipe).or_else(|| world.partner.ids(recipe)) else { continue };
                for (_, caller) in &admins {
                    let sent = Sent::at(&at.id, operation, recipe, at, &ids);
                    let answer = world.send(caller, Some(&world.mine), &sent);
                    // That is refused before anybody looks for the tenant.
                    if operation.writes_by_get && caller.is_session() {
                        answer.forbidden();
                    } else {
                        answer.not_found();
                    }
                }
            }
        }
    });
}

/// Who calls at whose path: another client's caller, a client's at its partner, another partner's, and the other way.
fn strangers(world: &World) -> Vec<(&Tenant, &Tenant)> {
    let mine = &world.mine;
    let partner = &world.partner;
    let mut pairs = vec![(mine, partner)];
    for other in &world.others {
        pairs.extend([(other, mine), (other, partner), (mine, other)]);
        if other.partner != partner.id {
            pairs.push((partner, other));
        }
    }
    pairs
}

fn another_tenants_path_is_like_none(backend: Backend) {
    column(backend, |world| {
        for (caller, at) in strangers(world) {
            let nowhere = if at.id.starts_with("msp_") { "msp_987654321" } else { "client_987654321" };
            for (operation, recipe) in world.guarded().filter(|(operation, _)| operation.is_of_a_tenant()) {
                let Some(ids) = at.ids(recipe).or_else(|| world.partner.ids(recipe)) else { continue };
                let call = |tenant: &str| {
                    let sent = Sent::at(tenant, operation, recipe, at, &ids);
                    let answer = world.send(&caller.admin, Some(caller), &sent);
                    answer.not_found();
                    essence(&answer, &[tenant.to_owned()])
                };
                assert_eq!(call(&at.id), call(nowhere), "{} at {} by {}", operation.name(), at.id, caller.id);
            }
        }
    });
}

/// Whose entities are tried by whom at their own tenant: by the client those of a sibling, its partner and others; by
/// the partner those of others.
fn foreign_entities(world: &World) -> Vec<(&Tenant, &Tenant, &Entity)> {
    let all = |owner| -> Vec<(&Tenant, &Entity)> { Tenant::entities_of(owner).collect() };
    let mut tried: Vec<_> = all(&world.partner).into_iter().map(|(owner, it)| (&world.mine, owner, it)).collect();
    for other in &world.others {
        tried.extend(all(other).into_iter().map(|(owner, it)| (&world.mine, owner, it)));
        if other.partner != world.partner.id {
            tried.extend(all(other).into_iter().map(|(owner, it)| (&world.partner, owner, it)));
        }
    }
    tried
}

fn another_tenants_ids_in_paths_are_like_none(backend: Backend) {
    column(backend, |world| {
        for (caller, owner, entity) in foreign_entities(world) {
            let unknown = entity.kind.unknown();
            for (operation, recipe) in world.guarded() {
                let may_read = owner.id == world.partner.id && entity.kind.clients_see_their_partners();
                if recipe.of_partners && caller.id != world.partner.id
                    || may_read && (operation.method == "GET" || recipe.of_seen)
                {
                    continue;
                }
                // What an operation creates under an id of the caller's choice is no more another's than any new id.
                let places = 0..recipe.ids.len() - usize::from(recipe.creates);
                let places = places.filter(|place| recipe.ids[*place] == entity.kind);
                for (place, form) in
                    places.flat_map(|place| (0..entity.path_ids().len()).map(move |form| (place, form)))
                {
                    let call = |named: &Entity| {
                        let mut ids = caller.ids(recipe).expect("the caller has one of each kind");
                        ids[place] = named.path_id(form);
                        let sent = Sent::new(operation, recipe, caller, &ids);
                        let answer = world.send(&caller.admin, Some(caller), &sent);
                        answer.not_found();
                        essence(&answer, &named.words())
                    };
                    assert_eq!(call(entity), call(&unknown), "{} of {}", operation.name(), owner.id);
                }
            }
        }
    });
}

fn another_tenants_ids_in_bodies_and_queries_are_like_none(backend: Backend) {
    column(backend, |world| {
        for (caller, owner, entity) in foreign_entities(world) {
            let unknown = entity.kind.unknown();
            for (operation, recipe) in world.guarded() {
                let may_name = owner.id == world.partner.id && entity.kind.clients_see_their_partners();
                if recipe.of_partners && caller.id != world.partner.id || may_name {
                    continue;
                }
                let call = |named: &Entity, template: &str, in_query: bool| {
                    let ids = caller.ids(recipe).expect("the caller has one of each kind");
                    let filled = caller.fill(&named.fill(template));
                    let sent = Sent::new(operation, recipe, caller, &ids);
                    let sent = if in_query { sent.query(&filled) } else { sent.body(&filled) };
                    let answer = world.send(&caller.admin, Some(caller), &sent);
                    let expected: &[u16] = match (in_query, recipe.of_rows) {
                        (true, _) => &[200, 400],
                        // The row is refused, which the line of the answer says.
                        (false, true) => &[200],
                        (false, false) => &[400, 404],
                    };
                    assert!(expected.contains(&answer.status), "{filled} of {}: {answer}", owner.id);
                    let refused = answer.text().contains(r#""result":"error""#);
                    assert!(refused || !recipe.of_rows || in_query, "{filled} of {}: {answer}", owner.id);
                    essence(&answer, &named.words())
                };
                let bodies = recipe.references.iter().map(|template| (template, false));
                for (template, in_query) in bodies.chain(recipe.queries.iter().map(|template| (template, true))) {
                    if named_in(template) == entity.kind {
                        let foreign = call(entity, template, in_query);
                        let none = call(&unknown, template, in_query);
                        assert_eq!(foreign, none, "{} with {template} of {}", operation.name(), owner.id);
                    }
                }
            }
        }
    });
}

fn lists_hold_nothing_of_others(backend: Backend) {
    column(backend, |world| {
        let reads = |(operation, recipe): &(&document::Operation, &recipes::Recipe)| {
            operation.method == "GET" && !recipe.changes
        };
        let callers: Vec<&Client> = world.roles.iter().map(|(_, caller)| caller).collect();
        for (operation, recipe) in world.of_clients().filter(reads) {
            let ids = world.mine.ids(recipe).expect("the caller has one of each kind");
            let sent = Sent::new(operation, recipe, &world.mine, &ids);
            for caller in callers.iter().skip(recipe.weakest(operation)) {
                assert_eq!(world.send(caller, Some(&world.mine), &sent).status, 200, "{}", operation.name());
            }
        }
        for (operation, recipe) in world.guarded().filter(reads) {
            let ids = world.partner.ids(recipe).expect("the partner has one of each kind");
            let sent = Sent::new(operation, recipe, &world.partner, &ids);
            assert_eq!(
                world.send(&world.partner.admin, Some(&world.partner), &sent).status,
                200,
                "{}",
                operation.name()
            );
        }
    });
}

/// The matrix would prove nothing if its requests were refused for another reason: each of them is answered when the
/// weakest role that may sends it about entities of its own.
fn who_may_is_answered(backend: Backend) {
    column(backend, |world| {
        for (operation, recipe) in world.guarded() {
            let home = world.home(recipe);
            let (_, weakest) = &world.roles[recipe.weakest(operation)];
            let caller = if recipe.of_partners || recipe.of_oneself { &home.admin } else { weakest };
            let allowed = |sent: Sent| {
                let answer = world.send(caller, Some(home), &sent);
                assert_eq!(answer.status, recipe.allowed(), "{answer}");
                assert!(!recipe.of_rows || !answer.text().contains(r#""result":"error""#), "{answer}");
            };
            let sent = || Sent::new(operation, recipe, home, &home.fresh_ids(recipe));
            allowed(sent());
            for template in recipe.references {
                let own = named_in(template).make(&home.admin, &muster_tests::unique("own"));
                allowed(sent().body(&home.fill(&own.fill(template))));
            }
            for query in recipe.queries {
                let own = home.entity(named_in(query)).expect("the caller has one of each kind");
                allowed(sent().query(&own.fill(query)));
            }
        }
    });
}
