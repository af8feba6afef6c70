//! Maintenance windows: when machines are worked on, and which alerts that concerns.
