-- What makes a page happen once, when a unique index of pages has to have the time by which they are partitioned: an alert or
-- incident with round, step, person and contact method, or the id of a page of anything else. The database itself keeps
-- them, also for gateways that know none.
CREATE TABLE page_keys (
    tenant_id TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, key)
);
CREATE FUNCTION page_key(id text, alert_id text, round bigint, step bigint, user_id text, method_id text) RETURNS text
    LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE alert_id WHEN '' THEN id
        ELSE alert_id || ' ' || round || ' ' || step || ' ' || user_id || ' ' || method_id END
$$;
CREATE FUNCTION keep_page_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO page_keys VALUES (NEW.tenant_id,
            page_key(NEW.id, NEW.alert_id, NEW.round, NEW.step, NEW.user_id, NEW.method_id));
    ELSE
        DELETE FROM page_keys WHERE tenant_id = OLD.tenant_id
            AND key = page_key(OLD.id, OLD.alert_id, OLD.round, OLD.step, OLD.user_id, OLD.method_id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER page_keys AFTER INSERT OR DELETE ON pages FOR EACH ROW EXECUTE FUNCTION keep_page_key();

-- The keys of the pages that are there.
CREATE FUNCTION fill_page_keys() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO page_keys SELECT tenant_id, page_key(id, alert_id, round, step, user_id, method_id) FROM pages
        ON CONFLICT DO NOTHING;
END $$;

-- The primary key gets the time, by an index that is there; what page_keys has need not be unique any more.
CREATE FUNCTION key_pages_by_time() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pages_by_time') IS NOT NULL THEN
        ALTER TABLE pages DROP CONSTRAINT pages_pkey,
            ADD CONSTRAINT pages_pkey PRIMARY KEY USING INDEX pages_by_time;
        DROP INDEX pages_once;
    END IF;
END $$;
