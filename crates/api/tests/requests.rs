//! `#[derive(api::Request)]` and `#[derive(api::Parameters)]`: reader and document say the same.

use api::{
    List, ListOf, PageQuery, Parameters, Request,
    context::{FromQuery as _, NoQuery},
};
use base::{
    Timestamp,
    body::{FromBody as _, Request as _},
    problem::Problem,
};
use serde_json::{Value, json};
use utoipa::{IntoParams as _, PartialSchema as _, ToSchema as _};

const COLOURS: [&str; 2] = ["RED", "GREEN"];
const LONGEST: usize = 10;

/// A box.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(schema = "BoxInput", check = not_too_full)]
#[request(update(name = BoxChange, schema = "BoxUpdate", doc = "The changes; what is left out stays as it is."))]
struct NewBox {
    /// What people call it.
    #[request(line, chars = LONGEST, also = ["title"])]
    name: String,
    /// Any text.
    #[request(default)]
    note: String,
    /// Red by default.
    #[request(words = COLOURS, default = "RED")]
    colour: &'static str,
    /// How many fit.
    #[request(range = 1..=9)]
    room: i64,
    /// What is in it.
    #[request(items = 1..=3)]
    things: Option<Vec<Thing>>,
    /// A letter each.
    #[request(chars = 1, pattern = "^[a-z]$")]
    marks: Option<Vec<String>>,
    /// Lower case.
    #[request(parse = small)]
    label: Option<String>,
    /// Until when; `null` for ever.
    until: Option<Option<Timestamp>>,
    /// How it is closed.
    lid: Option<Lid>,
    /// Read by hand.
    #[request(with = doubled, schema = i64, name = "halfDepth")]
    depth: Option<i64>,
    /// Only told at first.
    #[request(create, default)]
    open: bool,
}

/// A thing in a box.
#[derive(Clone, Debug, PartialEq, Request)]
struct Thing {
    /// Which one.
    #[request(filled)]
    id: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Request, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
enum Lid {
    Screwed,
    #[serde(rename = "just-put-on")]
    Loose,
}

fn small(text: String) -> Result<String, &'static str> {
    if text.contains(' ') { Err("must be one word") } else { Ok(text.to_lowercase()) }
}

fn doubled(fields: &mut base::Fields<'_>, name: &str) -> Option<i64> {
    fields.integer(name).map(|half| 2 * half)
}

fn not_too_full(new: &NewBox, fields: &mut base::Fields<'_>) {
    if new.things.iter().flatten().count() as i64 > new.room {
        fields.error("things", "do not fit");
    }
}

fn errors<T>(result: Result<T, Problem>) -> Vec<(String, String)> {
    let errors = result.err().map(|problem| problem.errors).unwrap_or_default();
    errors.into_iter().map(|error| (error.field_name, error.message)).collect()
}

#[test]
fn a_body_is_read_whole() {
    let body = json!({"title": " Tools ", "colour": "green", "room": "3", "things": [{"id": "a"}], "label": "Big",
        "until": null, "lid": "JUST-PUT-ON", "halfDepth": 2, "open": "true"});
    let read = NewBox::parse(&body).unwrap();
    let things = Some(vec![Thing { id: "a".to_owned() }]);
    assert_eq!((read.name.as_str(), read.colour, read.room, read.things), ("Tools", "GREEN", 3, things));
    assert_eq!((read.label.as_deref(), read.until, read.lid), (Some("big"), Some(None), Some(Lid::Loose)));
    assert_eq!((read.depth, read.open, read.note.as_str()), (Some(4), true, ""));
}

