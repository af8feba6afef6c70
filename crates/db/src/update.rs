//! Updates for a hot path, which stay prepared.

use std::marker::PhantomData;

use diesel::{
    AsChangeset, QueryResult, RunQueryDsl,
    backend::Backend,
    query_builder::{AstPass, QueryFragment, QueryId},
};

/// Updates rows of a table: `update!(conn, jobs::table, dsl::id.eq(id), dsl::name.eq(name))?` gives how many they were.
/// All conditions are one, joined by `and`; they take the columns without a table that is named differently.
///
/// diesel prepares an `UPDATE` anew each time, since its text may depend on which fields are set: that costs more than
/// the update itself. This one is known by the place where it stands in the program, so its text has to be the same
/// each time: no `Option` that leaves a field out, and no type parameter. A build with debug assertions, as tests are,
/// fails where it is not.
#[macro_export]
macro_rules! update {
    ($conn:expr, $table:expr, $filter:expr, $set:expr $(,)?) => {{
        struct Here;
        let update = $crate::Update::<Here, _, _, _>::new($table, $filter, $set);
        match $conn {
            $crate::Conn::Sqlite(conn) => {
                update.check::<::diesel::sqlite::Sqlite>();
                ::diesel::RunQueryDsl::execute(update, conn)
            }
            $crate::Conn::Postgres(conn) => {
                update.check::<::diesel::pg::Pg>();
                ::diesel::RunQueryDsl::execute(update, conn)
            }
        }
    }};
}

/// An `UPDATE` that is known by the type `Here`; made by [`update!`](crate::update).
#[derive(Debug)]
pub struct Update<Here, T, W, S> {
    table: T,
    filter: W,
    set: S,
    here: PhantomData<Here>,
}

impl<Here: 'static, T, W, S> Update<Here, T, W, S> {
    /// The rows of a table that meet a condition get these values.
    pub fn new<V: AsChangeset<Target = T, Changeset = S>>(table: T, filter: W, values: V) -> Self {
        Self { table, filter, set: values.as_changeset(), here: PhantomData }
    }

    /// Panics when its text is another one than the last time, in a build with debug assertions.
    pub fn check<DB: Backend<QueryBuilder: Default> + Default + 'static>(&self)
    where
        Self: QueryFragment<DB>,
    {
        #[cfg(debug_assertions)]
        {
            use std::{
                any::TypeId,
                collections::HashMap,
                sync::{Mutex, PoisonError},
            };
            static TEXTS: Mutex<Option<HashMap<TypeId, String>>> = Mutex::new(None);
            let whole = diesel::debug_query::<DB, _>(self).to_string();
            let text = whole.split(" -- binds: ").next().unwrap_or_default().to_owned();
            let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
            let known = texts.get_or_insert_default().entry(TypeId::of::<(Here, DB)>()).or_insert_with(|| text.clone());
            assert_eq!(*known, text, "one `update!` has two texts");
        }
    }
}

impl<Here: 'static, T, W, S> QueryId for Update<Here, T, W, S> {
    type QueryId = Here;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl<Here, T, W, S, C> RunQueryDsl<C> for Update<Here, T, W, S> {}

impl<Here, T, W, S, DB> QueryFragment<DB> for Update<Here, T, W, S>
where
    DB: Backend,
    T: QueryFragment<DB>,
    W: QueryFragment<DB>,
    S: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("UPDATE ");
        self.table.walk_ast(out.reborrow())?;
        out.push_sql(" SET ");
        self.set.walk_ast(out.reborrow())?;
        out.push_sql(" WHERE ");
        self.filter.walk_ast(out.reborrow())
    }
}

#[cfg(test)]
mod tests {
    use diesel::{
        BoolExpressionMethods as _, ExpressionMethods as _, QueryDsl as _, connection::SimpleConnection as _,
    };

    use super::*;
    use crate::{Conn, DatabaseUrl, Db, Options, Result};

    diesel::table! {
        t (id) {
            id -> BigInt,
            name -> Nullable<Text>,
            count -> BigInt,
        }
    }

    #[derive(AsChangeset)]
    #[diesel(table_name = t)]
    struct Some {
        name: Option<&'static str>,
        count: i64,
    }

    fn set(conn: &mut Conn, id: i64, name: Option<&str>, count: i64) -> Result<usize> {
        let these = t::id.eq(id).and(t::count.lt(count));
        Ok(update!(conn, t::table, these, (t::name.eq(name), t::count.eq(count)))?)
    }

    #[test]
    fn sets_what_is_said_in_the_rows_that_are_meant() {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
        db.write_here(|conn| {
            conn.batch_execute("CREATE TABLE t (id BIGINT PRIMARY KEY, name TEXT, count BIGINT NOT NULL)")?;
            conn.batch_execute("INSERT INTO t VALUES (1, 'a', 0), (2, NULL, 0)")?;
            assert_eq!(set(conn, 1, None, 5)?, 1);
            assert_eq!(set(conn, 2, Some("b"), 7)?, 1);
            assert_eq!(set(conn, 2, Some("c"), 7)?, 0, "it has as many already");
            Ok(())
        })
        .unwrap();
        let rows: Vec<(i64, Option<String>, i64)> = db.read_here(|conn| Ok(t::table.order(t::id).load(conn)?)).unwrap();
        assert_eq!(rows, [(1, None, 5), (2, Some("b".to_owned()), 7)]);
    }

    #[test]
    #[should_panic(expected = "two texts")]
    fn a_field_that_is_left_out_is_noticed() {
        for name in [Some("a"), None] {
            struct Here;
            let update = Update::<Here, _, _, _>::new(t::table, t::id.eq(1), Some { name, count: 1 });
            update.check::<diesel::sqlite::Sqlite>();
        }
    }
}
