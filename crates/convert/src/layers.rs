//! Layers that hide each other, as layers that do not.

use base::Timestamp;

use crate::{roster::Layer, week::Week};

/// What each layer has of the week while those before it are on call too: of the groups of layers given, the first
/// counts most, and layers of one group do not hide each other. What ended before `now` is left out; the second answer
/// is whether anything was.
pub fn visible(groups: &[Vec<Layer>], now: Timestamp) -> (Vec<Layer>, bool) {
    let layers: Vec<(usize, &Layer)> =
        groups.iter().enumerate().flat_map(|(group, layers)| layers.iter().map(move |layer| (group, layer))).collect();
    let bounds = layers.iter().flat_map(|(_, layer)| [Some(layer.from), layer.until]);
    let mut cuts: Vec<Timestamp> = bounds.flatten().collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut over = false;
    let mut visible: Vec<Vec<Layer>> = vec![Vec::new(); layers.len()];
    let ends = cuts.iter().skip(1).copied().map(Some).chain([None]);
    for (from, until) in cuts.iter().copied().zip(ends) {
        if until.is_some_and(|until| until <= now) {
            over = true;
            continue;
        }
        let mut before = Week::default();
        let mut hidden = Week::default();
        let mut last_group = 0;
        for ((group, layer), seen) in layers.iter().zip(&mut visible) {
            if *group != last_group {
                last_group = *group;
                before = hidden.clone();
            }
            if layer.from > from || layer.until.is_some_and(|end| end <= from) {
                continue;
            }
            let week = layer.week.without(&before);
            hidden = hidden.union(&layer.week);
            match seen.last_mut() {
                Some(last) if last.until == Some(from) && last.week == week => last.until = until,
                _ if week.is_empty() => {}
                _ => seen.push(Layer { week, from, until, ..(*layer).clone() }),
            }
        }
    }
    (visible.into_iter().flatten().collect(), over)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roster::{Place, Staff};

    const HOUR: u32 = 3_600;

    fn layer(name: &str, week: Week, from: i64, until: Option<i64>) -> Layer {
        let staff = Staff::Same(Place { users: vec![name.to_owned()], groups: Vec::new() });
        let at = |hours: i64| Timestamp::from_millis(hours * 3_600_000);
        Layer { name: name.to_owned(), week, from: at(from), until: until.map(at), staff }
    }

    #[test]
    fn a_layer_shows_where_none_before_it_does() {
        let office = Week::daily(9 * HOUR, 8 * HOUR);
        let layers = [
            vec![layer("late", Week::all(), 5_000, Some(6_000))],
            vec![layer("office", office.clone(), 1_000, None)],
            vec![layer("always", Week::all(), 0, None), layer("beside", Week::all(), 7_000, None)],
            vec![layer("never", office.clone(), 2_000, None)],
        ];
        let shown = |now: i64| -> Vec<String> {
            let (visible, over) = visible(&layers, Timestamp::from_millis(now * 3_600_000));
            let hours = |at: Timestamp| at.millis() / 3_600_000;
            let text = visible.iter().map(|layer| {
                let week = if layer.week.is_all() {
                    "all"
                } else if layer.week == office {
                    "office"
                } else {
                    "rest"
                };
                format!("{} {week} {}-{:?}", layer.name, hours(layer.from), layer.until.map(hours))
            });
            text.chain([over.to_string()]).collect()
        };
        assert_eq!(
            shown(0),
            [
                "late all 5000-Some(6000)",
                "office office 1000-Some(5000)",
                "office office 6000-None",
                "always all 0-Some(1000)",
                "always rest 1000-Some(5000)",
                "always rest 6000-None",
                "beside rest 7000-None",
                "false"
            ]
        );
        assert_eq!(shown(6_000), ["office office 6000-None", "always rest 6000-None", "beside rest 7000-None", "true"]);
    }
}
