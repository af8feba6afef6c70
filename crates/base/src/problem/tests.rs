use super::*;

#[test]
fn what_is_wrong_already_is_told_once() {
    let mut wrong = FieldErrors::new(vec![FieldError::new("list[1]", "must be an object")]);
    for field in ["list[1]", "list[1].id", "list[10].id", "list", "listing"] {
        wrong.add(field, "is unknown");
    }
    assert!(wrong.has("list") && wrong.has("listing") && !wrong.has("lis"));
    let told: Vec<String> = wrong.check().unwrap_err().errors.into_iter().map(|error| error.field_name).collect();
    assert_eq!(told, ["list[1]", "list[10].id", "list", "listing"]);
    assert_eq!(FieldErrors::default().check(), Ok(()));
    let mut wrong = FieldErrors::default();
    assert_eq!(wrong.take(Ok(1)), Ok(Some(1)));
    assert_eq!(wrong.take::<i32>(Err(Problem::field("to", "is required"))), Ok(None));
    assert_eq!(wrong.take::<i32>(Err(Problem::internal())), Err(Problem::internal()));
    assert!(wrong.has("to"));
}

#[test]
fn each_kind_has_its_status_and_code() {
    let table = [
        (Kind::Invalid, 400, "0002"),
        (Kind::Unauthenticated, 401, "invalid_token"),
        (Kind::Forbidden, 403, "0006"),
        (Kind::NotFound, 404, "0003"),
        (Kind::MethodNotAllowed, 405, "0002"),
        (Kind::Conflict, 409, "0004"),
        (Kind::PreconditionFailed, 412, "0004"),
        (Kind::TooLarge, 413, "0002"),
        (Kind::UriTooLong, 414, "0002"),
        (Kind::UnsupportedMediaType, 415, "0002"),
        (Kind::KeyReused, 422, "0002"),
        (Kind::Throttled, 429, "throttled"),
        (Kind::Internal, 500, "0005"),
        (Kind::Unavailable, 503, "0005"),
    ];
    for (kind, status, code) in table {
        assert_eq!((kind.status(), kind.code()), (status, code), "{kind:?}");
    }
}

#[test]
fn the_body_has_the_members_in_order() {
    let problem = Problem::not_found("Roster not found");
    assert_eq!(
        problem.to_json("r-1").to_string(),
        concat!(
            r#"{"type":"about:blank","title":"Not Found","status":404,"detail":"Roster not found","#,
            r#""code":"0003","message":"Roster not found","requestId":"r-1"}"#
        )
    );
    assert_eq!(problem.to_string(), "Not Found: Roster not found");
}

#[test]
fn all_refused_fields_are_listed() {
    let problem = Problem::fields(vec![
        FieldError::new("name", "is required"),
        FieldError::new("shiftDetails[2].name", "must be a string"),
    ]);
    assert_eq!(problem.detail, "name: is required; shiftDetails[2].name: must be a string");
    let expected = json!([
        {"code": "0002", "fieldName": "name", "message": "is required"},
        {"code": "0002", "fieldName": "shiftDetails[2].name", "message": "must be a string"},
    ]);
    assert_eq!(problem.to_json("r-1").get("errors"), Some(&expected));
    assert_eq!(Problem::field("name", "is required").detail, "name: is required");
}

#[test]
fn the_sentence_names_ten_fields() {
    let errors = (0..13).map(|number| FieldError::new(format!("f{number}"), "is bad"));
    let problem = Problem::fields(errors.collect());
    assert!(problem.detail.ends_with("f9: is bad; and 3 more"), "{}", problem.detail);
    assert_eq!(problem.errors.len(), 13);
}

#[test]
fn a_client_can_wait_and_retry() {
    assert_eq!(Problem::unavailable("The service is busy.").retry_after, Some(1));
    assert_eq!(Problem::internal().retry_after, None);
}

#[test]
fn repeated_text_is_short_and_visible() {
    assert_eq!(shorten("a\0b\nc"), "a\u{FFFD}b\u{FFFD}c");
    assert_eq!(shorten(&"ä".repeat(64)), "ä".repeat(64));
    assert_eq!(shorten(&"ä".repeat(65)), format!("{}…", "ä".repeat(64)));
}
