use super::{shared::SHARING_MINIMUM, *};

/// What is published of a document with these schemas, of which an operation takes `Asked` and answers `Answered`.
fn document(schemas: Value) -> Value {
    let body = |name: &str| json!({"application/json": {"schema": {"$ref": format!("{SCHEMAS}{name}")}}});
    let operation = |id: &str| {
        json!({
            "operationId": id, "tags": ["things"],
            "parameters": [
                {"name": "pageNo", "in": "query", "schema": {"type": ["integer", "null"]}},
                {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}},
            ],
            "requestBody": {"content": body("Asked")},
            "responses": {"200": {"description": "Done", "content": body("Answered")}},
            "security": [{"bearer": ["viewer"]}],
        })
    };
    let paths: Object = (0..SHARING_MINIMUM)
        .map(|number| (format!("/things{number}"), json!({"post": operation(&format!("o{number}"))})))
        .collect();
    let mut document = json!({
        "openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths,
        "components": {"schemas": schemas, "responses": {"Unused": {"description": "d"}}},
    });
    document["components"]["schemas"]["Problem"] = json!({"type": "object"});
    refine(&mut document);
    document
}

fn text() -> Value {
    json!({"type": ["string", "null"], "default": null})
}

#[test]
fn null_is_for_requests() {
    let optional =
        |name: &str| json!({"oneOf": [{"$ref": format!("{SCHEMAS}{name}"), "description": "d"}, {"type": "null"}]});
    let made = document(json!({
        "Asked": {"type": "object", "properties": {"a": text(), "both": optional("Both")}},
        "Answered": {"type": "object", "properties": {"a": text(), "both": optional("Both"), "own": optional("Own")}},
        "Both": {"type": "object", "properties": {"a": text()}},
        "Own": {"type": "object", "properties": {"a": text()}},
    }));
    let schemas = &made["components"]["schemas"];
    assert_eq!(schemas["Asked"]["properties"]["a"]["type"], json!(["string", "null"]));
    assert_eq!(schemas["Asked"]["properties"]["both"]["oneOf"][1], json!({"type": "null"}));
    assert_eq!(schemas["Both"]["properties"]["a"]["type"], json!(["string", "null"]));
    assert_eq!(schemas["Answered"]["properties"]["a"], json!({"type": "string"}));
    assert_eq!(schemas["Own"]["properties"]["a"]["type"], json!("string"));
    let own = json!({"description": "d", "allOf": [{"$ref": format!("{SCHEMAS}Own")}]});
    assert_eq!(schemas["Answered"]["properties"]["own"], own);
    let parameter = &made["components"]["parameters"]["PageNo"];
    assert_eq!(parameter["schema"]["type"], json!("integer"));
}

#[test]
fn what_is_shared_stands_once_and_what_is_unused_nowhere() {
    let made = document(json!({
        "Asked": {"type": "object"},
        "Answered": {"$ref": format!("{SCHEMAS}PageOf_Thing_Author")},
        "PageOf_Thing_Author": {"type": "object",
            "properties": {"results": {"type": "array", "items": {"type": "object"}}}},
        "Thing": {"type": "object"},
        "Nobody": {"type": "object"},
    }));
    let components = &made["components"];
    let page = &components["schemas"]["ThingPage"];
    assert_eq!(page["properties"]["results"]["items"], json!({"$ref": format!("{SCHEMAS}Thing")}));
    assert_eq!(components["schemas"]["Answered"], json!({"$ref": format!("{SCHEMAS}ThingPage")}));
    assert!(components["schemas"].get("Nobody").is_none() && components["responses"].get("Unused").is_none());
    let operation = &made["paths"]["/things0"]["post"];
    let names = ["PageNo", "IdempotencyKey"].map(|name| json!({"$ref": format!("#/components/parameters/{name}")}));
    assert_eq!(operation["parameters"], json!(names));
    assert_eq!(operation["responses"]["422"], json!({"$ref": "#/components/responses/KeyUsed"}));
    assert_eq!(operation["responses"]["409"], json!({"$ref": "#/components/responses/Conflict"}));
    assert!(operation["responses"]["200"]["headers"].get("X-RateLimit-Reset").is_some());
}

#[test]
fn the_members_of_a_union_tell_what_they_are() {
    let member = |name: &str, value: &str| {
        json!({"allOf": [
            {"$ref": format!("{SCHEMAS}{name}"), "description": "d"},
            {"type": "object", "required": ["type"], "properties": {"type": {"type": "string", "enum": [value]}}},
        ]})
    };
    let made = document(json!({
        "Asked": {"oneOf": [member("Once", "one"), member("Often", "many")]},
        "Answered": {"type": "object", "properties": {"type": {"type": "string", "pattern": "^one-time$"}}},
        "Once": {"type": "object", "required": ["at"], "properties": {"at": {"type": "string"}}},
        "Often": {"type": "object", "properties": {"each": {"type": "string"}}},
    }));
    let schemas = &made["components"]["schemas"];
    let mapping = json!({"one": format!("{SCHEMAS}Once"), "many": format!("{SCHEMAS}Often")});
    assert_eq!(schemas["Asked"]["discriminator"], json!({"propertyName": "type", "mapping": mapping}));
    assert_eq!(schemas["Asked"]["oneOf"][0], json!({"$ref": format!("{SCHEMAS}Once")}));
    assert_eq!(schemas["Once"]["required"], json!(["type", "at"]));
    assert_eq!(
        schemas["Often"]["properties"]["type"],
        json!({"type": "string", "description": "Always `many`.", "enum": ["many"], "default": "many"})
    );
    assert_eq!(schemas["Answered"]["properties"]["type"], json!({"type": "string", "enum": ["one-time"]}));
}

