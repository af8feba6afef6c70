//! When a job runs, as clients say and see it (operation 9 of `docs/interface.md`), and as it is stored.
//!
//! ```json
//! {"startDate":"2026-11-20T22:00:00+0000",
//!  "pattern":{"type":"daily","frequency":"recurrence","repeatFrequency":2,"repeatType":"days"}}
//! ```

use api::Request;
use base::{
    Fields,
    body::{Field as _, Limits, says},
    timestamp::Timestamp,
};
use calendar::{
    CronExpression, Due, End, Frequency, Instant, MonthDays, OnDay, Pattern, Recurring, Rule, WeekIndex, Weekday,
    Weekdays, Zone,
    fields::{self, check_day},
    forms,
};
use serde::Serialize;

const DAILY: &str = "daily";
const WEEKLY: &str = "weekly";
const MONTHLY: &str = "monthly";
const PATTERNS: [&str; 5] = [DAILY, WEEKLY, MONTHLY, "never", "run once"];

const DAYS: &str = "days";
const HOURS: &str = "hours";
const MINUTES: &str = "minutes";

/// When a job runs.
#[api::without_none]
#[derive(Clone, Debug, PartialEq, Serialize, Request)]
#[serde(rename_all = "camelCase")]
#[request(schema = "JobSchedule", check = check_schedule)]
pub struct Schedule {
    /// No run is due before this instant, which also gives the time of day of every run.
    #[request(text = forms::INSTANT, example = "2026-11-20T02:00:00+0000")]
    pub start_date: Instant,
    /// What follows; required unless there is `cron`.
    #[request(when = is_without_cron)]
    pub pattern: Option<JobPattern>,
    /// In place of `pattern`: minute, hour, day of the month, month and day of the week.
    #[request(blank, with = cron, schema = String, chars = 200, example = "*/15 * * * *")]
    pub cron: Option<CronExpression>,
    /// Whose clocks count; without it, GMT.
    #[request(when = is_without_timezone)]
    #[serde(skip)]
    pub time_zone: Option<TimeZone>,
    /// The same by its name alone; of a schedule with `cron` it is answered so.
    #[request(blank, schema = String, example = "Europe/Vienna")]
    #[serde(skip)]
    pub timezone: Option<Zone>,
}

/// A supported time zone, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Request)]
#[request(schema = "JobTimeZone", example = json!({"name": "Europe/Paris"}))]
pub struct TimeZone {
    /// One of the names of `GET /api/v2/cfg/timezones`, or any other of the IANA database.
    #[request(name = "name", schema = String)]
    pub zone: Zone,
}

/// How a job repeats.
#[api::without_none]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Request)]
#[serde(rename_all = "camelCase")]
#[request(check = check_pattern, example = json!({
    "type": "daily", "frequency": "recurrence", "repeatFrequency": 2, "repeatType": "days"
}))]
pub struct JobPattern {
    /// `daily`, `weekly`, `monthly`, `never` or `run once`; the last two run at `startDate` alone.
    #[request(name = "type", words = PATTERNS)]
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Of a daily one: `everyday`, `every weekday`, or `recurrence` with `repeatFrequency`.
    #[request(when = says("type", &[DAILY]), blank, with = frequency, schema = String, words = Frequency::NAMES)]
    pub frequency: Option<Frequency>,
    /// Of a weekly one: names of days, separated by commas; without them the day of `startDate`.
    #[request(when = says("type", &[WEEKLY]), blank, text = forms::WEEKDAYS)]
    pub week_days: Option<Weekdays>,
    /// Of a monthly one: days of the month, separated by commas; in a shorter month its last day.
    #[request(when = is_by_number, blank, text = forms::MONTH_DAYS)]
    pub day_of_month: Option<MonthDays>,
    /// Of a monthly one, with `dayOfWeek`: `First`, `Second`, `Third`, `Fourth` or `Last`.
    #[request(when = is_by_weekday, schema = String, words = WeekIndex::NAMES)]
    pub week_index: Option<WeekIndex>,
    /// Of a monthly one, with `weekIndex`: `Sunday` to `Saturday`.
    #[request(when = is_by_weekday, schema = String, words = Weekday::NAMES)]
    pub day_of_week: Option<Weekday>,
    /// Every so many days, weeks or months: 1 to 366; up to 744 hours, or 1,440 minutes.
    #[request(when = says("type", &[DAILY, WEEKLY, MONTHLY]), with = step, range = 1..=1_440)]
    pub repeat_frequency: Option<u16>,
    /// Of a daily recurrence: `days`, or `hours` (up to 744) or `minutes` (up to 1,440) that go by, counted from
    /// `startDate`.
    #[request(when = says("type", &[DAILY]), blank, words = [DAYS, HOURS, MINUTES])]
    pub repeat_type: Option<&'static str>,
}

impl Schedule {
    /// Whose clocks count, where that is said.
    pub fn zone(&self) -> Option<Zone> {
        self.timezone.or_else(|| self.time_zone.map(|named| named.zone))
    }

