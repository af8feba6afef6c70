//! The files of the console, embedded in the program.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock},
};

use api::files::File;
use bytes::Bytes;

/// Names below `static/`, each with the contents of the file.
macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_bytes!(concat!("../static/", $path)))),*]
    };
}

/// Every file except those that are generated.
const FILES: &[(&str, &[u8])] = files![
    "index.html",
    "icon.svg",
    "manifest.webmanifest",
    "style.css",
    "tokens.css",
    "address.js",
    "alertcounts.js",
    "alertlist.js",
    "api.js",
    "app.js",
    "barchart.js",
    "bodyschema.js",
    "calendar.js",
    "calendarfeeds.js",
    "changestream.js",
    "conflict.js",
    "conflictmarks.js",
    "copy.js",
    "csvexport.js",
    "daterange.js",
    "dialog.js",
    "drag.js",
    "editdialog.js",
    "elements.js",
    "focus.js",
    "form.js",
    "hooks.js",
    "lanes.js",
    "linediff.js",
    "look.js",
    "machines.js",
    "markdown.js",
    "markdowntokens.js",
    "members.js",
    "menu.js",
    "menucounts.js",
    "myshifts.js",
    "names.js",
    "oncallpeople.js",
    "palette.js",
    "palettesearch.js",
    "patternfields.js",
    "peoplesearch.js",
    "picker.js",
    "recordactions.js",
    "recorddialog.js",
    "recordnames.js",
    "records.js",
    "references.js",
    "reorder.js",
    "responders.js",
    "rosterconflicts.js",
    "rosterdialogs.js",
    "rosterform.js",
    "rosterhours.js",
    "rosterpanels.js",
    "rosterpreview.js",
    "rostertimeline.js",
    "rotation.js",
    "route.js",
    "rowwindow.js",
    "rulekeys.js",
    "rulelines.js",
    "schemacontrols.js",
    "schemafield.js",
    "screenlist.js",
    "shiftschedule.js",
    "signin.js",
    "sorttable.js",
    "table.js",
    "tenants.js",
    "time.js",
    "timeoff.js",
    "toast.js",
    "undodialog.js",
    "undofields.js",
    "screens/alert.js",
    "screens/alertactions.js",
    "screens/alertbulk.js",
    "screens/alertchart.js",
    "screens/alertfigures.js",
    "screens/alertpanels.js",
    "screens/alertroutes.js",
    "screens/alerts.js",
    "screens/alerttimeline.js",
    "screens/alldeliveries.js",
    "screens/article.js",
    "screens/articleform.js",
    "screens/audit.js",
    "screens/auditchanges.js",
    "screens/categories.js",
    "screens/category.js",
    "screens/changesets.js",
    "screens/client.js",
    "screens/clients.js",
    "screens/contactforms.js",
    "screens/contactmethods.js",
    "screens/decommissioned.js",
    "screens/decommissionedresource.js",
    "screens/deliveries.js",
    "screens/eventform.js",
    "screens/eventtest.js",
    "screens/explain.js",
    "screens/group.js",
    "screens/groupform.js",
    "screens/groups.js",
    "screens/heartbeat.js",
    "screens/heartbeats.js",
    "screens/holidaycalendar.js",
    "screens/holidays.js",
    "screens/inbound.js",
    "screens/incident.js",
    "screens/incidentform.js",
    "screens/incidents.js",
    "screens/integration.js",
    "screens/integrationevent.js",
    "screens/integrations.js",
    "screens/job.js",
    "screens/jobform.js",
    "screens/jobs.js",
    "screens/jobschedule.js",
    "screens/kbcategory.js",
    "screens/keys.js",
    "screens/knowledge.js",
    "screens/maintenance.js",
    "screens/oncall.js",
    "screens/owners.js",
    "screens/pages.js",
    "screens/people.js",
    "screens/personaccess.js",
    "screens/policies.js",
    "screens/policysteps.js",
    "screens/reports.js",
    "screens/resource.js",
    "screens/resourcebulk.js",
    "screens/resourcecolumns.js",
    "screens/resourceform.js",
    "screens/resourceimport.js",
    "screens/resourcepanels.js",
    "screens/resources.js",
    "screens/roster.js",
    "screens/rosters.js",
    "screens/routing.js",
    "screens/run.js",
    "screens/runs.js",
    "screens/script.js",
    "screens/scripts.js",
    "screens/settings.js",
    "screens/site.js",
    "screens/sites.js",
    "screens/usergroup.js",
    "screens/usergroups.js",
    "screens/window.js",
    "screens/windowactions.js",
    "screens/windowfeeds.js",
    "screens/windowform.js",
    "screens/windowmatch.js",
    "screens/windowmonth.js",
    "screens/windowpreview.js",
    "screens/windowschedule.js",
    "screens/windowtargets.js",
    "vendor/LICENSE-htm",
    "vendor/LICENSE-lucide",
    "vendor/LICENSE-marked",
    "vendor/LICENSE-preact",
    "vendor/icons.svg",
    "vendor/marked.js",
    "vendor/preact-htm.js",
];

