//! Messages to a person that are about no alert, by the contact methods and the rules of low urgency.

use base::timestamp::Timestamp;
use db::{Conn, Json, Result};
use ports::{Messages, PersonalMessage};

use crate::{
    configuration::{
        methods,
        notification::{
            self,
            rules::{Plan, URGENCIES},
        },
    },
    delivery::pages::{
        facts::{Facts, line, lines},
        store as pages,
    },
    times,
};

/// A message to a person.
pub struct MessageToPerson<'m> {
    /// The tenant of the person.
    pub tenant: &'m str,
    /// Who.
    pub user: &'m str,
    /// The kind of the pages.
    pub kind: &'static str,
    /// What it tells.
    pub facts: Facts,
    /// Does it wait for the end of quiet hours?
    pub quiet: bool,
}

impl MessageToPerson<'_> {
    /// The pages that tell it; a gap when nothing reaches the person.
    pub fn pages(&self, conn: &mut Conn, now: Timestamp) -> Result<Vec<pages::Row>> {
        let own = methods::store::of_user(conn, self.tenant, self.user)?;
        let verified: Vec<&methods::row::Method> = own.iter().filter(|method| method.verified).collect();
        let names: Vec<String> = verified.iter().map(|method| method.id.clone()).collect();
        let rules = notification::store::of_user(conn, self.tenant, self.user)?;
        let plan = rules.iter().find(|rule| rule.urgency == URGENCIES[1]).map(|rule| rule.document.0.clone());
        let plan = plan.unwrap_or_default();
        let plan = if self.quiet { plan } else { Plan { quiet: None, ..plan } };
        let message = Json(self.facts.clone());
        let page = || pages::Row {
            user_id: self.user.to_owned(),
            urgency: URGENCIES[1].to_owned(),
            message: message.clone(),
            ..pages::Row::blank(self.tenant, self.kind, now)
        };
        let used = plan.at(&names, now, times::minute_of_day);
        let told = used.into_iter().filter_map(|(id, due)| {
            let method = verified.iter().find(|method| method.id == id)?;
            Some(pages::Row {
                method_tenant: method.tenant_id.clone(),
                method_id: method.id.clone(),
                channel: method.kind.clone(),
                due_ms: Some(due.millis()),
                ..page()
            })
        });
        let told: Vec<pages::Row> = told.collect();
        if told.is_empty() {
            let why = "has no verified contact method".to_owned();
            return Ok(vec![pages::Row { status: pages::GAP.to_owned(), why, ..page() }]);
        }
        Ok(told)
    }
}

/// Answers [`Messages`] with pages.
pub struct PagedMessages;

impl Messages for PagedMessages {
    fn send(&self, conn: &mut Conn, messages: &[PersonalMessage], at: Timestamp) -> Result<()> {
        for PersonalMessage { tenant, user, subject, description } in messages {
            let facts = Facts { subject: line(subject), description: lines(description), ..Facts::default() };
            let message = MessageToPerson { tenant, user, kind: pages::MESSAGE, facts, quiet: true };
            let told = message.pages(conn, at)?;
            pages::insert(conn, &told)?;
        }
        Ok(())
    }
}