#[test]
fn every_error_is_told_by_its_path() {
    let body = json!({"name": "a\nb", "colour": "blue", "room": 10, "things": [{"id": " "}, 7], "label": "a b",
        "until": "soon", "lid": "open"});
    let told = errors(NewBox::parse(&body));
    let expected = [
        ("name", "must not contain control characters"),
        ("colour", "must be one of: RED, GREEN"),
        ("room", "must be an integer from 1 to 9"),
        ("things[1]", "must be an object"),
        ("things[0].id", "is required"),
        ("label", "must be one word"),
        ("until", "must be a time such as 2026-11-20T20:37:00+0000"),
        ("lid", "must be one of: screwed, just-put-on"),
        // What stands for a wrong value is checked with the rest; nothing of it is used.
        ("things", "do not fit"),
    ];
    let expected = expected.map(|(field, message)| (field.to_owned(), message.to_owned()));
    assert_eq!(told, expected);
    let missing = errors(NewBox::parse(&json!({"things": []})));
    let named: Vec<&str> = missing.iter().map(|(field, _)| field.as_str()).collect();
    assert_eq!(named, ["name", "room", "things"]);
}

#[test]
fn an_update_leaves_out_what_it_likes() {
    let change = BoxChange::parse(&json!({"colour": "RED"})).unwrap();
    assert_eq!(change, BoxChange { colour: Some("RED"), ..BoxChange::default() });
    assert_eq!(errors(BoxChange::parse(&json!({"room": 0}))).len(), 1);
}

#[test]
fn the_document_has_the_limits_of_the_reader() {
    assert_eq!((NewBox::name(), BoxChange::name()), ("BoxInput".into(), "BoxUpdate".into()));
    let schema = serde_json::to_value(NewBox::schema()).unwrap();
    assert_eq!(schema["required"], json!(["name", "room"]));
    let properties = &schema["properties"];
    assert_eq!(properties["name"]["maxLength"], json!(10));
    assert_eq!(properties["name"]["description"], json!("What people call it."));
    assert_eq!(properties["note"]["maxLength"], json!(4000));
    // What may be left out may be null, of words too.
    assert_eq!(properties["colour"]["enum"], json!(["RED", "GREEN", null]));
    assert_eq!(properties["colour"]["type"], json!(["string", "null"]));
    assert_eq!(properties["name"]["pattern"], json!(r"\S"));
    assert_eq!(properties["note"].get("pattern"), None);
    assert_eq!(properties["until"]["pattern"], json!(base::Timestamp::PATTERN));
    assert_eq!(
        (&properties["marks"]["items"]["pattern"], &properties["marks"]["items"]["maxLength"]),
        (&json!("^[a-z]$"), &json!(1))
    );
    assert_eq!((&properties["room"]["minimum"], &properties["room"]["maximum"]), (&json!(1), &json!(9)));
    assert_eq!(properties["things"]["maxItems"], json!(3));
    assert_eq!(properties["halfDepth"]["type"], json!(["integer", "null"]));
    let update = serde_json::to_value(BoxChange::schema()).unwrap();
    assert_eq!(update.get("required"), None);
    assert_eq!(update["properties"].get("open"), None);
    assert_eq!(update["properties"]["name"]["maxLength"], json!(10));
}

/// How a box is moved, by its `type`.
#[derive(Clone, Debug, PartialEq, serde::Serialize, utoipa::ToSchema, Request)]
#[serde(tag = "type")]
#[schema(as = BoxMove)]
#[request(otherwise = Carried)]
enum Move {
    /// By people.
    #[serde(rename = "carried")]
    Carried(Carried),
    /// By post.
    #[serde(rename = "sent")]
    Sent(Sent),
}

/// By people.
#[derive(Clone, Debug, PartialEq, serde::Serialize, Request)]
#[request(schema = "BoxCarried")]
struct Carried {
    /// By how many.
    #[request(range = 1..=4)]
    people: i64,
}

/// By post.
#[derive(Clone, Debug, PartialEq, serde::Serialize, Request)]
#[request(schema = "BoxSent", check = insured)]
struct Sent {
    /// Out of the country?
    #[request(default)]
    abroad: bool,
    /// What the customs are told.
    #[request(when = base::body::says("abroad", &["true"]), blank)]
    contents: Option<String>,
    /// What is paid when it is lost.
    #[request(blank)]
    value: Option<i64>,
}

