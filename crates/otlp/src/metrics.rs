//! Metrics as the collector takes them, made of the text in which OpenMetrics has them: each is counted in one place.

use std::{collections::BTreeMap, mem};

use opentelemetry_proto::tonic::{
    collector::metrics::v1::ExportMetricsServiceRequest,
    common::v1::KeyValue,
    metrics::v1::{
        AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint, ResourceMetrics,
        ScopeMetrics, Sum, metric::Data, number_data_point,
    },
    resource::v1::Resource,
};
use prost::Message as _;

use crate::{resource::text, spans::scope};

/// The path of their messages.
pub(crate) const PATH: &str = "/v1/metrics";

const CUMULATIVE: i32 = AggregationTemporality::Cumulative as i32;

/// When metrics were read, and since when they count, in nanoseconds since 1970.
#[derive(Clone, Copy)]
pub(crate) struct Times {
    pub(crate) since_ns: u64,
    pub(crate) now_ns: u64,
}

/// A message with all metrics of a text.
pub(crate) fn message(resource: &Resource, open_metrics: &str, times: Times) -> Vec<u8> {
    let metrics = read(open_metrics, times);
    let scope_metrics = ScopeMetrics { scope: Some(scope()), metrics, ..ScopeMetrics::default() };
    let all = ResourceMetrics {
        resource: Some(resource.clone()),
        scope_metrics: vec![scope_metrics],
        ..ResourceMetrics::default()
    };
    ExportMetricsServiceRequest { resource_metrics: vec![all] }.encode_to_vec()
}

/// A family of metrics while its lines are read.
#[derive(Default)]
struct Family {
    name: String,
    help: String,
    kind: String,
    points: Vec<NumberDataPoint>,
    /// Histograms by their labels.
    histograms: BTreeMap<String, HistogramDataPoint>,
}

/// The metrics of a text, in its order.
fn read(open_metrics: &str, times: Times) -> Vec<Metric> {
    let mut metrics = Vec::new();
    let mut family = Family::default();
    for line in open_metrics.lines() {
        let comment = line.strip_prefix("# ").and_then(|rest| rest.split_once(' '));
        match comment {
            Some((word @ ("HELP" | "TYPE"), rest)) => {
                let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
                if family.name != name {
                    metrics.extend(mem::take(&mut family).metric());
                    name.clone_into(&mut family.name);
                }
                let field = if word == "HELP" { &mut family.help } else { &mut family.kind };
                value.clone_into(field);
            }
            Some(_) => {}
            None => family.add(line, times),
        }
    }
    metrics.extend(family.metric());
    metrics
}

impl Family {
    /// Takes a line: `name{labels} value`.
    fn add(&mut self, line: &str, times: Times) {
        let Some((sample, value)) = line.rsplit_once(' ') else { return };
        let Ok(value) = value.parse::<f64>() else { return };
        let (name, labels) = sample.split_once('{').unwrap_or((sample, ""));
        let mut labels = labels_of(labels.strip_suffix('}').unwrap_or(labels));
        if self.kind != "histogram" {
            self.points.push(NumberDataPoint {
                attributes: labels.into_iter().map(|(name, value)| text(name, value)).collect(),
                start_time_unix_nano: if self.kind == "counter" { times.since_ns } else { 0 },
                time_unix_nano: times.now_ns,
                value: Some(number_data_point::Value::AsDouble(value)),
                ..NumberDataPoint::default()
            });
            return;
        }
        let bound = labels.iter().position(|(name, _)| name == "le").map(|place| labels.remove(place).1);
        let point = self.histograms.entry(format!("{labels:?}")).or_insert_with(|| HistogramDataPoint {
            attributes: labels.into_iter().map(|(name, value)| text(name, value)).collect::<Vec<KeyValue>>(),
            start_time_unix_nano: times.since_ns,
            time_unix_nano: times.now_ns,
            ..HistogramDataPoint::default()
        });
        match name.strip_prefix(&*self.name) {
            Some("_sum") => point.sum = Some(value),
            Some("_count") => point.count = whole(value),
            // Those of the text include those of the buckets before.
            Some("_bucket") => {
                let before: u64 = point.bucket_counts.iter().sum();
                point.bucket_counts.push(whole(value).saturating_sub(before));
                let bound = bound.and_then(|bound| bound.parse::<f64>().ok());
                point.explicit_bounds.extend(bound.filter(|bound| bound.is_finite()));
            }
            _ => {}
        }
    }

