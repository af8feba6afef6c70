ALTER TABLE roster_overrides DROP COLUMN shift_settings;
