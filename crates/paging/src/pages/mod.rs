//! Pages: what was sent to whom through what, and what could not be ("Pages" in `docs/interface.md`).

pub mod explain;
pub mod facts;
pub mod http;
pub mod limits;
mod myself;
mod postmortem;
pub mod queue;
pub mod store;
mod timeline;
pub mod view;
pub mod wire;

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    config
        .service(http::search)
        .service(timeline::get)
        .service(postmortem::get)
        .service(crate::escalation::incidents::escalate)
        .service(explain::explain)
        .service(myself::test);
    config.tagged("Contact methods").service(myself::send_code).service(myself::verify);
}
