//! How long rows are kept: the options of `muster serve` that the domains declare, and the thread that heeds them.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use base::timestamp::Timestamp;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use config::values::number;
use db::Db;
use outbox::{Periods, Retention, Setting, Sweeper};

use crate::domains;

/// The days that each option says, by its name.
#[derive(Clone, Debug)]
pub struct RetentionDays(HashMap<&'static str, u32>);

/// The settings, each once: kinds of rows that belong together share one.
fn settings() -> impl Iterator<Item = Setting> {
    let mut known = HashSet::new();
    domains::retention().into_iter().filter_map(move |retention| match retention.keep {
        outbox::Keep::Setting(setting) => known.insert(setting.option).then_some(setting),
        outbox::Keep::Millis(_) => None,
    })
}

impl Args for RetentionDays {
    fn augment_args(command: Command) -> Command {
        settings().fold(command, |command, Setting { option, variable, days, help }| {
            let option = Arg::new(option).long(option).env(variable).help(help).value_name("DAYS");
            let option = match days {
                0 => option.default_value("0"),
                days => option.default_value(days.to_string()),
            };
            command.arg(option.value_parser(number(0..=u32::MAX, "a number of days, 0 for ever")))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for RetentionDays {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let days =
            |setting: Setting| (setting.option, matches.get_one(setting.option).copied().unwrap_or(setting.days));
        Ok(Self(settings().map(days).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl RetentionDays {
    /// Is this the name of one of the options?
    pub fn has(&self, option: &str) -> bool {
        self.0.contains_key(option)
    }

    fn days(&self, setting: &Setting) -> u32 {
        self.0.get(setting.option).copied().unwrap_or(setting.days)
    }

    /// Has a sweeper keep rows for as long as these options say.
    pub fn apply(&self, periods: &Periods) {
        periods.set(|setting| self.days(setting));
    }

    /// Starts to remove what is too old, and tells those who watch about it and about what was refused because a tenant
    /// had too much.
    pub fn start(self, db: &Db, clock: fn() -> Timestamp) -> std::io::Result<Sweeper> {
        let retention: Vec<Retention> = domains::retention();
        let tables = (retention.as_slice(), domains::partitioned());
        let sweeper = Sweeper::start(db.clone(), tables, |setting| self.days(setting), clock)?;
        let kept = Arc::new(sweeper.kept());
        let counts = Arc::clone(&kept);
        db.add_family("rows_removed", "Rows that were removed, because of their age or number", true, move || {
            let removed = counts.iter().flat_map(|kept| {
                kept.removed()
                    .map(|(reason, count)| (vec![("kind", kept.kind.into()), ("reason", reason.into())], float(count)))
            });
            removed.collect()
        });
        let help = "How long the oldest row of those that are not kept for ever has aged";
        db.add_family("oldest_row_age_seconds", help, false, move || {
            let ages = kept.iter().filter_map(|kept| {
                let age = clock().millis().saturating_sub(kept.oldest()?.millis()).max(0);
                Some((vec![("kind", kept.kind.into())], float(age.unsigned_abs()) / 1e3))
            });
            ages.collect()
        });
        let quotas = domains::quotas();
        db.add_family("quota_refusals", "Rows that were refused because their tenant had too many", true, move || {
            quotas.iter().map(|quota| (vec![("kind", quota.name().into())], float(quota.refused()))).collect()
        });
        Ok(sweeper)
    }
}

#[expect(clippy::cast_precision_loss, reason = "2^53 rows or milliseconds are more than there will be")]
fn float(number: u64) -> f64 {
    number as f64
}
