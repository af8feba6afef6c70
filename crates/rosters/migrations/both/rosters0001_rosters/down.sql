DROP TABLE roster_calendars;
DROP TABLE roster_revisions;
DROP TABLE roster_overrides;
DROP TABLE roster_shifts;
DROP TABLE rosters;
