//! Questions about the alerts of a range and those who were told of them. Every function takes the tenants of a scope,
//! as a part of the question.

use base::timestamp::DAY_MS;
use db::{Condition, Conn, Result, SqlQuery};
use diesel::{
    RunQueryDsl,
    sql_types::{BigInt, Text},
};
use ports::PagedAlerts;

use super::rules::{By, Counts, Figures, MOST_VALUES, too_much};

/// Which alerts, and by what.
#[derive(Clone, Debug)]
pub struct Question {
    /// What they are counted by.
    pub by: By,
    /// The tenants in reach.
    pub scope: Vec<String>,
    /// Of which alerts.
    pub condition: Condition,
    /// They were taken in from here on.
    pub from_ms: i64,
    /// And before this.
    pub to_ms: i64,
    /// Are they all alerts of that range?
    pub is_of_all: bool,
    /// Who was told.
    pub paged: PagedAlerts,
}

/// Tenant of the alert, value, problem, the latest alert, and how many: alerts, pages, acknowledged, closed, noise.
type CountRow = (Text, Text, Text, Text, BigInt, BigInt, BigInt, BigInt, BigInt);

impl Question {
    /// The value of an alert, as SQL.
    const fn value(&self) -> &'static str {
        match self.by {
            By::Service | By::Owner => "COALESCE(alerts.resource_id, '')",
            By::Resource => "alerts.resource_id",
            By::Roster | By::Person | By::Route => "told.value",
        }
    }

    /// The alerts with their values.
    fn source(&self) -> Condition {
        let joined = " AS told ON told.tenant_id = alerts.tenant_id AND told.alert_id = alerts.id";
        let of_pages = |value: &'static str, only: Condition| {
            let told = Condition::sql("alerts JOIN (SELECT pages.tenant_id, pages.alert_id, ").then(value);
            let told = told.then(" AS value, COUNT(*) AS pages FROM ").append(self.pages());
            let told = told.then(" AND pages.sent = 1 AND ").append(only);
            told.then(" GROUP BY pages.tenant_id, pages.alert_id, ").then(value).then(")").then(joined)
        };
        match self.by {
            By::Service | By::Owner | By::Resource => Condition::sql("alerts"),
            By::Person => of_pages("pages.user_id", Condition::sql("pages.user_id <> ''")),
            // Of a partner's roster its clients are not told.
            By::Roster => of_pages("pages.roster_id", Condition::text_in("pages.roster_tenant IN", &self.scope)),
            By::Route => {
                let told = Condition::sql("alerts JOIN (SELECT routes.tenant_id, routes.alert_id, ");
                let told =
                    told.then("routes.route_id AS value FROM ").then(self.paged.routes).then(" AS routes WHERE ");
                let told = told.append(Condition::text_in("routes.route_tenant IN", &self.scope)).then(" AND ");
                told.append(Condition::text_in("routes.tenant_id IN", &self.scope)).then(")").then(joined)
            }
        }
    }

    /// The pages of these alerts, and of others.
    fn pages(&self) -> Condition {
        let pages = Condition::sql(self.paged.pages).then(" AS pages WHERE ");
        // Of alerts that are taken in by a gateway whose clock is ahead, pages may be earlier.
        let since = Condition::sql("pages.created_ms >= ").integer(self.from_ms.saturating_sub(DAY_MS));
        pages.append(Condition::all([Condition::text_in("pages.tenant_id IN", &self.scope), since]))
    }

    /// `WHERE` and what follows.
    fn only(&self) -> Condition {
        let only = Condition::sql(" WHERE ").append(self.condition.clone());
        if self.by == By::Resource { only.then(" AND alerts.resource_id IS NOT NULL") } else { only }
    }
}

/// The resources that alerts are about, by their tenants; an empty id where alerts are about none.
///
/// # Errors
/// 400 when there are too many.
pub fn resources(conn: &mut Conn, asked: &Question) -> Result<Vec<(String, String)>> {
    let most = i64::try_from(MOST_VALUES).unwrap_or(i64::MAX);
    let text = Condition::sql("SELECT alerts.tenant_id, ").then(asked.value()).then(" FROM alerts");
    let text = text.append(asked.only()).then(" GROUP BY 1, 2 LIMIT ").integer(most + 1);
    let found: Vec<(String, String)> = SqlQuery::<(Text, Text)>::of(text).load(conn)?;
    if found.len() > MOST_VALUES { Err(too_much().into()) } else { Ok(found) }
}

