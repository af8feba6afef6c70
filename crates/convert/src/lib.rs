//! `muster convert`: from what another product exports to files of desired state, which `muster plan` and
//! `muster apply` read; `muster compare`: who is on call by both.
//!
//! A product's answers ([`export`]) become objects of Muster and a report of what became of each object of the source.
//! Schedules mean the same before and after, or are refused: [`roster`] puts shifts together from the weekly times
//! ([`week`]) and turns that a product has. `compare` works out who is on call by a product without them: each product
//! has its own reading of its schedules (`on_call`), made of [`wall_clock`] alone.
//!
//! This crate knows no domain and no database: like any client it knows how the interface looks.

mod answers;
mod clock;
mod compare;
mod conversion;
mod export;
mod goalert;
mod json;
mod layers;
mod netbox;
mod oncall;
mod online;
mod opsgenie;
mod options;
mod overrides;
mod pagerduty;
mod people;
mod policy;
mod report;
mod roster;
mod service;
mod source_schedule;
mod wall_clock;
mod week;

#[cfg(test)]
mod tests;

use std::{
    io::{Write as _, stderr, stdout},
    path::Path,
    process::ExitCode,
};

use anyhow::{bail, ensure};
use cli::{now, write_files};

use crate::{
    answers::prepare,
    conversion::{Conversion, OPEN_ALERTS, Settings},
    export::Export,
    options::Product,
    report::Outcome,
};
pub use crate::{
    compare::compare,
    options::{Compare, Convert},
};

/// What is answered when something of the source is refused; the rest is converted.
const SOME_REFUSED: u8 = 2;

/// `muster convert`: writes files and a report, and says on standard output how many objects were converted. Exits with
/// 0 when no object was refused, with 2 when some were, with 1 when there was nothing to convert.
pub fn convert(arguments: &Convert) -> ExitCode {
    match run(arguments) {
        Ok(conversion) => {
            let report = &conversion.report;
            // Anyone who does not listen is not told.
            let _ = writeln!(stdout().lock(), "{}", report.summary());
            let refused = report.entries.iter().filter(|entry| entry.outcome == Outcome::Refused);
            let mut lines = stderr().lock();
            for entry in refused {
                let _ = writeln!(lines, "refused: {}: {}", entry.object, entry.notes.join("; "));
            }
            if report.count(Outcome::Refused) > 0 { ExitCode::from(SOME_REFUSED) } else { ExitCode::SUCCESS }
        }
        Err(error) => {
            let _ = writeln!(stderr().lock(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Convert) -> anyhow::Result<Conversion> {
    let settings = Settings { now: arguments.now.map_or_else(now, Ok)?, elapsed_hours: arguments.elapsed_hours };
    let (source, target) = match (&arguments.answers.url, arguments.paths.as_slice()) {
        (Some(_), [target]) => (None, target),
        (None, [source, target]) => (Some(source.as_path()), target),
        (Some(_), _) => bail!("with --url, one folder is named: the one for the files"),
        (None, _) => bail!("two folders are named: the one with the product's answers, and the one for the files"),
    };
    // What a product is asked for takes long, so the folder for it is looked at before.
    if source.is_none() {
        prepare(target)?;
    }
    let (export, missing) = arguments.answers.read(arguments.product, source, settings.now)?;
    prepare(target)?;
    let mut conversion = arguments.product.convert(&export, settings);
    let shown = || missing.iter().map(|(path, status)| format!("; {path} is not shown to this token ({status})"));
    // Where nothing is called by anything, the answers are those of another product.
    let is_any = conversion.report.entries.len() > conversion.unnamed;
    ensure!(is_any, "there was nothing to convert{}", shown().collect::<String>());
    for path in export.unfinished() {
        let reason = "its last page says that there are more: add them, and convert again";
        conversion.report.refused(path.to_owned(), reason);
    }
    for (path, status) in missing {
        conversion.report.omitted(path, format!("the product does not show it to this token ({status})"));
    }
    write(&conversion, arguments.product, target)?;
    Ok(conversion)
}

fn write(conversion: &Conversion, product: Product, target: &Path) -> anyhow::Result<()> {
    let mut files = cli::files(&conversion.documents).map_err(anyhow::Error::msg)?;
    files.extend(conversion.open_alerts.clone().map(|lines| (OPEN_ALERTS.into(), lines)));
    let report = conversion.report.markdown(product.name(), product.assumptions());
    files.push(("REPORT.md".into(), report));
    write_files(target, &files).map_err(anyhow::Error::msg)
}

impl Product {
    fn name(self) -> &'static str {
        match self {
            Self::Opsgenie => "Opsgenie",
            Self::Pagerduty => "PagerDuty",
            Self::Oncall => "Grafana OnCall",
            Self::Goalert => "GoAlert",
            Self::Netbox => "NetBox",
        }
    }

    fn assumptions(self) -> &'static [&'static str] {
        match self {
            Self::Opsgenie => &opsgenie::ASSUMPTIONS,
            Self::Pagerduty => &pagerduty::ASSUMPTIONS,
            Self::Oncall => &oncall::ASSUMPTIONS,
            Self::Goalert => &goalert::ASSUMPTIONS,
            Self::Netbox => &[],
        }
    }

    fn convert(self, export: &Export, settings: Settings) -> Conversion {
        let mut conversion = Conversion::new(settings);
        match self {
            Self::Opsgenie => opsgenie::convert(export, &mut conversion),
            Self::Pagerduty => pagerduty::convert(export, &mut conversion),
            Self::Oncall => oncall::convert(export, &mut conversion),
            Self::Goalert => goalert::convert(export, &mut conversion),
            Self::Netbox => netbox::convert(export, &mut conversion),
        }
        conversion
    }
}
