//! The calendar from outside: example values, properties, and an independent slow implementation that agrees.

mod cost;
mod examples;
mod generate;
mod properties;
mod slow;
mod wire_jobs;
mod wire_maintenance;
mod wire_properties;
mod wire_rosters;
