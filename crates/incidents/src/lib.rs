//! Incidents: alerts, the incidents opened for them, and the categories they are filed under.
