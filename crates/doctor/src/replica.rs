//! What is found of a read replica.

use std::time::Duration;

use db::{DatabaseUrl, ReplicaLag};

use crate::report::Report;

const WHAT: &str = "replica";

impl Report {
    /// Is it a standby of the database, and how far is it behind? A service goes on without it.
    pub fn replica(&mut self, primary: &DatabaseUrl, replica: &DatabaseUrl, most_lag: Duration) {
        let shown = replica.without_password();
        if let Err(error) = db::check_replica_url(primary, replica) {
            return self.fault(WHAT, error);
        }
        let ReplicaLag { bytes, age } = match db::measure_replica(primary, replica) {
            Ok(lag) => lag,
            Err(error) if error.may_pass() => {
                return self.warning(WHAT, format!("{shown}: {error}: everything is read from the database meanwhile"));
            }
            Err(error) => return self.fault(WHAT, format!("{shown}: {error}")),
        };
        if bytes == 0 {
            return self.good(WHAT, format!("{shown} has replayed all there is"));
        }
        let age_seconds = age.as_secs_f64();
        let text = format!("{shown} lacks {bytes} bytes of the log; its last transaction is {age_seconds:.1} s old");
        if age > most_lag { self.warning(WHAT, text) } else { self.good(WHAT, text) }
    }
}