/// Adds how many alerts there are of each value and problem.
pub fn add_counts(conn: &mut Conn, asked: &Question, figures: &mut Figures) -> Result<()> {
    let pages = if asked.by.has_own_pages() { "CAST(SUM(told.pages) AS BIGINT)" } else { "CAST(0 AS BIGINT)" };
    let text = Condition::sql("SELECT alerts.tenant_id, ").then(asked.value());
    let text = text.then(", alerts.problem, MAX(alerts.id), COUNT(*), ").then(pages);
    let text = text.then(
        ", COUNT(alerts.acknowledged_ms), COUNT(alerts.closed_ms), \
         COUNT(CASE WHEN alerts.closed_ms IS NOT NULL AND alerts.acknowledged_ms IS NULL THEN 1 END) FROM ",
    );
    let text = text.append(asked.source()).append(asked.only()).then(" GROUP BY 1, 2, 3");
    let each = |(tenant, value, _, latest, alerts, pages, acknowledged, closed, noise): (
        String,
        String,
        String,
        String,
        i64,
        i64,
        i64,
        i64,
        i64,
    )| {
        let counts = Counts { alerts, pages, acknowledged, closed, noise };
        figures.add(tenant, &value, latest, &counts).map_err(db::Error::from)
    };
    db::for_each_row(conn, SqlQuery::<CountRow>::of(text), each)
}

/// Adds how many pages there are of the alerts of each value, and how many of those alerts were escalated.
pub fn add_pages(conn: &mut Conn, asked: &Question, figures: &mut Figures) -> Result<()> {
    let has_own = asked.by.has_own_pages();
    let text = Condition::sql("SELECT alerts.tenant_id, ").then(asked.value());
    let text = text.then(", CAST(SUM(paged.pages) AS BIGINT), COUNT(CASE WHEN paged.step > 0 THEN 1 END) FROM ");
    let text = text.append(asked.source()).then(" JOIN (SELECT pages.tenant_id, pages.alert_id, ");
    let text = text.then("SUM(pages.sent) AS pages, MAX(pages.step) AS step FROM ").append(asked.pages());
    let text = text.then(" GROUP BY pages.tenant_id, pages.alert_id) AS paged ");
    let text = text.then("ON paged.tenant_id = alerts.tenant_id AND paged.alert_id = alerts.id");
    let text = text.append(asked.only()).then(" GROUP BY 1, 2");
    let each = |(tenant, value, pages, escalated): (String, String, i64, i64)| {
        figures.add_pages(&tenant, &value, if has_own { 0 } else { pages }, escalated);
        Ok::<_, db::Error>(())
    };
    db::for_each_row(conn, SqlQuery::<(Text, Text, BigInt, BigInt)>::of(text), each)
}

/// Adds how long it took until alerts were acknowledged and until they were closed: in the whole seconds that clients
/// see.
pub fn add_times(conn: &mut Conn, asked: &Question, figures: &mut Figures) -> Result<()> {
    type Take = fn(&mut Figures, &str, &str, i64);
    let times: [(&'static str, Take); 2] =
        [("alerts.acknowledged_ms", Figures::acknowledged), ("alerts.closed_ms", Figures::closed)];
    for (end, take) in times {
        let text = Condition::sql("SELECT alerts.tenant_id, ").then(asked.value()).then(", ").then(end);
        let text = text.then(" / 1000 - alerts.created_ms / 1000 FROM ").append(asked.source());
        let text = text.append(asked.only()).then(" AND ").then(end).then(" IS NOT NULL ORDER BY 3");
        let each = |(tenant, value, seconds): (String, String, i64)| {
            take(figures, &tenant, &value, seconds);
            Ok::<_, db::Error>(())
        };
        db::for_each_row(conn, SqlQuery::<(Text, Text, BigInt)>::of(text), each)?;
    }
    Ok(())
}
