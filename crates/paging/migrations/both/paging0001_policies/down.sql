DROP TABLE alert_routes;
DROP TABLE escalation_policies;
DROP TABLE notification_rules;
DROP TABLE contact_methods;
