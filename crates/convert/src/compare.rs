//! `muster compare`: who is on call through a year, by the schedules of a product and by the rosters of a tenant.

mod differences;
mod instants;
mod report;
mod tenant;

use std::{
    io::{Write as _, stderr},
    process::ExitCode,
};

use anyhow::{Context as _, ensure};
use base::Timestamp;
use calendar::Interval;
use cli::{Form, now};
use serde_json::Value;

use self::{differences::differences, instants::instants, report::Report, tenant::Tenant};
use crate::{
    conversion::{Conversion, Settings},
    export::Export,
    goalert, oncall, opsgenie,
    options::{Compare, Product},
    pagerduty,
    source_schedule::SourceSchedule,
};

/// The exit status of a comparison that found differences, or could not compare a schedule.
const DIFFERENCES: u8 = 2;
/// How long is compared, in milliseconds.
const YEAR_MS: i64 = 365 * 86_400_000;

/// `muster compare`: exits with 0 when both say the same, with 2 when they do not, with 1 on a failure. `document`
/// makes the OpenAPI document.
pub fn compare(arguments: &Compare, document: impl FnOnce() -> anyhow::Result<Value>) -> ExitCode {
    match run(arguments, document) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(DIFFERENCES),
        Err(error) => {
            // Anyone who does not listen is not told.
            let _ = writeln!(stderr().lock(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Compares, and answers whether both say the same.
fn run(arguments: &Compare, document: impl FnOnce() -> anyhow::Result<Value>) -> anyhow::Result<bool> {
    let now = arguments.now.map_or_else(now, Ok)?;
    let until = Timestamp::from_millis(now.millis().saturating_add(YEAR_MS));
    let range = Interval::new(now, until).context("the year does not end")?;
    let (export, missing) = arguments.answers.read(arguments.product, arguments.source.as_deref(), now)?;
    for (path, status) in missing.into_iter().filter(|(path, _)| path.starts_with("schedules")) {
        let _ = writeln!(stderr().lock(), "muster: the product does not show {path} to this token ({status})");
    }
    let (schedules, logins) = arguments.product.schedules(&export, now);
    // Nothing compared would look like a proof.
    ensure!(!schedules.is_empty(), "there is not a schedule among the answers of {}", arguments.product.name());
    let mut report = Report::new(arguments.product.name(), range, arguments.output == Form::Json);
    cli::read(&arguments.connection, document, |reader| {
        let mut tenant = Tenant::read(reader, &logins)?;
        for schedule in schedules {
            let (reading, roster) = match (schedule.reading, tenant.roster(&schedule.name)) {
                (Ok(reading), Some(roster)) => (reading, roster),
                (Ok(_), None) => {
                    report.not_compared(&schedule.name, "Muster has no roster of this name")?;
                    continue;
                }
                (Err(reason), _) => {
                    report.not_compared(&schedule.name, &reason)?;
                    continue;
                }
            };
            let timeline = tenant.timeline(&roster, range)?;
            let instants = instants(range, &reading.edges, timeline.edges());
            let found = differences(&instants, range.end(), &*reading.on_call, |at| timeline.on_call(at));
            report.compared(&schedule.name, instants.len(), found)?;
        }
        Ok(())
    })?;
    report.end()
}

impl Product {
    /// Its schedules, and the login names of its users in small letters.
    pub(crate) fn schedules(self, export: &Export, now: Timestamp) -> (Vec<SourceSchedule<'_>>, Vec<String>) {
        // Users are called what the conversion calls them.
        let mut conversion = Conversion::new(Settings { now, elapsed_hours: true });
        let conversion = &mut conversion;
        let schedules = match self {
            Self::Opsgenie => opsgenie::on_call(export, conversion),
            Self::Pagerduty => pagerduty::on_call(export, conversion),
            Self::Oncall => oncall::on_call(export, conversion),
            Self::Goalert => goalert::on_call(export, conversion),
            Self::Netbox => Vec::new(),
        };
        let users = conversion.documents.iter().filter_map(|document| document.get("loginName")?.as_str());
        (schedules, users.map(str::to_lowercase).collect())
    }
}
