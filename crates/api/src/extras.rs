//! What handlers work with besides the database: those whom they ask, caches, threads.

use std::{
    any::{TypeId, type_name},
    fmt,
    sync::Arc,
};

use actix_web::{
    dev::HttpServiceFactory,
    web::{self, ServiceConfig},
};

use crate::Domain;

type Part = Arc<dyn Fn(&mut ServiceConfig) + Send + Sync>;

/// A `web::Data` that handlers of a domain take; each of them is named in its [`Domain`].
#[derive(Clone, Copy)]
pub struct Need {
    id: fn() -> TypeId,
    name: fn() -> &'static str,
}

impl Need {
    /// `web::Data<T>`.
    pub const fn of<T: ?Sized + 'static>() -> Self {
        Self { id: TypeId::of::<T>, name: type_name::<T> }
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str((self.name)())
    }
}

/// What a server gives its handlers, and what it serves besides the operations of its domains.
#[derive(Clone, Default)]
pub struct Extras {
    data_types: Vec<TypeId>,
    parts: Vec<Part>,
}

impl Extras {
    /// With this, which handlers take as `web::Data<T>`.
    #[must_use]
    pub fn with<T: ?Sized + Send + Sync + 'static>(mut self, what: Arc<T>) -> Self {
        let data = web::Data::from(what);
        self.data_types.push(TypeId::of::<T>());
        self.parts.push(Arc::new(move |config| {
            config.app_data(data.clone());
        }));
        self
    }

    /// With pages that are no operations; each worker makes its own.
    #[must_use]
    pub fn serving<F: HttpServiceFactory + 'static>(mut self, page: impl Fn() -> F + Send + Sync + 'static) -> Self {
        self.parts.push(Arc::new(move |config| {
            config.service(page());
        }));
        self
    }

    /// Gives it to a worker.
    pub fn configure(&self, config: &mut ServiceConfig) {
        self.parts.iter().for_each(|part| part(config));
    }

    /// What the handlers of a domain take and would not find, so that each request to them would fail.
    pub fn missing<'d>(&self, domain: &'d Domain) -> Vec<&'d Need> {
        domain.needs.iter().filter(|need| !self.data_types.contains(&(need.id)())).collect()
    }

    /// Refuses to serve a domain whose handlers would not find what they take.
    pub(crate) fn check(&self, domains: &[Domain]) -> anyhow::Result<()> {
        for domain in domains {
            let missing: Vec<String> = self.missing(domain).iter().map(ToString::to_string).collect();
            anyhow::ensure!(
                missing.is_empty(),
                "the handlers of the domain {name} need {}: add what `{name}::extras` gives to the extras of the \
                 service",
                missing.join(", "),
                name = domain.name
            );
        }
        Ok(())
    }
}

impl FromIterator<Extras> for Extras {
    fn from_iter<I: IntoIterator<Item = Extras>>(all: I) -> Self {
        all.into_iter().fold(Self::default(), |mut sum, one| {
            sum.data_types.extend(one.data_types);
            sum.parts.extend(one.parts);
            sum
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::no_routes;

    trait Clerk: Send + Sync {}
    struct Cache;

    const NEEDS: &[Need] = &[Need::of::<Cache>(), Need::of::<dyn Clerk>()];

    fn domain() -> Domain {
        Domain {
            name: "desk",
            title: "A desk",
            tags: &[],
            routes: no_routes,
            root_routes: no_routes,
            aliases: &[],
            needs: NEEDS,
            migrations: outbox::migrations(),
            retention: &[],
            quotas: &[],
        }
    }

    #[test]
    fn what_is_missing_is_what_was_not_given() {
        struct Desk;
        impl Clerk for Desk {}
        let with_cache = || Extras::default().with(Arc::new(Cache));
        // The same by its own type is another thing.
        let other = with_cache().with(Arc::new(Desk));
        let clerk = Extras::default().with(Arc::new(Desk) as Arc<dyn Clerk>);
        let missing = |extras: &Extras| extras.missing(&domain()).len();
        assert_eq!(
            [missing(&Extras::default()), missing(&with_cache()), missing(&other), missing(&clerk)],
            [2, 1, 1, 1]
        );
        assert!([with_cache(), clerk].into_iter().collect::<Extras>().check(&[domain()]).is_ok());
    }
}
