//! Unions: shapes of which a value has one, told apart by the words of a field, or by the fields that they have.

/// Makes an enum of structs: `union! { Name "field" Member ["word", …], … }`, or with the fields that a member must
/// have.
macro_rules! union {
    ($name:ident $telling:literal $($member:ident [$($word:literal),*],)+) => {
        #[doc = concat!("One of several shapes, by `", $telling, "`.")]
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum $name {
            $($member($member)),+
        }

        impl Default for $name {
            fn default() -> Self {
                $crate::union::first!($($member),+)
            }
        }

        $(impl From<$member> for $name {
            fn from(one: $member) -> Self {
                Self::$member(one)
            }
        })+

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$member(one) => {
                        let value = $crate::union::with_word(one, $telling, &[$($word),*]);
                        value.map_err(serde::ser::Error::custom)?.serialize(serializer)
                    })+
                }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = serde_json::Value::deserialize(deserializer)?;
                $(if $crate::union::is_one_of(&value, $telling, &[$($word),*]) {
                    return serde_json::from_value(value).map(Self::$member).map_err(serde::de::Error::custom);
                })+
                Err(serde::de::Error::custom(concat!("none of the shapes of ", stringify!($name))))
            }
        }
    };
}

macro_rules! first {
    ($first:ident $(, $rest:ident)*) => {
        Self::$first(Default::default())
    };
}

pub(crate) use {first, union};

use serde::Serialize;
use serde_json::{Value, json};

/// A member as JSON, with the word that tells what it is when there is but one.
pub(crate) fn with_word(member: &impl Serialize, telling: &str, words: &[&str]) -> serde_json::Result<Value> {
    let mut value = serde_json::to_value(member)?;
    if let ([word], false) = (words, telling.is_empty()) {
        value[telling] = json!(word);
    }
    Ok(value)
}

pub(crate) fn is_one_of(value: &Value, telling: &str, words: &[&str]) -> bool {
    match telling {
        "" => words.iter().all(|field| value.get(field).is_some()),
        telling => value[telling].as_str().is_some_and(|word| words.contains(&word)),
    }
}
