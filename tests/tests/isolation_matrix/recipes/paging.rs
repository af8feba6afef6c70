//! How the operations of paging are called; the head of `recipes.rs` says how to add one.

use super::super::{bodies::*, entities::Kind};
use super::{Recipe, op};

pub(super) const RECIPES: &[Recipe] = &[
    op("POST /users/{userId}/contactMethods").ids(&[Kind::User]).sends(CONTACT_METHOD).of_oneself(),
    op("GET /users/{userId}/contactMethods").ids(&[Kind::User]).of_oneself(),
    op("GET /users/{userId}/contactMethods/{contactMethodId}").ids(&[Kind::User, Kind::ContactMethod]).of_oneself(),
    op("POST /users/{userId}/contactMethods/{contactMethodId}")
        .ids(&[Kind::User, Kind::ContactMethod])
        .sends(NAMED)
        .of_oneself(),
    op("DELETE /users/{userId}/contactMethods/{contactMethodId}").ids(&[Kind::User, Kind::ContactMethod]).of_oneself(),
    op("GET /users/{userId}/notificationRules").ids(&[Kind::User]).of_oneself(),
    op("POST /users/{userId}/notificationRules")
        .ids(&[Kind::User])
        .sends(r#"{"urgency": "high", "steps": []}"#)
        .of_oneself(),
    op("POST /escalationPolicies").sends(ESCALATION_POLICY).refers(ESCALATION_TARGETS),
    op("GET /escalationPolicies/search")
        .filters(&["queryString=id:$escalationPolicy", "queryString=name:$escalationPolicy.name"]),
    op("GET /escalationPolicies/{policyId}").ids(&[Kind::EscalationPolicy]),
    op("POST /escalationPolicies/{policyId}")
        .ids(&[Kind::EscalationPolicy])
        .sends(ESCALATION_POLICY)
        .refers(ESCALATION_TARGETS),
    op("DELETE /escalationPolicies/{policyId}").ids(&[Kind::EscalationPolicy]),
    op("POST /alertRoutes").sends(ALERT_ROUTE).refers(&[ALERT_ROUTE]),
    op("GET /alertRoutes/search").filters(&[
        "queryString=id:$alertRoute",
        "queryString=name:$alertRoute.name",
        "queryString=policyId:$escalationPolicy",
    ]),
    op("GET /alertRoutes/{routeId}").ids(&[Kind::AlertRoute]),
    op("POST /alertRoutes/{routeId}").ids(&[Kind::AlertRoute]).sends(ALERT_ROUTE).refers(&[ALERT_ROUTE]),
    op("DELETE /alertRoutes/{routeId}").ids(&[Kind::AlertRoute]),
    op("POST /users/{userId}/contactMethods/{contactMethodId}/sendCode")
        .ids(&[Kind::User, Kind::ContactMethod])
        .of_oneself(),
    op("POST /users/{userId}/contactMethods/{contactMethodId}/verify")
        .ids(&[Kind::User, Kind::ContactMethod])
        .sends(r#"{"code": "000000"}"#)
        .of_oneself(),
    op("POST /owners").sends(r#"{"default": true}"#).refers(&[
        r#"{"default": true, "userGroup": {"uniqueId": "$userGroup"}}"#,
        r#"{"resource": {"id": "$resource"}}"#,
        r#"{"deviceGroup": {"id": "$deviceGroup"}}"#,
        r#"{"deviceGroup": {"uniqueId": "$deviceGroup.uniqueId"}}"#,
        r#"{"deviceGroup": {"name": "$deviceGroup.name"}}"#,
        r#"{"serviceGroup": {"id": "$serviceGroup"}}"#,
        r#"{"serviceGroup": {"uniqueId": "$serviceGroup.uniqueId"}}"#,
        r#"{"serviceGroup": {"name": "$serviceGroup.name"}}"#,
        r#"{"site": {"id": "$site"}}"#,
        r#"{"site": {"name": "$site.name"}}"#,
    ]),
    op("GET /owners/search").filters(&[
        "queryString=id:$owner",
        "queryString=target:$resource",
        "queryString=userGroupId:$userGroup",
    ]),
    op("DELETE /owners/{ownerId}").ids(&[Kind::Owner]),
    op("GET /resources/{resourceId}/onCall").ids(&[Kind::Resource]).asks("at=2026-11-20T23:00:00Z"),
    op("GET /pages/search").filters(&["queryString=alertId:$alert", "queryString=userId:$user"]),
    op("GET /alerts/{alertId}/timeline").ids(&[Kind::Alert]),
    op("POST /alerts/{alertId}/actions/escalate").ids(&[Kind::HandedOverAlert]).sends("{}"),
    op("POST /alerts/{alertId}/actions/handOver")
        .ids(&[Kind::Alert])
        .sends(r#"{"users": [{"id": "$reachableUser"}]}"#)
        .refers(&[r#"{"users": [{"id": "$reachableUser"}]}"#, r#"{"roster": {"id": "$onCallRoster"}}"#]),
    op("POST /incidents/{incidentId}/escalate")
        .ids(&[Kind::Incident])
        .sends(r#"{"policy": {"id": "$escalationPolicy"}}"#)
        .refers(&[r#"{"policy": {"id": "$escalationPolicy"}}"#]),
    op("GET /incidents/{incidentId}/postmortem").ids(&[Kind::Incident]),
    op("POST /paging/explain")
        .sends(r#"{"alert": {"currentState": "Critical", "subject": "$new"}, "at": "2026-11-20T23:00:00Z"}"#)
        .refers(&[r#"{"alertId": "$alert", "at": "2026-11-20T23:00:00Z"}"#]),
    op("POST /paging/test").sends("{}"),
];
