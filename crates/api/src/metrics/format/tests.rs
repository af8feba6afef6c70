use super::*;

#[test]
fn what_is_asked_for_is_answered() {
    let prometheus = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1";
    for (accept, format) in [
        (None, Format::Text),
        (Some(""), Format::Text),
        (Some("*/*"), Format::Text),
        (Some("text/plain"), Format::Text),
        (Some("text/html, application/json"), Format::Text),
        (Some("application/openmetrics-text"), Format::OpenMetrics),
        (Some("Application/OpenMetrics-Text; version=1.0.0"), Format::OpenMetrics),
        (Some(prometheus), Format::OpenMetrics),
        (Some("application/openmetrics-text;q=0.1, text/plain;q=0.9"), Format::Text),
        (Some("application/openmetrics-text;q=0"), Format::Text),
    ] {
        assert_eq!(Format::accepted(accept), format, "{accept:?}");
    }
}

#[test]
fn text_has_the_names_of_its_samples() {
    let open_metrics = "\
# HELP requests Answered requests.
# TYPE requests counter
requests_total{route=\"# TYPE requests counter\"} 3
# HELP build The program.
# TYPE build info
build_info{version=\"1\"} 1
# HELP took_seconds How long.
# TYPE took_seconds histogram
# UNIT took_seconds seconds
took_seconds_sum 1.5
took_seconds_count 1
took_seconds_bucket{le=\"+Inf\"} 1
# HELP open Open.
# TYPE open gauge
open 2
# EOF
";
    let text = "\
# HELP requests_total Answered requests.
# TYPE requests_total counter
requests_total{route=\"# TYPE requests counter\"} 3
# HELP build_info The program.
# TYPE build_info gauge
build_info{version=\"1\"} 1
# HELP took_seconds How long.
# TYPE took_seconds histogram
took_seconds_sum 1.5
took_seconds_count 1
took_seconds_bucket{le=\"+Inf\"} 1
# HELP open Open.
# TYPE open gauge
open 2
";
    assert_eq!(Format::Text.write(open_metrics.to_owned()), text);
    assert_eq!(Format::OpenMetrics.write(open_metrics.to_owned()), open_metrics);
}
