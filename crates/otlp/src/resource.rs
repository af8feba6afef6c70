//! What sends: the resource of all spans and metrics.

use opentelemetry_proto::tonic::{
    common::v1::{AnyValue, KeyValue, any_value::Value},
    resource::v1::Resource,
};
use percent_encoding::percent_decode_str;

/// The name of the service when the environment has none.
const SERVICE: &str = "muster";

/// An attribute that is a text.
pub(crate) fn text(name: impl Into<String>, value: impl Into<String>) -> KeyValue {
    attribute(name, Value::StringValue(value.into()))
}

/// An attribute.
pub(crate) fn attribute(name: impl Into<String>, value: Value) -> KeyValue {
    KeyValue { key: name.into(), value: Some(AnyValue { value: Some(value) }), ..KeyValue::default() }
}

/// This process, by the values of `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` (`name=value,…`,
/// percent-encoded).
pub(crate) fn of_process(name: Option<&str>, attributes: Option<&str>, version: &str) -> Resource {
    let mut all = vec![
        text("service.name", SERVICE),
        text("service.version", version),
        text("service.instance.id", uuid::Uuid::new_v4().to_string()),
    ];
    let given = attributes.unwrap_or_default().split(',').filter_map(|pair| pair.split_once('='));
    let given = given.map(|(name, value)| (name.trim(), percent_decode_str(value.trim()).decode_utf8_lossy()));
    for (name, value) in given.chain(name.map(|name| ("service.name", name.into()))) {
        if name.is_empty() || value.is_empty() {
            continue;
        }
        all.retain(|known| known.key != name);
        all.push(text(name, value));
    }
    Resource { attributes: all, ..Resource::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(resource: &Resource, name: &str) -> Option<String> {
        let found = resource.attributes.iter().find(|known| known.key == name)?;
        match found.value.as_ref()?.value.as_ref()? {
            Value::StringValue(text) => Some(text.clone()),
            _ => None,
        }
    }

    #[test]
    fn the_environment_names_the_service() {
        let resource = of_process(None, None, "1.2.3");
        assert_eq!(value(&resource, "service.name").as_deref(), Some("muster"));
        assert_eq!(value(&resource, "service.version").as_deref(), Some("1.2.3"));
        let attributes = "service.name=lost, deployment.environment.name=a%20b,nonsense,=x,service.instance.id=one";
        let resource = of_process(Some("it-operations"), Some(attributes), "1");
        assert_eq!(value(&resource, "service.name").as_deref(), Some("it-operations"));
        assert_eq!(value(&resource, "deployment.environment.name").as_deref(), Some("a b"));
        assert_eq!(value(&resource, "service.instance.id").as_deref(), Some("one"));
        assert_eq!(resource.attributes.len(), 4);
    }
}
