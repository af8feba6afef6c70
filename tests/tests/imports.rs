//! Within a crate, too, files import each other one way (ARCHITECTURE.md, "A domain inside"), and so do its folders:
//! anyone who reads a file from its imports downwards comes to an end, and a row knows nothing of who stores it.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};

use crate::house::{TEMPLATE, files, read};

/// A module by its names from the crate down; the crate itself has none.
type Module = Vec<String>;

/// The crates whose top-level modules still import each other in a circle. The list may only shrink.
const WITH_CIRCLES_OF_FOLDERS: [&str; 0] = [];

#[test]
fn no_files_of_a_crate_import_each_other_in_a_circle() {
    let mut circles = Vec::new();
    for folder in crates() {
        let imports = imports(&format!("{folder}/src"));
        circles.extend(circles_of(&imports).into_iter().map(|files| format!("{folder}: {}", files.join(", "))));
    }
    assert!(circles.is_empty(), "files that import each other: {circles:#?}");
}

#[test]
fn no_folders_of_a_crate_import_each_other_in_a_circle() {
    let mut circles = Vec::new();
    let mut done = Vec::new();
    for folder in crates() {
        let found = circles_of(&between_folders(&imports(&format!("{folder}/src"))));
        match (WITH_CIRCLES_OF_FOLDERS.contains(&folder.as_str()), found.is_empty()) {
            (true, true) => done.push(folder),
            (true, false) => {}
            (false, _) => circles.extend(found.into_iter().map(|names| format!("{folder}: {}", names.join(", ")))),
        }
    }
    assert!(circles.is_empty(), "folders that import each other: {circles:#?}");
    assert!(done.is_empty(), "crates without circles between folders, to take off the list: {done:#?}");
}

#[test]
fn folders_import_what_their_files_import() {
    let module = |path: &str| path.split('/').map(ToOwned::to_owned).collect::<Module>();
    let to = |paths: &[&str]| paths.iter().map(|path| module(path)).collect::<BTreeSet<_>>();
    let imports = BTreeMap::from([
        (module("job/http"), to(&["job/store", "runs/row"])),
        (module("job/row"), to(&[])),
        (module("runs/http"), to(&["job/row"])),
        (Module::new(), to(&["job/http", "runs/http"])),
    ]);
    let folders = BTreeMap::from([(module("job"), to(&["runs"])), (module("runs"), to(&["job"]))]);
    assert_eq!(between_folders(&imports), folders);
    assert_eq!(circles_of(&imports), Vec::<Vec<String>>::new());
    assert_eq!(circles_of(&folders), [["job", "runs"]]);
}

#[test]
fn a_circle_is_found() {
    let module = |name: &str| vec![name.to_owned()];
    let to = |names: &[&str]| names.iter().map(|name| module(name)).collect::<BTreeSet<_>>();
    let imports = BTreeMap::from([
        (module("rules"), to(&["row"])),
        (module("store"), to(&["rules", "row"])),
        (module("row"), to(&[])),
    ]);
    assert_eq!(circles_of(&imports), Vec::<Vec<String>>::new());
    let back = BTreeMap::from([(module("row"), to(&["store"]))]);
    let imports = imports.into_iter().chain(back).collect();
    assert_eq!(circles_of(&imports), [["row", "rules", "store"]]);
}

#[test]
fn imports_are_read_whatever_their_form() {
    let text = "
        use crate::{a::{self, One}, b};
        use super::c::Two as Three;
        pub use crate::facade::Four;
        #[cfg(test)]
        mod tests { use crate::only_tests; }
        fn f() -> crate::d::Five { super::super::e() }
    ";
    let known = ["a", "b", "d", "e", "facade", "only_tests", "x", "x/c", "x/y"];
    let known: BTreeSet<Module> = known.iter().map(|path| path.split('/').map(ToOwned::to_owned).collect()).collect();
    let found: Vec<String> =
        imports_of(text, &module_of("x/y"), &known).iter().map(|module| module.join("/")).collect();
    assert_eq!(found, ["a", "b", "d", "e", "x/c"]);
}

/// The folders of all crates.
fn crates() -> BTreeSet<String> {
    let sources = files("crates", ".rs").into_iter().filter_map(|path| {
        let (folder, _) = path.split_once("/src/")?;
        Some(folder.to_owned())
    });
    sources.chain(["gateway".to_owned(), format!("{TEMPLATE}/contacts")]).collect()
}