#[test]
fn parts_are_joined_and_an_answer_without_a_body_is_an_empty_object() {
    let whole = json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}});
    let more = json!({"type": "object", "required": ["b"], "properties": {"b": {"type": "boolean"}}});
    let mut made = json!({
        "paths": {"/a": {"delete": {"responses": {"200": {"description": "Gone"}}}}},
        "components": {"schemas": {
            "Whole": whole, "Named": {"allOf": [{"$ref": format!("{SCHEMAS}Whole")}], "description": "d"},
        }},
    });
    refine(&mut made);
    let answer = &made["paths"]["/a"]["delete"]["responses"]["200"]["content"]["application/json"]["schema"];
    assert_eq!(*answer, json!({"$ref": format!("{SCHEMAS}Nothing")}));
    let made = document(json!({
        "Asked": {"type": "object"}, "Whole": whole,
        "Named": {"allOf": [{"$ref": format!("{SCHEMAS}Whole")}], "description": "d"},
        "Answered": {"description": "e", "allOf": [{"$ref": format!("{SCHEMAS}Named")}, more]},
    }));
    let joined = &made["components"]["schemas"]["Answered"];
    assert_eq!(joined["required"], json!(["a", "b"]));
    assert_eq!(joined["properties"], json!({"a": {"type": "string"}, "b": {"type": "boolean"}}));
    assert_eq!((&joined["description"], joined.get("allOf")), (&json!("e"), None));
}

#[test]
fn a_field_that_tells_a_union_apart_is_named() {
    let member = |pattern: &str| {
        json!({"type": "object", "required": ["id", "kind"], "properties": {
            "id": {"type": "string"}, "kind": {"type": "string", "pattern": pattern},
        }})
    };
    let union = |names: [&str; 2]| json!({"oneOf": names.map(|name| json!({"$ref": format!("{SCHEMAS}{name}")}))});
    let refer = |name: &str| json!({"$ref": format!("{SCHEMAS}{name}"), "description": "d"});
    let made = document(json!({
        "Asked": {"type": "object", "properties": {"pet": refer("Answered"), "cat": refer("Either")}},
        "Answered": union(["Cat", "Dog"]), "Either": union(["Cat", "Lion"]),
        "Cat": member("^cat$"), "Dog": member("^(dog|wild_dog)$"), "Lion": member("^(lion|cat)$"),
    }));
    let schemas = &made["components"]["schemas"];
    let mapping = json!({
        "cat": format!("{SCHEMAS}Cat"), "dog": format!("{SCHEMAS}Dog"), "wild_dog": format!("{SCHEMAS}Dog"),
    });
    assert_eq!(schemas["Answered"]["discriminator"], json!({"propertyName": "kind", "mapping": mapping}));
    assert!(schemas["Either"].get("discriminator").is_none(), "a cat may be either");
    let properties = &schemas["Asked"]["properties"];
    assert_eq!(properties["pet"], json!({"$ref": format!("{SCHEMAS}Answered")}));
    assert_eq!(properties["cat"]["description"], json!("d"));
}

#[test]
fn the_older_form_has_no_word_of_the_newer() {
    let made = document(json!({
        "Asked": {"oneOf": [
            {"$ref": format!("{SCHEMAS}Answered")},
            {"type": "array", "items": {"$ref": format!("{SCHEMAS}Answered")}},
        ]},
        "Answered": {"type": "object", "properties": {
            "a": text(), "any": {"type": ["string", "integer"]},
            "one": {"oneOf": [{"$ref": format!("{SCHEMAS}One")}, {"type": "null"}]},
        }},
        "One": {"type": "object"},
    }));
    let older = in_3_0(&made);
    assert_eq!(older["openapi"], json!("3.0.3"));
    let schemas = &older["components"]["schemas"];
    assert_eq!(schemas["Asked"], json!({"type": "array", "items": {"$ref": format!("{SCHEMAS}Answered")}}));
    let properties = &schemas["Answered"]["properties"];
    assert_eq!(properties["a"], json!({"type": "string", "nullable": true}));
    assert_eq!(properties["any"], json!({}));
    assert_eq!(properties["one"], json!({"nullable": true, "allOf": [{"$ref": format!("{SCHEMAS}One")}]}));
}

#[test]
fn a_plain_value_stands_alone_and_may_be_null() {
    let word = json!({"type": "string", "enum": ["A", "B"]});
    let made = document(json!({
        "Asked": {"type": "object", "properties": {
            "word": {"oneOf": [{"type": "null"}, word], "description": "Which one."},
            "several": {"type": ["string", "null"], "pattern": "^(one|run once)$"},
            "time": {"allOf": [{"type": "string", "pattern": "^[0-9]+$"},
                {"type": "object", "description": "When.", "example": "1"}]},
            "steps": {"type": "array", "items": {"type": "string"}, "minItems": 1, "default": []},
        }},
        "Answered": {"type": "object", "properties": {"word": {"oneOf": [{"type": "null"}, word]}}},
    }));
    let asked = &made["components"]["schemas"]["Asked"]["properties"];
    assert_eq!(
        asked["word"],
        json!({"description": "Which one.", "type": ["string", "null"], "enum": ["A", "B", null]})
    );
    assert_eq!(asked["several"]["enum"], json!(["one", "run once", null]));
    assert_eq!(asked["time"], json!({"type": "string", "pattern": "^[0-9]+$", "description": "When.", "example": "1"}));
    assert_eq!(asked["steps"].get("default"), None);
    let answered = &made["components"]["schemas"]["Answered"]["properties"]["word"];
    assert_eq!(*answered, json!({"type": "string", "enum": ["A", "B"]}));
}
