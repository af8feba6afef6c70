-- Level and holidays of the shift that an override is about, as they were when the override was made: a JSON object, null
-- where the override is of the whole roster, and in rows of the version before.
ALTER TABLE roster_overrides ADD COLUMN shift_settings TEXT COLLATE "C";
