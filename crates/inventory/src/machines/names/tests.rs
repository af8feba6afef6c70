use db::Sql;
use diesel::{
    QueryResult,
    deserialize::QueryableByName,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
    sql_types::{Text, Untyped},
};

use super::*;
use crate::{machines::summary::MANAGED, sites::tests::Fixture};

/// How SQLite would carry a query out.
struct Explain<T>(T);

impl<T> Query for Explain<T> {
    type SqlType = Untyped;
}

impl<T> QueryId for Explain<T> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<T: QueryFragment<Sql>> QueryFragment<Sql> for Explain<T> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sql>) -> QueryResult<()> {
        out.push_sql("EXPLAIN QUERY PLAN ");
        self.0.walk_ast(out)
    }
}

impl<T, C> RunQueryDsl<C> for Explain<T> {}

#[derive(QueryableByName)]
struct Step {
    #[diesel(sql_type = Text)]
    detail: String,
}

#[test]
fn every_lookup_is_one_of_an_index() {
    let fixture = Fixture::new();
    let tenants = vec!["client_1".to_owned()];
    let label = "web".to_owned();
    for (column, index) in COLUMNS.iter().zip(["host", "dns", "resource", "alias"]) {
        let values = [label.clone(), "db".to_owned()];
        let whole = Condition::all([
            filter::tenants(&tenants),
            Condition::text_in(column.is_in, values),
            filter::states(MANAGED.states.iter().copied()),
        ]);
        for condition in [whole, prefix_condition(&tenants, column, &label, &MANAGED)] {
            let query = resources::table.filter(condition).select(resources::id);
            let plan: Vec<Step> = fixture.read(move |conn| Ok(Explain(query).load(conn)?));
            let steps: Vec<&str> = plan.iter().map(|step| step.detail.as_str()).collect();
            assert!(
                steps.iter().any(|step| step.contains(&format!("resources_{index} (tenant_id=? AND {index}_key"))),
                "{steps:?}"
            );
            assert!(!steps.iter().any(|step| step.starts_with("SCAN resources")), "{steps:?}");
        }
    }
}
