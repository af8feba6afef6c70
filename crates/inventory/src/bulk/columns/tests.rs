use super::{
    super::{
        reader::{Format, Reader},
        row::Row,
    },
    *,
};

fn rows(text: &str) -> Result<Vec<Row>, Stop> {
    let mut reader = Reader::new(Format::Csv, "client_1");
    reader.push(text.as_bytes())?;
    reader.end()?;
    Ok(reader.take(usize::MAX))
}

fn entry(text: &str) -> Entry {
    rows(text).unwrap().remove(0).entry.unwrap()
}

fn errors(text: &str) -> Vec<String> {
    let errors = rows(text).unwrap().remove(0).entry.unwrap_err().into_iter();
    errors.map(|error| format!("{}: {}", error.field_name, error.message)).collect()
}

#[test]
fn every_kind_of_cell() {
    let read = entry(
        "HOSTNAME, ipAddress ,type,appRoles,tags.Env,Tags.owner,location,bios,components,agentInstalled,note\n\
             web,10.0.0.1,device,\"nginx, redis\",prod,,Graz,\"{\"\"systemModel\"\":\"\"X\"\"}\",\"a, \
             b\",TRUE,ignored\n",
    );
    assert_eq!(read.input.texts, [("hostName", "web".to_owned()), ("ipAddress", "10.0.0.1".to_owned())]);
    assert_eq!((read.input.kind, read.input.agent_installed), (Some("DEVICE"), Some(true)));
    assert_eq!(read.input.app_roles.as_deref(), Some(["nginx".to_owned(), "redis".to_owned()].as_slice()));
    assert_eq!(read.input.location.unwrap().name.as_deref(), Some("Graz"));
    assert_eq!(read.input.nested, [("components", json!(["a", "b"])), ("bios", json!({"systemModel": "X"}))]);
    let tags: Vec<_> = read.tags.iter().map(|tag| (tag.name.as_str(), tag.value.as_str())).collect();
    assert_eq!((tags, read.input.tags), (vec![("Env", "prod")], None));
}

#[test]
fn every_field_of_a_body_has_a_column() {
    for name in TEXTS.iter().chain(&CLOUD).chain(&SYNTHETIC).chain(&ARRAYS).chain(&OBJECTS).chain(&FIELDS) {
        assert_ne!(column(name), Column::Unknown, "{name}");
        assert_eq!(column(&name.to_uppercase()).name(), column(name).name(), "{name}");
    }
    assert!(names().all(|name| column(name) != Column::Unknown));
    assert_eq!(column("locationUuids"), Column::Words("locationUuids"));
    assert_eq!(column("tenantID"), Column::Text("tenantID"));
    assert_eq!((column("tags."), column("Tags"), column("")), (Column::Unknown, Column::Tags, Column::Unknown));
}

#[test]
fn errors_name_their_column() {
    assert_eq!(errors("name,make\na\n"), ["row: has 1 cells, the header has 2"]);
    assert_eq!(errors("name,make\na,b,c\n"), ["row: has 3 cells, the header has 2"]);
    let wrong = errors("name,bios,ipAddress,agentInstalled\na,{,10.0.0.300,perhaps\n");
    let expected =
        ["bios: must be JSON", "agentInstalled: must be true or false", "ipAddress: must be an IPv4 or IPv6 address"];
    assert_eq!(wrong, expected);
    assert_eq!(errors("name,tenantId\na,client_2\n").len(), 1);
}

#[test]
fn a_header_must_name_fields_once() {
    let stop = |text: &str| rows(text).unwrap_err();
    assert!(stop("a;b\n1;2\n").message.contains("separated by commas"));
    assert_eq!(stop("name,Name\n"), Stop::new(1, "has the column Name twice"));
    assert_eq!(stop("name,tags.a,TAGS.A\n"), Stop::new(1, "has the column TAGS.A twice"));
    assert_eq!(stop(""), Stop::new(1, "must be a header row with the names of fields"));
    assert_eq!(stop("\n\n"), Stop::new(1, "must be a header row with the names of fields"));
    assert!(rows("x,y,name\n").unwrap().is_empty());
}