    /// What it means in a zone. `never` and `run once` both run at the start and never again.
    pub fn due(&self, zone: Zone) -> Due {
        // A time of day has no fraction; with one, the first run would be due a day late.
        let start = Timestamp::from_millis(self.start_date.at().millis().div_euclid(1_000).saturating_mul(1_000));
        if let Some(expression) = &self.cron {
            return Due::Cron { expression: expression.clone(), zone, start };
        }
        if let Some(step_ms) = self.pattern.and_then(JobPattern::step_ms) {
            return Due::Every { start, step_ms };
        }
        // One instant needs no zone, and GMT has it whatever the clocks do.
        let once = (Zone::GMT, Pattern::Daily { every: 1 }, End::Occurrences(1));
        let repeated = self.pattern.and_then(JobPattern::pattern);
        let (zone, pattern, end) = repeated.map_or(once, |pattern| (zone, pattern, End::Never));
        let time = zone.time_of_day(start);
        Due::Dates(Rule::recurring(Recurring {
            zone,
            start_date: start,
            start_time: time,
            end_time: time,
            pattern,
            end,
        }))
    }
}

impl JobPattern {
    /// Between two runs that elapsed time tells apart.
    fn step_ms(self) -> Option<i64> {
        let unit = match self.repeat_type? {
            HOURS => 3_600_000,
            MINUTES => 60_000,
            _ => return None,
        };
        Some(unit * i64::from(self.repeat_frequency.unwrap_or(1)))
    }

    /// On which dates; `None` for one run.
    fn pattern(self) -> Option<Pattern> {
        let every = self.repeat_frequency.unwrap_or(1);
        match self.kind {
            DAILY if self.frequency == Some(Frequency::EveryWeekday) => {
                Some(Pattern::Weekly { every: 1, days: Weekdays::MONDAY_TO_FRIDAY })
            }
            DAILY => Some(Pattern::Daily { every }),
            WEEKLY => Some(Pattern::Weekly { every, days: self.week_days.unwrap_or_default() }),
            MONTHLY => {
                let on = OnDay::of(self.week_index.zip(self.day_of_week), self.day_of_month);
                Some(Pattern::Monthly { every, on })
            }
            _ => None,
        }
    }
}

fn is_without_cron(of: &Fields<'_>) -> bool {
    of.is_blank("cron")
}

fn is_without_timezone(of: &Fields<'_>) -> bool {
    of.is_blank("timezone")
}

fn is_elapsed(of: &Fields<'_>) -> bool {
    of.says("type", &[DAILY]) && of.says("repeatType", &[HOURS, MINUTES])
}

fn is_by_weekday(of: &Fields<'_>) -> bool {
    of.says("type", &[MONTHLY]) && fields::is_by_weekday(of)
}

fn is_by_number(of: &Fields<'_>) -> bool {
    of.says("type", &[MONTHLY]) && !fields::is_by_weekday(of)
}

fn cron(fields: &mut Fields<'_>, name: &str) -> Option<CronExpression> {
    let read = CronExpression::parse(&fields.text(name)?);
    read.map_err(|message| fields.error(name, message)).ok()
}

fn frequency(fields: &mut Fields<'_>, name: &str) -> Option<Frequency> {
    if is_elapsed(fields) {
        return fields.one_of(name, &[Frequency::Recurrence.name()]).and_then(Frequency::find);
    }
    Frequency::read(fields, name, &Limits::NONE)
}

/// What is longer than the hours or minutes that may go by has days.
fn step(fields: &mut Fields<'_>, name: &str) -> Option<u16> {
    let most = match is_elapsed(fields) {
        true if fields.says("repeatType", &[HOURS]) => 744,
        true => 1_440,
        false => 366,
    };
    if is_elapsed(fields) {
        fields.require(name);
    } else if fields.is_blank(name) {
        return None;
    }
    u16::read(fields, name, &Limits { range: Some((1, most)), ..Limits::NONE })
}

fn check_schedule(_: &mut Schedule, fields: &mut Fields<'_>) {
    if is_without_cron(fields) {
        fields.require("pattern");
    } else if fields.has("pattern") {
        fields.error("cron", "must be absent when pattern is there");
    }
    if !is_without_timezone(fields) && fields.has("timeZone") {
        fields.error("timezone", "must be absent when timeZone is there");
    }
}

/// It is answered with all that it means: what is counted, and that it is.
fn check_pattern(pattern: &mut JobPattern, fields: &mut Fields<'_>) {
    let is_weekdays = pattern.frequency == Some(Frequency::EveryWeekday);
    if pattern.kind == MONTHLY {
        check_day(fields, false);
    } else if is_weekdays && pattern.repeat_frequency.is_some_and(|every| every != 1) {
        fields.error("repeatFrequency", "must be 1 or absent when frequency is every weekday");
    } else if is_elapsed(fields) {
        pattern.frequency = Some(Frequency::Recurrence);
    } else if pattern.kind == DAILY {
        if is_weekdays && pattern.repeat_type.is_some() {
            fields.ignore("repeatType");
        }
        pattern.repeat_type = pattern.repeat_frequency.filter(|_| !is_weekdays).map(|_| DAYS);
    }
}

#[cfg(test)]
mod tests;
