//! Ways through a document.

use serde_json::{Map, Value};

/// Where schemas are.
pub(super) const SCHEMAS: &str = "#/components/schemas/";

pub(super) type Object = Map<String, Value>;

/// Calls `change` for every object, outermost first.
pub(super) fn visit(value: &mut Value, change: &mut impl FnMut(&mut Object)) {
    match value {
        Value::Object(object) => {
            change(object);
            object.values_mut().for_each(|value| visit(value, change));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| visit(value, change)),
        _ => {}
    }
}

/// Every object, outermost first.
pub(super) fn for_each_object(value: &Value, see: &mut impl FnMut(&Object)) {
    match value {
        Value::Object(object) => {
            see(object);
            object.values().for_each(|value| for_each_object(value, see));
        }
        Value::Array(values) => values.iter().for_each(|value| for_each_object(value, see)),
        _ => {}
    }
}

pub(super) fn object_at<'v>(value: &'v mut Value, path: &[&str]) -> Option<&'v mut Object> {
    path.iter().try_fold(value, |value, name| value.get_mut(*name))?.as_object_mut()
}

/// Every operation, with its path and method.
pub(super) fn operations(document: &mut Value) -> impl Iterator<Item = (&str, &str, &mut Object)> {
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    paths.into_iter().flatten().flat_map(|(path, item)| {
        let methods = item.as_object_mut().into_iter().flatten();
        methods.filter_map(move |(method, operation)| {
            operation.as_object_mut().map(|operation| (path.as_str(), method.as_str(), operation))
        })
    })
}

/// The name of the schema that an object refers to.
pub(super) fn referenced_schema(object: &Object) -> Option<&str> {
    object.get("$ref")?.as_str()?.strip_prefix(SCHEMAS)
}
