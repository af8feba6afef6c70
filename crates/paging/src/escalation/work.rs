//! What the escalations of one transaction have in common: what they ask is asked once, and what they decide is stored
//! together.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use base::timestamp::Timestamp;
use db::{Conn, Result};

use super::{
    resolve::{self, StepSubject, TargetRecipients},
    store::{self, Row},
};
use crate::{
    Neighbours,
    configuration::{policies::wire::Step, routing::choose},
    delivery::pages::store as pages,
};

/// Tenant and id of an alert.
type Key = (String, String);

/// Whom a step means depends on these: the tenant of its policy, the step, the urgency, and, where it tells an owner,
/// tenant and id of the machine.
type StepKey = (String, Step, String, Key);

/// The escalations of one transaction, at one instant.
pub struct EscalationBatch<'n> {
    /// Those who are asked.
    pub neighbours: &'n Neighbours,
    /// The time.
    pub now: Timestamp,
    /// The routes that were asked, and where they lead.
    pub routing: choose::RouteCache,
    meant: HashMap<StepKey, Arc<Vec<TargetRecipients>>>,
    conversations: HashMap<Key, String>,
    /// Alerts of which one knows that nothing is stored.
    absent: HashSet<Key>,
    begun: Vec<Row>,
    pages: Vec<pages::Row>,
    /// The alerts of what is to be stored.
    touched: HashSet<Key>,
}

impl<'n> EscalationBatch<'n> {
    /// Nothing yet.
    pub fn new(neighbours: &'n Neighbours, now: Timestamp) -> Self {
        Self {
            neighbours,
            now,
            routing: choose::RouteCache::default(),
            meant: HashMap::new(),
            conversations: HashMap::new(),
            absent: HashSet::new(),
            begun: Vec::new(),
            pages: Vec::new(),
            touched: HashSet::new(),
        }
    }

    /// Does one thing, and stores what comes of it.
    pub fn run<T>(
        conn: &mut Conn,
        neighbours: &'n Neighbours,
        now: Timestamp,
        f: impl FnOnce(&mut Conn, &mut Self) -> Result<T>,
    ) -> Result<T> {
        let mut work = Self::new(neighbours, now);
        let done = f(conn, &mut work)?;
        work.store(conn)?;
        Ok(done)
    }

    /// Looks at once which of these alerts have an escalation.
    pub fn load_escalations(&mut self, conn: &mut Conn, alerts: &BTreeSet<(&str, &str)>) -> Result<()> {
        let mut by_tenant: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        alerts.iter().for_each(|(tenant, alert)| by_tenant.entry(tenant).or_default().push(alert));
        for (tenant, ids) in by_tenant {
            let stored = store::stored(conn, tenant, &ids)?;
            let others = ids.into_iter().filter(|id| !stored.contains(*id));
            self.absent.extend(others.map(|id| (tenant.to_owned(), id.to_owned())));
        }
        Ok(())
    }

    /// The escalation of an alert, after all that was decided of it so far.
    pub fn find(&mut self, conn: &mut Conn, tenant: &str, alert: &str) -> Result<Option<Row>> {
        let key = (tenant.to_owned(), alert.to_owned());
        if self.touched.contains(&key) {
            self.store(conn)?;
        }
        if self.absent.contains(&key) { Ok(None) } else { store::find(conn, tenant, alert) }
    }

    /// Keeps a new escalation, to be stored.
    pub fn begin(&mut self, row: Row) {
        let key = (row.tenant_id.clone(), row.alert_id.clone());
        self.absent.remove(&key);
        self.touched.insert(key);
        self.begun.push(row);
    }

    /// Keeps pages and gaps, to be stored.
    pub fn tell(&mut self, pages: Vec<pages::Row>) {
        self.touched.extend(pages.iter().map(|page| (page.tenant_id.clone(), page.alert_id.clone())));
        self.pages.extend(pages);
    }

    /// Stores what there is.
    pub fn store(&mut self, conn: &mut Conn) -> Result<()> {
        self.touched.clear();
        store::insert_all(conn, &std::mem::take(&mut self.begun))?;
        pages::insert(conn, &std::mem::take(&mut self.pages))
    }

    /// Whom a step of an escalation means, by its number.
    pub fn recipients_of_step(
        &mut self,
        conn: &mut Conn,
        row: &Row,
        number: usize,
        step: &Step,
    ) -> Result<Arc<Vec<TargetRecipients>>> {
        let policy_tenant = row.tenant_of_step(number);
        let asks_owner = step.targets.iter().any(|target| target.owner.is_some());
        let machine = if asks_owner {
            (row.tenant_id.clone(), row.alert.machine_id.clone())
        } else {
            (String::new(), String::new())
        };
        let key = (policy_tenant.to_owned(), step.clone(), row.urgency.clone(), machine);
        if let Some(known) = self.meant.get(&key) {
            return Ok(Arc::clone(known));
        }
        let about = StepSubject { tenant: &row.tenant_id, machine: &key.3.1, policy_tenant, urgency: &row.urgency };
        let meant = Arc::new(resolve::step(conn, self.neighbours, about, step, self.now)?);
        self.meant.insert(key, Arc::clone(&meant));
        Ok(meant)
    }

    /// The conversation of the alerts of a policy: that of the last one, when it began after an instant.
    pub fn conversation(&mut self, conn: &mut Conn, tenant: &str, policy: &str, after_ms: i64) -> Result<String> {
        let key = (tenant.to_owned(), policy.to_owned());
        if let Some(known) = self.conversations.get(&key) {
            return Ok(known.clone());
        }
        let recent = store::conversation(conn, tenant, policy, after_ms)?;
        let conversation = recent.unwrap_or_else(|| format!("CNV-{}", uuid::Uuid::now_v7()));
        self.conversations.insert(key, conversation.clone());
        Ok(conversation)
    }

    /// How many alerts of a problem there were since an instant, as far as `most`.
    pub fn count_since(&self, conn: &mut Conn, tenant: &str, problem: &str, since_ms: i64, most: i64) -> Result<i64> {
        let new = self.begun.iter().filter(|row| row.tenant_id == tenant && row.problem == problem).count();
        let stored = store::count_since(conn, tenant, problem, since_ms, most)?;
        Ok(stored.saturating_add(i64::try_from(new).unwrap_or(most)).min(most))
    }
}
