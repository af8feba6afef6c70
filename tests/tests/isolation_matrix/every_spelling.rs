//! An id in a path means the same in either letter case.

use muster_tests::{Backend, both_backends};

use super::{column, entities::Kind, world::Sent};

both_backends![an_id_is_taken_in_either_letter_case];

fn an_id_is_taken_in_either_letter_case(backend: Backend) {
    column(backend, |world| {
        let mut wrong = Vec::new();
        // The ids of tenants are words that people choose.
        let readable = world.guarded().filter(|(operation, recipe)| {
            operation.method == "GET"
                && !recipe.changes
                && !recipe.ids.is_empty()
                && !recipe.ids.contains(&Kind::Client)
        });
        for (operation, recipe) in readable {
            let home = world.home(recipe);
            let Some(ids) = home.ids(recipe) else { continue };
            for respell in [str::to_ascii_lowercase, str::to_ascii_uppercase] {
                let respelled: Vec<String> = ids.iter().map(|id| respell(id)).collect();
                let answer = world.send(&home.admin, Some(home), &Sent::new(operation, recipe, home, &respelled));
                if answer.status != 200 {
                    wrong.push(format!("{} of {respelled:?}: {}", operation.name(), answer.status));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}
