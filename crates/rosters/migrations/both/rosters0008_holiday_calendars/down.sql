DROP INDEX roster_shifts_holidays;
ALTER TABLE roster_shifts DROP COLUMN holidays;
DROP TABLE roster_holiday_owners;
DROP TABLE roster_holidays;
DROP TABLE roster_holiday_calendars;
