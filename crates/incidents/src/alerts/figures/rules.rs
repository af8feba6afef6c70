//! From rows of the database to figures by key.

use std::collections::HashMap;

use base::problem::Problem;

use super::wire::AlertTimes;

/// The keys of an answer.
pub const MOST_ROWS: usize = 1_000;

/// The values that are looked at for it: what more there is, is too much for one answer.
pub const MOST_VALUES: usize = 50_000;

/// The problems that a row names.
pub const MOST_REPEATS: usize = 3;

/// What alerts are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The service groups of the resource.
    Service,
    /// The user group that owns the resource.
    Owner,
    /// The rosters through which people were told.
    Roster,
    /// The people who were told.
    Person,
    /// The resource.
    Resource,
    /// The alert route that took it.
    Route,
}

impl By {
    /// The words for them.
    pub const WORDS: [&str; 6] = ["service", "owner", "roster", "person", "resource", "route"];

    /// Reads a word, whatever the letter case.
    pub fn read(word: &str) -> Option<Self> {
        const ALL: [By; 6] = [By::Service, By::Owner, By::Roster, By::Person, By::Resource, By::Route];
        ALL.into_iter().find(|by| by.word().eq_ignore_ascii_case(word.trim()))
    }

    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Service => "service",
            Self::Owner => "owner",
            Self::Roster => "roster",
            Self::Person => "person",
            Self::Resource => "resource",
            Self::Route => "route",
        }
    }

    /// Does it follow from the resource of an alert, by what is known of that now?
    pub const fn is_of_resource(self) -> bool {
        matches!(self, Self::Service | Self::Owner)
    }

    /// Are the pages that count those of the value alone?
    pub const fn has_own_pages(self) -> bool {
        matches!(self, Self::Roster | Self::Person)
    }
}

/// 400: there is more than one answer can be made of.
pub fn too_much() -> Problem {
    let detail = format!("more than {MOST_VALUES} values have alerts: ask for a shorter range, or with a queryString");
    Problem::field("to", detail)
}

/// Alerts of one value that are about one problem.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many.
    pub alerts: i64,
    /// How many pages about them.
    pub pages: i64,
    /// How many of them were acknowledged.
    pub acknowledged: i64,
    /// How many of them are closed.
    pub closed: i64,
    /// How many of them are closed and were not acknowledged.
    pub noise: i64,
}

/// A problem with more than one alert: how many, and tenant and id of the latest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    pub count: i64,
    pub tenant: String,
    pub alert: String,
}

/// How long something took, while its rows are read from the shortest to the longest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times {
    seen: i64,
    times: AlertTimes,
}

impl Times {
    /// Takes the next one of the [`AlertTimes::count`] there are.
    fn take(&mut self, seconds: i64) {
        let Self { seen, times } = self;
        *seen += 1;
        // The times of two gateways' clocks may differ.
        let seconds = seconds.max(0);
        // The shortest time that so many of a hundred do not exceed.
        let rank = |percent: i64| times.count.saturating_mul(percent).saturating_add(99) / 100;
        let (half, most) = (rank(50), rank(90));
        if *seen == half {
            times.p50 = Some(seconds);
        }
        if *seen == most {
            times.p90 = Some(seconds);
        }
    }

    /// What is known when all were read.
    pub const fn read(&self) -> AlertTimes {
        self.times
    }
}

impl From<AlertTimes> for Times {
    /// All of them, read.
    fn from(times: AlertTimes) -> Self {
        Self { seen: times.count, times }
    }
}

/// What is known of the alerts with one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figure {
    pub key: String,
    pub alerts: i64,
    pub pages: i64,
    pub acknowledged: Times,
    pub closed: Times,
    pub escalated: i64,
    pub noise: i64,
    pub repeats: Vec<Repeat>,
}

/// The figures of all keys, to which rows are added.
#[derive(Debug)]
pub struct Figures {
    all: Vec<Figure>,
    places: Places,
}

/// Where the keys of a value stand.
#[derive(Debug)]
enum Places {
    /// The value is the key.
    Same(HashMap<String, usize>),
    /// By the tenant of the alert and the value.
    Of(HashMap<String, HashMap<String, Vec<usize>>>),
}

