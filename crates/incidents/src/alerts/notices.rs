//! Intake of notices from other domains, as reports.

use base::timestamp::Timestamp;
use db::{Conn, Result};
use outbox::{Actor, Tx};
use ports::{Notice, Notices, ResourceKey};

use super::{
    intake::{self, Origin},
    report::{DeviceNames, Report, STATES},
};
use crate::neighbours::Neighbours;

/// Answers [`Notices`]: takes in notices as reports.
pub struct NoticeIntake(Neighbours);

impl NoticeIntake {
    /// With the ports that the intake uses.
    pub fn new(neighbours: Neighbours) -> Self {
        Self(neighbours)
    }
}

impl Notices for NoticeIntake {
    fn notice(&self, conn: &mut Conn, notices: &[Notice], at: Timestamp) -> Result<()> {
        // In one order, so that two gateways do not wait for each other.
        let mut notices: Vec<&Notice> = notices.iter().collect();
        notices.sort_unstable_by(|one, other| (&one.tenant, &one.about).cmp(&(&other.tenant, &other.about)));
        for of_tenant in notices.chunk_by(|one, other| one.tenant == other.tenant) {
            let Some(first) = of_tenant.first() else { continue };
            let mut scope: Vec<String> = std::iter::once(first.tenant.clone())
                .chain(of_tenant.iter().filter_map(|notice| Some(notice.resource.as_ref()?.0.clone())))
                .collect();
            scope.sort_unstable();
            scope.dedup();
            // Each kind is a sender of its own.
            let mut kinds: Vec<&str> = of_tenant.iter().map(|notice| notice.about.0).collect();
            kinds.dedup();
            for kind in kinds {
                let origin = Origin { home: first.tenant.clone(), scope: scope.clone(), sender: kind.to_owned() };
                let of_kind = of_tenant.iter().filter(|notice| notice.about.0 == kind);
                let reports: Vec<_> = of_kind.map(|notice| Ok(report(notice))).collect();
                Tx::run(conn, &Actor::service(kind), at, |tx| intake::take_in(tx, &self.0, &origin, &reports))?;
            }
        }
        Ok(())
    }
}

fn report(notice: &Notice) -> Report {
    let (kind, id) = &notice.about;
    let severity = notice.severity.unwrap_or("Ok");
    let device = notice.resource.as_ref().map_or_else(DeviceNames::default, |(_, id)| DeviceNames {
        keys: vec![ResourceKey::Id(id.clone())],
        device: None,
    });
    Report {
        state: STATES.into_iter().find(|known| *known == severity).unwrap_or("Critical"),
        subject: notice.subject.clone(),
        description: notice.description.clone(),
        metric: (*kind).to_owned(),
        component: notice.component.clone(),
        app: "Muster".to_owned(),
        device,
        key: Some(id.clone()),
        ext_alert_id: id.clone(),
        ..Report::default()
    }
}
