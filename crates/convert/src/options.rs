//! The command lines of `muster convert` and `muster compare`.

use std::path::PathBuf;

use base::Timestamp;
use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use cli::{ConnectionOptions, Form};

use crate::{clock::instant, online};

/// The command line of `muster convert`.
#[derive(Args)]
pub struct Convert {
    /// The product that is moved away from
    #[arg(value_name = "PRODUCT")]
    pub(crate) product: Product,
    /// A folder with the product's answers, unless --url is given; then a new folder for the files
    #[arg(value_name = "SOURCE DIR", num_args = 1..=2, required = true)]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) answers: AnswerOptions,
    /// What ended before this instant is left out; by default now
    #[arg(long, value_name = "INSTANT", value_parser = parse_instant)]
    pub(crate) now: Option<Timestamp>,
    /// Take turns of hours as hours that pass, also in zones whose clocks change; without it they are refused there
    #[arg(long)]
    pub(crate) elapsed_hours: bool,
}

/// The command line of `muster compare`.
#[derive(Args)]
pub struct Compare {
    /// The product that is moved away from
    #[arg(value_name = "PRODUCT", value_parser = scheduler())]
    pub(crate) product: Product,
    /// A folder with the product's answers, unless --url is given
    #[arg(value_name = "SOURCE", required_unless_present = "url", conflicts_with = "url")]
    pub(crate) source: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) answers: AnswerOptions,
    /// The year begins at this instant: that of the conversion; by default now
    #[arg(long, value_name = "INSTANT", value_parser = parse_instant)]
    pub(crate) now: Option<Timestamp>,
    /// How differences are printed
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub(crate) output: Form,
    #[command(flatten)]
    pub(crate) connection: ConnectionOptions,
}

/// Where the answers of a product come from, when not from a folder.
#[derive(Args)]
pub struct AnswerOptions {
    /// Ask the product itself, at this address
    #[arg(long, value_name = "URL", value_parser = online::address)]
    pub(crate) url: Option<reqwest::Url>,
    /// The product's token that may read all; better in the environment, where other users do not see it
    #[arg(long, env = "MUSTER_CONVERT_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
    /// Keep the product's answers in this new folder, to convert or compare them again
    #[arg(long, value_name = "FOLDER", requires = "url")]
    pub(crate) save: Option<PathBuf>,
}

/// A product that is moved away from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Product {
    /// Opsgenie
    Opsgenie,
    /// PagerDuty
    Pagerduty,
    /// Grafana OnCall
    Oncall,
    /// GoAlert
    Goalert,
    /// NetBox
    Netbox,
}

/// A product that has schedules.
fn scheduler() -> impl TypedValueParser<Value = Product> {
    PossibleValuesParser::new(["opsgenie", "pagerduty", "oncall", "goalert"])
        .try_map(|name| Product::from_str(&name, false))
}

fn parse_instant(text: &str) -> Result<Timestamp, String> {
    instant(text).ok_or_else(|| "an instant is written 2026-11-23T09:00:00Z".to_owned())
}
