//! Fills who acknowledged an alert first, and when: alerts from before those columns, and those that a gateway of an
//! older version has stored since, say so in their documents alone.

use base::timestamp::Timestamp;
use db::{Backend, Backfill, BackfillStep, Condition, Conn, Result, SqlQuery};
use diesel::{
    prelude::*,
    sql_types::{BigInt, Text},
};

use super::{
    row::Document,
    schema::alerts::{self, dsl},
    store,
};

/// The backfill of `acknowledged_ms` and `acknowledged_by`. A cursor is a tenant, a line break, and an id.
pub const BACKFILL: Backfill = Backfill { name: "alerts-acknowledged", left, lock, step };

fn place(cursor: &str) -> (&str, &str) {
    cursor.split_once('\n').unwrap_or_default()
}

fn left(conn: &mut Conn, cursor: &str) -> Result<i64> {
    let (tenant, id) = place(cursor);
    let text = Condition::sql("SELECT count(*), 'rows' FROM alerts WHERE (tenant_id, id) > (").text(tenant);
    let text = text.then(", ").text(id).then(")");
    let rows: Vec<(i64, String)> = SqlQuery::<(BigInt, Text)>::of(text).load(conn)?;
    Ok(rows.first().map_or(0, |(count, _)| *count))
}

/// Those wait who write alerts of the tenant whose turn it is.
fn lock(conn: &mut Conn, cursor: &str) -> Result<()> {
    let owner = owner(conn, cursor)?;
    store::lock_tenants(conn, owner.as_slice())
}

/// The tenant of the first alert behind a cursor.
fn owner(conn: &mut Conn, cursor: &str) -> Result<Option<String>> {
    let (tenant, id) = place(cursor);
    let text = Condition::sql("SELECT tenant_id, id FROM alerts WHERE (tenant_id, id) > (").text(tenant);
    let text = text.then(", ").text(id).then(") ORDER BY tenant_id, id LIMIT 1");
    let next: Vec<(String, String)> = SqlQuery::<(Text, Text)>::of(text).load(conn)?;
    Ok(next.into_iter().next().map(|(owner, _)| owner))
}

fn step(conn: &mut Conn, cursor: &str, most: usize) -> Result<BackfillStep> {
    let (tenant, id) = place(cursor);
    let Some(owner) = owner(conn, cursor)? else { return Ok(BackfillStep { rows: 0, cursor: None }) };
    // Alerts may have been removed since, so that it is the turn of another tenant.
    store::lock_tenants(conn, std::slice::from_ref(&owner))?;
    let text = Condition::sql(
        "SELECT id, CASE WHEN acknowledged_by IS NULL AND document LIKE '%acknowledgement\":{%' THEN document \
         ELSE '' END FROM alerts WHERE tenant_id = ",
    );
    let text = text.text(&*owner).then(" AND id > ").text(if owner == tenant { id } else { "" });
    let mut text = text.then(" ORDER BY id LIMIT ").integer(i64::try_from(most).unwrap_or(i64::MAX));
    if Backend::of(conn) == Backend::Postgres {
        // The rows come before what the triggers lock, as where retention removes them.
        text = text.then(" FOR UPDATE");
    }
    let rows: Vec<(String, String)> = SqlQuery::<(Text, Text)>::of(text).load(conn)?;
    for (id, document) in rows.iter().filter(|(_, document)| !document.is_empty()) {
        let Some((at_ms, by)) = first_acknowledgement(document) else { continue };
        let this = || alerts::table.find((&owner, id));
        let filled = diesel::update(this().filter(dsl::acknowledged_ms.is_null()))
            .set((dsl::acknowledged_ms.eq(at_ms), dsl::acknowledged_by.eq(by.as_deref())))
            .execute(conn)?;
        if filled == 0 {
            diesel::update(this()).set(dsl::acknowledged_by.eq(by.as_deref())).execute(conn)?;
        }
    }
    // The next step finds out whether there is more; alerts may have been removed since the look above.
    let last = rows.last().map_or("\u{10ffff}", |(id, _)| id.as_str());
    Ok(BackfillStep { rows: rows.len(), cursor: Some(format!("{owner}\n{last}")) })
}

/// When, and by whose id, as far as a document says so.
fn first_acknowledgement(document: &str) -> Option<(i64, Option<String>)> {
    let document: Document = serde_json::from_str(document).ok()?;
    let note = document.acknowledgement.or(document.previous_acknowledgement)?;
    let at = Timestamp::parse(&note.time)?;
    Some((at.millis(), note.by.map(|by| by.id)))
}

#[cfg(test)]
mod tests {
    use diesel::sql_query;

    use super::*;

    #[test]
    fn who_acknowledged_first_is_filled_from_documents_tenant_after_tenant() {
        let fixture = crate::alerts::tests::fixture();
        let acknowledged = r#"{"acknowledgement":{"by":{"id":"7","name":"Ada"},"time":"2026-11-20T20:40:00+0000"}}"#;
        let previous = r#"{"acknowledgement":null,"previous_acknowledgement":{"time":"2026-11-20T20:41:00+0000"}}"#;
        let rows = [
            ("client_1", "a", acknowledged, "NULL"),
            ("client_1", "b", "{}", "NULL"),
            ("client_1", "c", previous, "NULL"),
            ("client_2", "a", acknowledged, "5"),
            ("client_2", "b", r#"{"acknowledgement":{"broken"#, "NULL"),
        ];
        for (tenant, id, document, acknowledged_ms) in rows {
            let text = format!(
                "INSERT INTO alerts (tenant_id, id, version, problem, host_key, subject_key, metric_key, service_key, \
                 monitor_key, app_key, component_key, type_key, ext_key, current_state, repeats, first_ms, last_ms, \
                 created_ms, updated_ms, acknowledged, suppression, document, sender, acknowledged_ms) VALUES \
                 ('{tenant}', '{id}', 1, 'p', '', '', '', '', '', '', '', '', '', '', 1, 1, 1, 1, 1, FALSE, '', \
                 '{document}', '', {acknowledged_ms})"
            );
            fixture.db.write_here(move |conn| Ok(sql_query(text).execute(conn)?)).unwrap();
        }
        let mut cursor = String::new();
        let mut steps = Vec::new();
        loop {
            let counted = fixture.db.read_here(|conn| left(conn, &cursor)).unwrap();
            assert_eq!(counted, 5 - steps.iter().sum::<usize>() as i64);
            let from = cursor.clone();
            let done = fixture.db.write_here(move |conn| step(conn, &from, 2)).unwrap();
            steps.push(done.rows);
            let Some(next) = done.cursor else { break };
            cursor = next;
        }
        assert_eq!(steps, [2, 1, 2, 0]);
        let found: Vec<(Option<i64>, Option<String>)> = fixture
            .db
            .read_here(|conn| {
                let all = alerts::table.order((dsl::tenant_id, dsl::id));
                Ok(all.select((dsl::acknowledged_ms, dsl::acknowledged_by)).load(conn)?)
            })
            .unwrap();
        let ada = Some("7".to_owned());
        let expected = [
            (Some(1_795_207_200_000), ada.clone()),
            (None, None),
            (Some(1_795_207_260_000), None),
            (Some(5), ada),
            (None, None),
        ];
        assert_eq!(found, expected);
    }
}