/// A box that is moved.
#[derive(Clone, Debug, PartialEq, Request)]
struct Moved {
    /// How.
    how: Move,
}

fn insured(sent: &mut Sent, fields: &mut base::Fields<'_>) {
    if sent.abroad && fields.is_blank("contents") {
        fields.error("contents", "is required");
    }
    sent.value = sent.value.or(Some(100));
}

#[test]
fn a_union_is_told_apart_by_a_field() {
    let read = |how: Value| Moved::parse(&json!({"how": how})).map(|moved| moved.how);
    assert_eq!(read(json!({"type": "CARRIED", "people": "2"})), Ok(Move::Carried(Carried { people: 2 })));
    let sent = |abroad, contents: Option<&str>, value| {
        Ok(Move::Sent(Sent { abroad, contents: contents.map(str::to_owned), value }))
    };
    assert_eq!(read(json!({"type": "sent", "contents": 5, "value": " "})), sent(false, None, Some(100)));
    let abroad = json!({"type": "sent", "abroad": "True", "contents": "tools", "value": 7});
    assert_eq!(read(abroad.clone()), sent(true, Some("tools"), Some(7)));
    assert_eq!(
        serde_json::to_value(read(json!({"type": "carried", "people": 2})).unwrap()).unwrap()["type"],
        "carried"
    );
    let told = |how: Value| errors(read(how)).into_iter().map(|(name, message)| format!("{name} {message}"));
    let of_word = "how.type must be one of: carried, sent".to_owned();
    assert_eq!(
        told(json!({"type": "thrown", "people": 9})).collect::<Vec<_>>(),
        [of_word, "how.people must be an integer from 1 to 4".to_owned()]
    );
    assert_eq!(told(json!({})).collect::<Vec<_>>(), ["how.type is required", "how.people is required"]);
    assert_eq!(told(json!({"type": "sent", "abroad": "true"})).collect::<Vec<_>>(), ["how.contents is required"]);
    assert_eq!(errors(Moved::parse(&json!({}))), [("how".to_owned(), "is required".to_owned())]);
    // What is not read of it is as if nobody knew it.
    let (_, ignored) = base::body::ignored::collect(|| read(json!({"type": "sent", "contents": "x", "people": 1})));
    assert_eq!(ignored, ["how.contents", "how.people"]);
}

#[test]
fn a_union_is_documented_with_its_words() {
    let schema = serde_json::to_value(Move::schema()).unwrap();
    let parts = &schema["oneOf"][1]["allOf"];
    assert_eq!(parts[0]["$ref"], "#/components/schemas/BoxSent");
    assert_eq!(parts[1]["properties"]["type"]["enum"], json!(["sent"]));
    assert_eq!(serde_json::to_value(Sent::schema()).unwrap().get("required"), None);
}

/// What a list of boxes has of its own.
#[derive(Clone, Debug, PartialEq, Parameters)]
struct BoxParameters {
    /// Only of this colour.
    #[request(words = COLOURS, default = "RED", example = "RED")]
    colour: &'static str,
    /// With what is in them.
    #[request(default = true)]
    with_things: bool,
    /// Since when.
    since: Option<Timestamp>,
    /// How many.
    #[request(default = 3, range = 1..=9)]
    most: i64,
}

#[derive(Clone, Debug)]
struct Boxes;

impl List for Boxes {
    const SORT: &'static str = "name";
    const PAGE_SIZE: u32 = 20;
    const FILTER: &'static str = "name:tools";

    fn sorts() -> Vec<&'static str> {
        vec!["name", "room"]
    }
}

