//! Users, how they are reached, and groups of them.

use base::duration;
use serde_json::{Value, json};

use crate::{
    conversion::{Conversion, object},
    json::cut,
};

/// The longest name of a user or a group, in characters.
const LONGEST_NAME: usize = 200;
/// The most members of a group.
const MOST_MEMBERS: usize = 1_000;

/// A user of a product.
#[derive(Debug)]
pub struct Person<'p> {
    /// The login name.
    pub login: &'p str,
    /// The first name and the last name.
    pub name: &'p str,
    /// The email address.
    pub email: Option<&'p str>,
    /// The number of a telephone.
    pub phone: Option<String>,
    /// The number for texts.
    pub mobile: Option<String>,
    /// The role in Muster.
    pub role: &'static str,
}

/// A step of a notification rule: after how many seconds, and by which contact method.
pub type Step = (i64, String);

/// Adds a user, and answers how the report calls it; a user who is refused is reported.
pub fn add_user(person: &Person<'_>, conversion: &mut Conversion) -> Option<String> {
    let login = person.login;
    let named = match login.chars().count() {
        0..=LONGEST_NAME => conversion.claim("User", login),
        _ => Err(format!("the name has more than {LONGEST_NAME} characters")),
    };
    if let Err(reason) = named {
        conversion.report.refused(object("user", login), reason);
        return None;
    }
    let (first, last) = person.name.rsplit_once(' ').unwrap_or((person.name, ""));
    let given = |name: &str| Some(cut(name.trim(), LONGEST_NAME)).filter(|name| !name.is_empty());
    let number = |number: &Option<String>| number.as_deref().map(|number| cut(number, 50));
    let body = json!({
        "loginName": login, "firstName": given(first), "lastName": given(last), "email": person.email,
        "phoneNumber": number(&person.phone), "mobileNumber": number(&person.mobile), "role": person.role,
    });
    Some(conversion.add("User", login, body))
}

/// Adds an email address of a user, and answers how the report calls it.
pub fn add_email(login: &str, name: &str, address: &str, conversion: &mut Conversion) -> String {
    let body = json!({
        "user": {"loginName": login}, "name": name, "type": "EMAIL", "address": address, "verified": true,
    });
    conversion.add("ContactMethod", login, body)
}

/// Adds the notification rule of an urgency, unless it has no step, and answers how the report calls it.
pub fn add_rule(login: &str, urgency: &str, steps: &[Step], conversion: &mut Conversion) -> Option<String> {
    let step = |(after, name): &Step| json!({"contactMethod": {"name": name}, "after": duration::text(after * 1_000)});
    let steps: Vec<Value> = steps.iter().map(step).collect();
    let body = json!({"user": {"loginName": login}, "urgency": urgency, "steps": steps});
    (!steps.is_empty()).then(|| conversion.add("NotificationRule", login, body))
}

/// What becomes of a number that is called or texted.
pub fn number_note(kind: &str, number: &str) -> String {
    format!(
        "{kind} to {number}: the number is kept with the user; Muster calls and texts by a gateway of one's own, so \
         add a contact method with the preset sms, voice, twilio or twilioVoice"
    )
}

/// Adds a team as a user group of login names, or says why there is none. Answers whether it was added.
pub fn add_group(
    name: &str,
    description: Option<&str>,
    members: impl IntoIterator<Item = String>,
    lost: Vec<String>,
    conversion: &mut Conversion,
) -> bool {
    let users: Vec<Value> = members.into_iter().map(|login| json!({"loginName": login})).collect();
    let body = match users.len() {
        0..=MOST_MEMBERS => Ok(json!({
            "name": cut(name, LONGEST_NAME), "description": description.map(|text| cut(text, 4_000)), "users": users,
        })),
        _ => Err("it has more than 1,000 members, the most of a group".to_owned()),
    };
    conversion.convert(object("team", name), "UserGroup", name, body, lost)
}
