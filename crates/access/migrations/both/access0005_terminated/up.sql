-- A client that is shut for good: suspended, without API keys, and never resumed.
ALTER TABLE tenants ADD COLUMN terminated BOOLEAN NOT NULL DEFAULT FALSE;
