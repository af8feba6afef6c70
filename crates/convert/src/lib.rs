//! `muster convert`: from what another product exports to files of desired state, which `muster plan` and
//! `muster apply` read.
//!
//! A product's answers ([`export`]) become objects of Muster and a report of what became of each object of the source.
//! Schedules mean the same before and after, or are refused: [`roster`] puts shifts together from the weekly times
//! ([`week`]) and turns that a product has.
//!
//! This crate knows no domain and no database: like any client it knows how the interface looks.

mod clock;
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
mod week;

#[cfg(test)]
mod tests;

use std::{
    fs,
    io::{Write as _, stderr, stdout},
    path::Path,
    process::ExitCode,
};

use anyhow::{Context as _, bail, ensure};
use base::{Secret, Timestamp};
use cli::write_files;

pub use crate::options::Convert;
use crate::{
    conversion::{Conversion, OPEN_ALERTS, Settings},
    export::Export,
    online::Client,
    options::Product,
    report::Outcome,
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
    let (export, missing, target) = match (&arguments.url, arguments.paths.as_slice()) {
        (Some(url), [target]) => {
            let token = arguments.token.as_deref().map(str::trim).filter(|token| !token.is_empty());
            let token = token.context("--url needs a token: set MUSTER_CONVERT_TOKEN, or give --token")?;
            prepare(target)?;
            arguments.save.as_deref().map(prepare).transpose()?;
            let mut client = Client::new(url.clone(), arguments.product.headers(token))?;
            let export = arguments.product.fetch(&mut client, settings.now)?;
            if let Some(save) = &arguments.save {
                write_files(save, &export.files()).map_err(anyhow::Error::msg)?;
            }
            (export, client.missing, target)
        }
        (None, [source, target]) => {
            let export = Export::read(source)?;
            prepare(target)?;
            (export, Vec::new(), target)
        }
        (Some(_), _) => bail!("with --url, one folder is named: the one for the files"),
        (None, _) => bail!("two folders are named: the one with the product's answers, and the one for the files"),
    };
    let mut conversion = arguments.product.convert(&export, settings);
    for (path, status) in missing {
        conversion.report.omitted(path, format!("the product does not show it to this token ({status})"));
    }
    write(&conversion, arguments.product, target)?;
    Ok(conversion)
}

/// Makes a folder for files; it has to be new or empty, so that nothing of an earlier conversion stays behind.
fn prepare(folder: &Path) -> anyhow::Result<()> {
    let shown = folder.display();
    fs::create_dir_all(folder).with_context(|| format!("{shown} cannot be made"))?;
    let first = fs::read_dir(folder).with_context(|| format!("{shown} cannot be read"))?.next();
    ensure!(
        first.is_none(),
        "{shown} is not empty; take a new folder, so that nothing of an earlier conversion stays in it"
    );
    Ok(())
}

fn write(conversion: &Conversion, product: Product, target: &Path) -> anyhow::Result<()> {
    let mut files = cli::files(&conversion.documents).map_err(anyhow::Error::msg)?;
    files.extend(conversion.open_alerts.clone().map(|lines| (OPEN_ALERTS.into(), lines)));
    let report = conversion.report.markdown(product.name(), product.assumptions());
    files.push(("REPORT.md".into(), report));
    write_files(target, &files).map_err(anyhow::Error::msg)
}

#[expect(clippy::disallowed_methods, reason = "a command for people, who may name another instant")]
fn now() -> anyhow::Result<Timestamp> {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    Ok(Timestamp::from_millis(i64::try_from(since.as_secs())?.saturating_mul(1_000)))
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

    /// How the product is told who asks.
    fn headers(self, token: &str) -> Vec<(&'static str, Secret<String>)> {
        match self {
            Self::Opsgenie => vec![("authorization", Secret::new(format!("GenieKey {token}")))],
            Self::Pagerduty => vec![
                ("authorization", Secret::new(format!("Token token={token}"))),
                ("accept", Secret::new("application/vnd.pagerduty+json;version=2".to_owned())),
            ],
            Self::Oncall => vec![("authorization", Secret::new(token.to_owned()))],
            Self::Goalert => Vec::new(),
            Self::Netbox => vec![("authorization", Secret::new(format!("Token {token}")))],
        }
    }

    fn fetch(self, client: &mut Client, now: Timestamp) -> anyhow::Result<Export> {
        match self {
            Self::Opsgenie => opsgenie::fetch(client),
            Self::Pagerduty => pagerduty::fetch(client, now),
            Self::Oncall => oncall::fetch(client),
            Self::Netbox => netbox::fetch(client),
            Self::Goalert => bail!("a key of GoAlert is for one query: send the queries of docs/moving-in.md by hand"),
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