/// The paths of the modules that are generated.
const GENERATED: [&str; 2] = ["operations.js", "forms.js"];

/// The page of every screen.
const PAGE: &str = "index.html";

/// All files, ready to be sent.
pub struct Files {
    written: HashMap<&'static str, Arc<File>>,
    generated: [LazyFile; 2],
}

/// A file that is made at the first request for it.
type LazyFile = LazyLock<Arc<File>, Box<dyn FnOnce() -> Arc<File> + Send>>;

impl Files {
    /// The modules of the operations and of the forms are made at the first request for them.
    pub(crate) fn new(
        operations: impl FnOnce() -> String + Send + 'static,
        forms: impl FnOnce() -> String + Send + 'static,
    ) -> Self {
        let written = FILES.iter().map(|(path, bytes)| (*path, File::new(kind(path), Bytes::from_static(bytes))));
        Self { written: written.collect(), generated: [lazy(operations), lazy(forms)] }
    }

    /// The file of a path below `/console/`. A path that no file could have is the address of a screen.
    pub(crate) fn find(&self, path: &str) -> Option<&Arc<File>> {
        if let Some(made) = GENERATED.iter().position(|generated| *generated == path) {
            return Some(&self.generated[made]);
        }
        let last = path.rsplit('/').next().unwrap_or_default();
        let screen = !last.contains('.') && !path.starts_with("vendor/") && !path.starts_with("screens/");
        self.written.get(path).or_else(|| self.written.get(PAGE).filter(|_| screen))
    }
}

/// A module that is made when it is first needed.
fn lazy(text: impl FnOnce() -> String + Send + 'static) -> LazyFile {
    LazyLock::new(Box::new(|| File::new(kind(".js"), Bytes::from(text()))))
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("webmanifest") => "application/manifest+json",
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::*;

    fn below(directory: &Path, prefix: &str, names: &mut BTreeSet<String>) {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                below(&entry.path(), &format!("{name}/"), names);
            } else {
                names.insert(name);
            }
        }
    }

    #[test]
    fn the_list_has_every_file() {
        let mut found = BTreeSet::new();
        below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("static"), "", &mut found);
        assert_eq!(found, FILES.iter().map(|(path, _)| (*path).to_owned()).collect());
    }

    #[test]
    fn an_address_of_a_screen_is_the_page_and_a_file_that_is_missing_is_not() {
        let files = Files::new(String::new, String::new);
        let page = files.find("").unwrap().digest();
        for screen in ["on-call", "alerts/ALT-1", "knowledge/KBA0000000005"] {
            assert_eq!(files.find(screen).unwrap().digest(), page, "{screen}");
        }
        assert_ne!(files.find("app.js").unwrap().digest(), page);
        for missing in ["gone.js", "screens/gone", "vendor/", "../Cargo.toml"] {
            assert!(files.find(missing).is_none(), "{missing}");
        }
    }
}