impl Figures {
    /// Of values that are the keys.
    pub fn by_value() -> Self {
        Self { all: Vec::new(), places: Places::Same(HashMap::new()) }
    }

    /// Of values that stand for keys: tenant, value, and its keys.
    pub fn by_keys(values: impl IntoIterator<Item = (String, String, Vec<String>)>) -> Self {
        let mut all = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut places: HashMap<String, HashMap<String, Vec<usize>>> = HashMap::new();
        for (tenant, value, keys) in values {
            let mut place = |key: String| {
                *known.entry(key.clone()).or_insert_with(|| {
                    all.push(Figure { key, ..Figure::default() });
                    all.len() - 1
                })
            };
            let keys: Vec<usize> = keys.into_iter().map(&mut place).collect();
            places.entry(tenant).or_default().insert(value, keys);
        }
        Self { all, places: Places::Of(places) }
    }

    /// The places in [`Figures::all`] of the keys of a value.
    pub fn places(&self, tenant: &str, value: &str) -> &[usize] {
        let places = match &self.places {
            Places::Same(places) => places.get(value).map(std::slice::from_ref),
            Places::Of(places) => places.get(tenant).and_then(|values| values.get(value)).map(Vec::as_slice),
        };
        places.unwrap_or_default()
    }

    /// Does something with the figure of each key of a value that is known.
    fn each(&mut self, tenant: &str, value: &str, mut f: impl FnMut(&mut Figure)) {
        let places = self.places(tenant, value).to_vec();
        for place in &places {
            if let Some(figure) = self.all.get_mut(*place) {
                f(figure);
            }
        }
    }

    /// Adds alerts of a value.
    ///
    /// # Errors
    /// 400 when there are too many values.
    pub fn add_counts(&mut self, tenant: &str, value: &str, counts: &Counts) -> Result<(), Problem> {
        if let Places::Same(places) = &mut self.places
            && !places.contains_key(value)
        {
            if places.len() >= MOST_VALUES {
                return Err(too_much());
            }
            places.insert(value.to_owned(), self.all.len());
            self.all.push(Figure { key: value.to_owned(), ..Figure::default() });
        }
        self.each(tenant, value, |figure| {
            figure.alerts += counts.alerts;
            figure.pages += counts.pages;
            figure.acknowledged.times.count += counts.acknowledged;
            figure.closed.times.count += counts.closed;
            figure.noise += counts.noise;
        });
        Ok(())
    }

    /// Adds the alerts of a value that are about one problem, of which this is the latest.
    ///
    /// # Errors
    /// 400 when there are too many values.
    pub fn add(&mut self, tenant: String, value: &str, latest: String, counts: &Counts) -> Result<(), Problem> {
        self.add_counts(&tenant, value, counts)?;
        if counts.alerts < 2 {
            return Ok(());
        }
        let repeat = Repeat { count: counts.alerts, tenant, alert: latest };
        self.each(&repeat.tenant, value, |figure| {
            let before = |known: &Repeat| (known.count, &known.alert) >= (repeat.count, &repeat.alert);
            let place = figure.repeats.partition_point(before);
            if place < MOST_REPEATS {
                figure.repeats.insert(place, repeat.clone());
                figure.repeats.truncate(MOST_REPEATS);
            }
        });
        Ok(())
    }

    /// Keeps the keys with most alerts; answers whether others are left out.
    pub fn keep(&mut self) -> bool {
        let mut order: Vec<usize> = (0..self.all.len()).filter(|place| self.all[*place].alerts > 0).collect();
        order.sort_by(|one, other| {
            let rank = |place: &usize| (std::cmp::Reverse(self.all[*place].alerts), &self.all[*place].key);
            rank(one).cmp(&rank(other))
        });
        let is_truncated = order.len() > MOST_ROWS;
        order.truncate(MOST_ROWS);
        let moved: HashMap<usize, usize> = order.iter().enumerate().map(|(new, old)| (*old, new)).collect();
        self.all = order.iter().map(|place| std::mem::take(&mut self.all[*place])).collect();
        match &mut self.places {
            Places::Same(places) => {
                places.retain(|_, place| moved.get(place).map(|new| *place = *new).is_some());
            }
            Places::Of(places) => {
                let keys = places.values_mut().flat_map(HashMap::values_mut);
                keys.for_each(|keys| *keys = keys.iter().filter_map(|place| moved.get(place).copied()).collect());
            }
        }
        is_truncated
    }

