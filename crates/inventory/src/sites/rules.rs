//! The versions of a site, and the filter of a site search. Pure.

use base::{problem::Problem, query_string, text::fold, timestamp::Timestamp};

use super::{
    row::Site,
    wire::{NewSite, SiteChange},
};

/// The variables of a search.
const VARIABLES: [&str; 6] = ["id", "name", "city", "country", "parentId", "isEquals"];

/// The filter of a site search; an empty list does not filter by its field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Exact.
    pub ids: Vec<i64>,
    names: Vec<String>,
    cities: Vec<String>,
    countries: Vec<String>,
    /// Sites below another site. There are none: sites do not nest.
    below: bool,
    exact: bool,
}

impl Filter {
    /// Reads a `queryString`.
    ///
    /// # Errors
    /// 400 on `queryString` that names what is wrong.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let mut filter = Self::default();
        for term in query_string::parse(text, &VARIABLES)? {
            let keys = || term.values.iter().map(|value| fold(value)).collect();
            match term.name {
                "id" => filter.ids = term.values.iter().map(|value| integer(value)).collect::<Result<_, _>>()?,
                "name" => filter.names = keys(),
                "city" => filter.cities = keys(),
                "country" => filter.countries = keys(),
                "parentId" => filter.below = true,
                _ => filter.exact = term.boolean()?,
            }
        }
        Ok(filter)
    }

    /// Does a site match? Ids are not compared: the database has done that.
    pub fn matches(&self, site: &Site) -> bool {
        !self.below
            && self.any(&self.names, &site.name)
            && self.any(&self.cities, &site.city)
            && self.any(&self.countries, &site.country)
    }

    fn any(&self, keys: &[String], text: &str) -> bool {
        if keys.is_empty() {
            return true;
        }
        let text = fold(text);
        keys.iter().any(|key| if self.exact { text == *key } else { text.contains(key) })
    }
}

fn integer(value: &str) -> Result<i64, Problem> {
    value.parse().map_err(|_| Problem::field("queryString", "id: must be an integer"))
}

/// The first version of a site.
pub fn created(new: NewSite, tenant_id: String, id: i64, now: Timestamp) -> Site {
    Site {
        tenant_id,
        id,
        version: 1,
        name_key: fold(&new.name),
        name: new.name,
        description: new.description,
        address: new.address,
        city: new.city,
        country: new.country,
        created_ms: now.millis(),
        updated_ms: now.millis(),
    }
}

/// The next version of a site; what a change leaves out stays as it is.
pub fn changed(old: &Site, change: SiteChange, now: Timestamp) -> Site {
    let name = change.name.unwrap_or_else(|| old.name.clone());
    Site {
        version: old.version + 1,
        name_key: fold(&name),
        name,
        description: change.description.unwrap_or_else(|| old.description.clone()),
        address: change.address.unwrap_or_else(|| old.address.clone()),
        city: change.city.unwrap_or_else(|| old.city.clone()),
        country: change.country.unwrap_or_else(|| old.country.clone()),
        updated_ms: now.millis(),
        ..old.clone()
    }
}

/// Does a change show in the detail of the resources at the site?
pub fn shows_in_resources(old: &Site, new: &Site) -> bool {
    old.name != new.name || old.city != new.city
}

/// 404: no such site, or it is another tenant's.
pub fn no_site() -> Problem {
    Problem::not_found("The site was not found.")
}

/// 409: another site has this name.
pub fn name_taken(name: &str) -> Problem {
    Problem::conflict(format!("The tenant has a site named \"{name}\" already."))
}

/// 409: another request changed the site first.
pub fn changed_meanwhile() -> Problem {
    Problem::conflict("Somebody else changed the site meanwhile. Read it again.")
}

/// 409: a site that cannot be deleted.
pub fn in_use(name: &str) -> Problem {
    Problem::conflict(format!("Resources are at the site \"{name}\": move them away first."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(name: &str, city: &str, country: &str) -> Site {
        let new =
            NewSite { name: name.to_owned(), city: city.to_owned(), country: country.to_owned(), ..NewSite::default() };
        created(new, "client_1".to_owned(), 7, Timestamp::from_millis(1000))
    }

    fn matches(text: &str, site: &Site) -> bool {
        Filter::parse(text).unwrap().matches(site)
    }

    #[test]
    fn terms_narrow_and_alternatives_widen() {
        let munich = site("Rechenzentrum Süd", "München", "Germany");
        for text in ["", "name:SÜD", "city:mün,paris", "country:germany+name:zentrum", "city:München+isEquals:true"]
        {
            assert!(matches(text, &munich), "{text}");
        }
        for text in ["name:nord", "city:mün+isEquals:true", "country:germany+name:nord", "country:france,spain"] {
            assert!(!matches(text, &munich), "{text}");
        }
    }

    #[test]
    fn wrong_terms_are_named() {
        for (text, message) in [
            ("id:x", "id: must be an integer"),
            ("isEquals:maybe", "isEquals: must be true or false"),
            ("owner:x", "has an unknown variable \"owner\"; known are: id, name, city, country, parentId, isEquals"),
        ] {
            let problem = Filter::parse(text).unwrap_err();
            assert_eq!(
                (problem.errors[0].field_name.as_str(), problem.errors[0].message.as_str()),
                ("queryString", message)
            );
        }
        assert_eq!(Filter::parse("id:1,2").unwrap().ids, [1, 2]);
    }

    #[test]
    fn a_change_keeps_other_fields() {
        let old = site("Paris 1", "Paris", "France");
        let change = SiteChange { city: Some(String::new()), ..SiteChange::default() };
        let new = changed(&old, change, Timestamp::from_millis(2000));
        assert_eq!((new.name.as_str(), new.city.as_str(), new.country.as_str()), ("Paris 1", "", "France"));
        assert_eq!((new.version, new.created_ms, new.updated_ms), (2, 1000, 2000));
        assert!(shows_in_resources(&old, &new));
        let change = SiteChange { address: Some("1 rue X".to_owned()), ..SiteChange::default() };
        assert!(!shows_in_resources(&old, &changed(&old, change, Timestamp::from_millis(2000))));
    }
}