#[test]
fn the_parameters_of_a_list_are_read_to_the_end() {
    type Query = PageQuery<Boxes, BoxParameters>;
    let query = Query::from_query("sortName=room&colour=green&withThings=false&queryString=a%3Ab", "/boxes").unwrap();
    assert_eq!((query.sort.name, query.filter.as_str()), ("room", "a:b"));
    assert_eq!(query.own, BoxParameters { colour: "GREEN", with_things: false, since: None, most: 3 });
    let told = errors(Query::from_query("sortName=weight&colour=blue&since=now&size=3", "/boxes"));
    let named: Vec<&str> = told.iter().map(|(field, _)| field.as_str()).collect();
    assert_eq!(named, ["sortName", "colour", "since", "size"]);
    let told = errors(Query::from_query("most=10", "/boxes"));
    assert_eq!(told, [("most".to_owned(), "must be an integer from 1 to 9".to_owned())]);
    let parameters = serde_json::to_value(Query::into_params(|| None)).unwrap();
    let names: Vec<&str> = parameters.as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    let expected = [
        "colour",
        "withThings",
        "since",
        "most",
        "pageNo",
        "pageSize",
        "cursor",
        "sortName",
        "isDescendingOrder",
        "queryString",
    ];
    assert_eq!(names, expected);
    assert_eq!(parameters[0]["schema"]["enum"], json!(["RED", "GREEN"]));
    assert_eq!(parameters[2]["schema"]["pattern"], json!(base::Timestamp::PATTERN));
    assert_eq!((&parameters[3]["schema"]["minimum"], &parameters[3]["schema"]["maximum"]), (&json!(1), &json!(9)));
    assert_eq!(parameters[7]["schema"]["enum"], json!(["name", "room"]));
    assert_eq!(parameters[5]["example"], Value::from(20));
}

#[derive(Clone, Debug)]
struct Oldest;

impl List for Oldest {
    const SORT: &'static str = "age";
    const DESCENDING: bool = true;
}

#[test]
fn a_list_of_one_order_has_no_parameters_for_it() {
    type Query = PageQuery<Oldest>;
    let query = Query::from_query("pageNo=2", "/oldest").unwrap();
    assert_eq!((query.sort.name, query.sort.descending), ("age", true));
    let named = errors(Query::from_query("sortName=age&isDescendingOrder=true&queryString=a%3Ab", "/oldest"));
    assert_eq!(named.len(), 3, "{named:?}");
    let parameters = serde_json::to_value(Query::into_params(|| None)).unwrap();
    let names: Vec<&str> = parameters.as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["pageNo", "pageSize", "cursor"]);
}

#[test]
fn a_body_of_several_is_documented_as_long_as_it_may_be() {
    type Things = ListOf<Thing, 1, 2>;
    let read = |body| Things::from_body(body).map(|things| things.0.len());
    assert_eq!(read(json!([{"id": "a"}, {"id": "b"}])), Ok(2));
    let told = errors(read(json!([{"id": "a"}, {}])));
    assert_eq!(told, [("[1].id".to_owned(), "is required".to_owned())]);
    for wrong in [json!([]), json!([{"id": "a"}, {"id": "a"}, {"id": "a"}]), json!({"id": "a"})] {
        assert_eq!(errors(read(wrong.clone()))[0].0, "body", "{wrong}");
    }
    let schema = serde_json::to_value(Things::schema()).unwrap();
    assert_eq!((&schema["minItems"], &schema["maxItems"]), (&json!(1), &json!(2)));
}

#[test]
fn without_parameters_any_is_refused() {
    assert!(NoQuery::from_query("", "/boxes").is_ok());
    assert_eq!(errors(NoQuery::from_query("a=1", "/boxes")), [("a".to_owned(), "unknown parameter".to_owned())]);
}

#[test]
fn a_create_may_need_more_than_the_update_of_the_same_fields() {
    let schema = serde_json::to_value(api::spec::requiring(BoxChange::schema(), &["name", "colour"])).unwrap();
    assert_eq!(schema["required"], json!(["name", "colour"]));
    assert_eq!(schema["properties"]["name"]["type"], json!("string"));
    assert_eq!(schema["properties"]["colour"]["enum"], json!(["RED", "GREEN"]));
    assert_eq!(schema["properties"]["note"]["type"], json!(["string", "null"]));
}