/// What the files below a folder import of each other, but for tests, by their modules.
fn imports(folder: &str) -> BTreeMap<Module, BTreeSet<Module>> {
    let is_tests = |path: &String| path.contains("/tests/") || path.ends_with("/tests.rs");
    let paths: Vec<String> = files(folder, ".rs").into_iter().filter(|path| !is_tests(path)).collect();
    let module = |path: &String| module_of(path.trim_start_matches(folder).trim_matches('/').trim_end_matches(".rs"));
    let modules: BTreeSet<Module> = paths.iter().map(module).collect();
    paths.iter().map(|path| (module(path), imports_of(&read(path), &module(path), &modules))).collect()
}

/// What the top-level modules of a crate import of each other. The crate itself, which lists them, does not count.
fn between_folders(imports: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeMap<Module, BTreeSet<Module>> {
    let top = |module: &Module| module.iter().take(1).cloned().collect::<Module>();
    let mut folders = BTreeMap::<Module, BTreeSet<Module>>::new();
    for (module, targets) in imports.iter().filter(|(module, _)| !module.is_empty()) {
        let others = targets.iter().map(top).filter(|other| !other.is_empty() && *other != top(module));
        folders.entry(top(module)).or_default().extend(others);
    }
    folders
}

/// The module that a file is, by its path without its ending.
fn module_of(path: &str) -> Module {
    let mut names: Module = path.split('/').map(ToOwned::to_owned).collect();
    if matches!(names.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        names.pop();
    }
    names
}

/// The known modules that a text imports, other than itself. What it hands on (`pub use`) it does not need, and what
/// only its tests need does not count.
fn imports_of(text: &str, module: &Module, known: &BTreeSet<Module>) -> BTreeSet<Module> {
    let mut paths = Paths::default();
    paths.visit_file(&syn::parse_file(text).unwrap());
    let targets = paths.0.into_iter().filter_map(|path| {
        let ups = path.iter().take_while(|name| *name == "super").count();
        let mut full = match path.first().map(String::as_str)? {
            "crate" => path.get(1..)?.to_vec(),
            "self" => [module, path.get(1..)?].concat(),
            "super" => [module.get(..module.len().checked_sub(ups)?)?, path.get(ups..)?].concat(),
            _ => [module, path.as_slice()].concat(),
        };
        let is_relative = !matches!(path[0].as_str(), "crate" | "self" | "super");
        while !known.contains(&full) && !full.is_empty() {
            full.pop();
        }
        // A name that is not a module here is another crate's, or the prelude's.
        (known.contains(&full) && full != *module && !(is_relative && full.len() <= module.len())).then_some(full)
    });
    targets.collect()
}

/// The paths of a file: of its imports in full, and all others that begin with `crate`, `super` or `self`.
#[derive(Default)]
struct Paths(Vec<Vec<String>>);

impl Paths {
    fn expand(&mut self, tree: &syn::UseTree, before: &[String]) {
        match tree {
            syn::UseTree::Path(path) => {
                self.expand(&path.tree, &[before, &[path.ident.to_string()]].concat());
            }
            syn::UseTree::Group(group) => group.items.iter().for_each(|item| self.expand(item, before)),
            syn::UseTree::Name(name) => self.0.push([before, &[name.ident.to_string()]].concat()),
            syn::UseTree::Rename(name) => self.0.push([before, &[name.ident.to_string()]].concat()),
            syn::UseTree::Glob(_) => self.0.push(before.to_vec()),
        }
    }
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    })
}

impl<'a> Visit<'a> for Paths {
    fn visit_item_mod(&mut self, module: &'a syn::ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_use(&mut self, import: &'a syn::ItemUse) {
        if matches!(import.vis, syn::Visibility::Inherited) && !is_for_tests(&import.attrs) {
            self.expand(&import.tree, &[]);
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if names.len() > 1 && matches!(names[0].as_str(), "crate" | "super" | "self") {
            self.0.push(names);
        }
        visit::visit_path(self, path);
    }
}

/// The sets of modules that reach each other, each in order.
fn circles_of(imports: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<Vec<String>> {
    let reached: BTreeMap<&Module, BTreeSet<&Module>> =
        imports.keys().map(|module| (module, reached_from(module, imports))).collect();
    let mut circles = BTreeSet::new();
    for (module, others) in &reached {
        let back = |other: &&&Module| reached.get(**other).is_some_and(|from| from.contains(*module));
        let mut circle: Vec<String> = others.iter().filter(back).map(|module| module.join("/")).collect();
        circle.sort_unstable();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}

fn reached_from<'a>(module: &Module, imports: &'a BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<&'a Module> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&Module> = imports.get(module).into_iter().flatten().collect();
    while let Some(module) = next.pop() {
        if reached.insert(module) {
            next.extend(imports.get(module).into_iter().flatten());
        }
    }
    reached
}