    /// Adds what is known of the pages of the alerts of a value.
    pub fn add_pages(&mut self, tenant: &str, value: &str, pages: i64, escalated: i64) {
        self.each(tenant, value, |figure| {
            figure.pages += pages;
            figure.escalated += escalated;
        });
    }

    /// Takes how long it took until an alert of a value was acknowledged; the shortest come first.
    pub fn acknowledged(&mut self, tenant: &str, value: &str, seconds: i64) {
        self.each(tenant, value, |figure| figure.acknowledged.take(seconds));
    }

    /// Takes how long it took until an alert of a value was closed; the shortest come first.
    pub fn closed(&mut self, tenant: &str, value: &str, seconds: i64) {
        self.each(tenant, value, |figure| figure.closed.take(seconds));
    }

    /// Those of all keys.
    pub fn all(&self) -> &[Figure] {
        &self.all
    }

    /// Those of all keys, to be completed.
    pub fn all_mut(&mut self) -> &mut [Figure] {
        &mut self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_the_shortest_time_that_so_many_do_not_exceed() {
        for (times, expected) in [
            (vec![7], (7, 7)),
            (vec![1, 2], (1, 2)),
            (vec![1, 2, 3], (2, 3)),
            ((1..=10).collect(), (5, 9)),
            ((1..=11).collect(), (6, 10)),
            ((1..=100).collect(), (50, 90)),
            (vec![-1, -1, 3], (0, 3)),
        ] {
            let count = i64::try_from(times.len()).unwrap();
            let mut of = Times { seen: 0, times: AlertTimes { count, ..AlertTimes::default() } };
            times.iter().for_each(|seconds| of.take(*seconds));
            let AlertTimes { p50, p90, .. } = of.read();
            assert_eq!((p50, p90), (Some(expected.0), Some(expected.1)), "{times:?}");
        }
        assert_eq!(Times::default().read(), AlertTimes::default());
    }

    fn add(figures: &mut Figures, value: &str, alerts: i64) {
        let counts = Counts { alerts, ..Counts::default() };
        figures.add("t".to_owned(), value, format!("{value}{alerts}"), &counts).unwrap();
    }

    #[test]
    fn those_with_most_alerts_are_kept() {
        let mut figures = Figures::by_value();
        (0..MOST_ROWS).for_each(|number| add(&mut figures, &format!("v{number:04}"), 2));
        assert!(!figures.keep());
        add(&mut figures, "much", 9);
        assert!(figures.keep());
        let keys: Vec<&str> = figures.all().iter().map(|figure| &*figure.key).collect();
        assert_eq!((keys[0], keys[1], keys[999]), ("much", "v0000", "v0998"));
        figures.add_pages("t", "much", 3, 1);
        figures.add_pages("t", "v0999", 3, 1);
        let pages: Vec<i64> = figures.all().iter().map(|figure| figure.pages).collect();
        assert_eq!((pages[0], pages.iter().sum::<i64>()), (3, 3));
    }

    #[test]
    fn a_value_counts_for_each_of_its_keys() {
        let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
        let value = |value: &str, all: &[&str]| ("t".to_owned(), value.to_owned(), keys(all));
        let mut figures = Figures::by_keys([value("m1", &["a", "b"]), value("m2", &["b"]), value("m3", &[])]);
        for (machine, alerts) in [("m1", 1), ("m1", 4), ("m2", 2), ("m3", 8), ("unknown", 16)] {
            add(&mut figures, machine, alerts);
        }
        assert!(!figures.keep());
        let all: Vec<_> = figures.all().iter().map(|figure| (&*figure.key, figure.alerts)).collect();
        assert_eq!(all, [("b", 7), ("a", 5)]);
        let repeats: Vec<_> = figures.all()[0].repeats.iter().map(|repeat| (repeat.count, &*repeat.alert)).collect();
        assert_eq!(repeats, [(4, "m14"), (2, "m22")]);
    }
}