    /// The metric; `None` without any value.
    fn metric(self) -> Option<Metric> {
        let Self { name, help, kind, points: data_points, histograms } = self;
        if data_points.is_empty() && histograms.is_empty() {
            return None;
        }
        let data = match kind.as_str() {
            "counter" => Data::Sum(Sum { data_points, aggregation_temporality: CUMULATIVE, is_monotonic: true }),
            "histogram" => {
                let data_points = histograms.into_values().collect();
                Data::Histogram(Histogram { data_points, aggregation_temporality: CUMULATIVE })
            }
            _ => Data::Gauge(Gauge { data_points }),
        };
        let name = if kind == "info" { format!("{name}_info") } else { name };
        let description = help.trim_end_matches('.').to_owned();
        Some(Metric { name, description, data: Some(data), ..Metric::default() })
    }
}

/// Labels by name: `a="b",c="d"`, in which a backslash stands before a quote, a backslash and an `n` for a new line.
fn labels_of(mut text: &str) -> Vec<(String, String)> {
    let mut labels = Vec::new();
    while let Some((name, rest)) = text.split_once("=\"") {
        let mut value = String::new();
        let mut letters = rest.char_indices();
        let mut end = rest.len();
        while let Some((place, letter)) = letters.next() {
            match letter {
                '"' => {
                    end = place + 1;
                    break;
                }
                '\\' => match letters.next() {
                    Some((_, 'n')) => value.push('\n'),
                    Some((_, other)) => value.push(other),
                    None => {}
                },
                other => value.push(other),
            }
        }
        labels.push((name.trim_start_matches(',').to_owned(), value));
        text = rest.get(end..).unwrap_or_default();
    }
    labels
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "they are counts")]
fn whole(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"# HELP requests Answered requests.
# TYPE requests counter
requests_total{route="/a/{b}",status="2xx"} 3
requests_total{route="a\"b\\c\nd",status="5xx"} 1
# HELP seconds Time.
# TYPE seconds histogram
seconds_sum{route="/a"} 0.75
seconds_count{route="/a"} 3
seconds_bucket{le="0.5",route="/a"} 2
seconds_bucket{le="1.0",route="/a"} 3
seconds_bucket{le="+Inf",route="/a"} 3
# HELP build The program.
# TYPE build info
build_info{version="1"} 1
# HELP empty Nothing yet.
# TYPE empty gauge
# HELP open Connections.
# TYPE open gauge
open 4
# EOF
"#;

    #[test]
    fn each_kind_of_metric_is_read() {
        let metrics = read(TEXT, Times { since_ns: 1, now_ns: 2 });
        let names: Vec<&str> = metrics.iter().map(|metric| metric.name.as_str()).collect();
        assert_eq!(names, ["requests", "seconds", "build_info", "open"]);
        assert_eq!(metrics[0].description, "Answered requests");
        let Some(Data::Sum(sum)) = &metrics[0].data else { panic!("{:?}", metrics[0]) };
        assert!(sum.is_monotonic && sum.aggregation_temporality == CUMULATIVE);
        let point = &sum.data_points[1];
        assert_eq!(point.value, Some(number_data_point::Value::AsDouble(1.0)));
        assert_eq!(point.attributes, [text("route", "a\"b\\c\nd"), text("status", "5xx")]);
        assert_eq!((point.start_time_unix_nano, point.time_unix_nano), (1, 2));
        let Some(Data::Histogram(histogram)) = &metrics[1].data else { panic!("{:?}", metrics[1]) };
        let [point] = histogram.data_points.as_slice() else { panic!("{histogram:?}") };
        assert_eq!((point.count, point.sum), (3, Some(0.75)));
        assert_eq!(
            (point.bucket_counts.as_slice(), point.explicit_bounds.as_slice()),
            (&[2, 1, 0][..], &[0.5, 1.0][..])
        );
        assert_eq!(point.attributes, [text("route", "/a")]);
        assert!(matches!(&metrics[3].data, Some(Data::Gauge(gauge)) if gauge.data_points.len() == 1));
    }
}
