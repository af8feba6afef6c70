//! Where the document has a 412, `If-Match` is heeded; elsewhere it means nothing, and the request is carried out.
//! Where it has a 304, a version that the caller has is not read again; elsewhere it is.

use muster_tests::{Backend, both_backends};

use super::{column, world::Sent};

/// A version that nothing has.
const NO_VERSION: &str = "\"987654321\"";

/// They change what a body names by its id, and create the rest, which has no version; the recipes create.
const CREATE_AS_WELL: [&str; 2] = ["POST /deviceGroups", "POST /serviceGroups"];

both_backends![a_version_is_heeded_where_the_document_says_so, a_version_is_known_where_the_document_says_so];

fn a_version_is_heeded_where_the_document_says_so(backend: Backend) {
    column(backend, |world| {
        let mut wrong = Vec::new();
        for (operation, recipe) in world.guarded().filter(|(operation, _)| operation.method != "GET") {
            let home = world.home(recipe);
            let sent = Sent::new(operation, recipe, home, &home.fresh_ids(recipe)).header("If-Match", NO_VERSION);
            let answer = world.send(&home.admin, Some(home), &sent);
            let heeds = operation.heeds_versions && !CREATE_AS_WELL.contains(&operation.name().as_str());
            let expected = if heeds { 412 } else { recipe.to_keys };
            if answer.status != expected {
                wrong.push(format!("{}: {} instead of {expected}", operation.name(), answer.status));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

fn a_version_is_known_where_the_document_says_so(backend: Backend) {
    column(backend, |world| {
        let mut wrong = Vec::new();
        for (operation, recipe) in world
            .guarded()
            .filter(|(operation, recipe)| operation.method == "GET" && !operation.writes_by_get && !recipe.changes)
        {
            let home = world.home(recipe);
            let Some(ids) = home.ids(recipe) else { continue };
            let sent = Sent::new(operation, recipe, home, &ids);
            let first = world.send(&home.admin, Some(home), &sent);
            let Some(tag) = first.header("ETag") else {
                if operation.knows_versions {
                    wrong.push(format!("{}: a 304 in the document, and no ETag", operation.name()));
                }
                continue;
            };
            let again = world.send(&home.admin, Some(home), &sent.header("If-None-Match", tag));
            let expected = if operation.knows_versions { 304 } else { 200 };
            if again.status != expected || again.header("ETag") != Some(tag) {
                wrong.push(format!("{}: {} instead of {expected}", operation.name(), again.status));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}
