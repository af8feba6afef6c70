-- What makes a table one of partitions by month (ARCHITECTURE.md, "Partitions by month"), while others write to it. No row
-- is copied: the table becomes the first partition. Three steps, each a transaction of its own, and any of which may be
-- taken again.

-- The first value of a month in a column: milliseconds, or ids of version 7 behind a prefix.
CREATE FUNCTION first_of_month(prefix text, at timestamptz) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    ms bigint := extract(epoch FROM date_trunc('month', at AT TIME ZONE 'UTC')) * 1000;
    digits text := lpad(to_hex(ms), 12, '0');
BEGIN
    RETURN CASE WHEN prefix = '' THEN ms::text ELSE prefix || left(digits, 8) || '-' || right(digits, 4) END;
END $$;

-- Step 1: new rows keep within the first partition, which ends with this month. A month that ends within a week is passed
-- over, so that nobody writes to the next one before the last step.
CREATE FUNCTION limit_to_first_partition(name text, key_column text, prefix text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT relkind FROM pg_class WHERE oid = to_regclass(name)) = 'r' THEN
        EXECUTE format('ALTER TABLE %I DROP CONSTRAINT IF EXISTS %I', name, name || '_limit');
        EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I CHECK (%I < %L) NOT VALID', name, name || '_limit', key_column,
            first_of_month(prefix, now() + interval '7 days' + interval '1 month'));
    END IF;
END $$;

-- Step 2: so do the rows that are there, which are read for it while others write. Where one does not, the table becomes
-- the partition that takes anything.
CREATE FUNCTION check_first_partition(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT relkind FROM pg_class WHERE oid = to_regclass(name)) = 'r' THEN
        EXECUTE format('ALTER TABLE %I VALIDATE CONSTRAINT %I', name, name || '_limit');
    END IF;
EXCEPTION WHEN check_violation THEN
    RAISE WARNING 'rows of % are from after this month: partitions begin behind them', name;
    EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', name, name || '_limit');
END $$;

-- Step 3: the table becomes a partition of a new table of its name, which takes over indexes, keys, triggers and rights. One
-- without rows ends where this month begins.
CREATE FUNCTION partition_by_month(name text, key_column text, prefix text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    whole oid := to_regclass(name);
    bound text;
    earlier text;
    is_empty boolean;
    definitions text[];
    definition text;
    one record;
BEGIN
    -- Who has partitioned it otherwise keeps that.
    IF (SELECT relkind FROM pg_class WHERE oid = whole) <> 'r' THEN
        RETURN;
    END IF;
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', name);
    SELECT substring(pg_get_constraintdef(oid) FROM '''([^'']+)''') INTO bound
        FROM pg_constraint WHERE conrelid = whole AND conname = name || '_limit' AND convalidated;
    EXECUTE format('SELECT NOT EXISTS (SELECT 1 FROM %I)', name) INTO is_empty;
    IF is_empty THEN
        bound := first_of_month(prefix, now());
    END IF;
    earlier := name || CASE WHEN bound IS NULL THEN '_default' ELSE '_earlier' END;

    -- Keys first, then what an index alone is, then triggers.
    SELECT array_agg(made.text ORDER BY made.place, made.text) INTO definitions FROM (
        SELECT 1 AS place, format('ALTER TABLE %I ADD CONSTRAINT %I %s', name, conname, pg_get_constraintdef(oid)) AS text
            FROM pg_constraint WHERE conrelid = whole AND contype IN ('p', 'u', 'f')
        UNION ALL
        SELECT 2, pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = whole AND indisvalid
            AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))
        UNION ALL
        SELECT 3, pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = whole AND NOT tgisinternal
        UNION ALL
        SELECT 4, format('GRANT %s ON %I TO %s', privilege_type, name,
            CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END)
            FROM pg_class, aclexplode(relacl) WHERE pg_class.oid = whole AND grantee <> relowner
        UNION ALL
        -- What refers to its rows: the rows that are there are looked at later (check_references).
        SELECT 9, format('ALTER TABLE %s ADD CONSTRAINT %I %s NOT VALID', conrelid::regclass, conname,
            replace(pg_get_constraintdef(oid), ' NOT VALID', ''))
            FROM pg_constraint WHERE confrelid = whole AND contype = 'f' AND conparentid = 0
    ) AS made;
    FOR one IN SELECT conrelid::regclass AS place, conname FROM pg_constraint
        WHERE confrelid = whole AND contype = 'f' AND conparentid = 0 LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.place, one.conname);
    END LOOP;
    FOR one IN SELECT tgname FROM pg_trigger WHERE tgrelid = whole AND NOT tgisinternal LOOP
        EXECUTE format('DROP TRIGGER %I ON %I', one.tgname, name);
    END LOOP;

    EXECUTE format('ALTER TABLE %I RENAME TO %I', name, earlier);
    FOR one IN SELECT indexrelid::regclass AS place, relname FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        WHERE indrelid = whole LOOP
        EXECUTE format('ALTER INDEX %s RENAME TO %I', one.place, one.relname || '_earlier');
    END LOOP;
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL EXCLUDING INDEXES EXCLUDING CONSTRAINTS) PARTITION BY RANGE (%I)',
        name, earlier, key_column);
    FOREACH definition IN ARRAY definitions LOOP
        IF definition NOT LIKE '% NOT VALID' THEN
            EXECUTE definition;
        END IF;
    END LOOP;
    IF bound IS NULL THEN
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I DEFAULT', name, earlier);
    ELSE
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', name, earlier, bound);
        EXECUTE format('CREATE TABLE %I PARTITION OF %I DEFAULT', name || '_default', name);
    END IF;
    EXECUTE format('ALTER TABLE %I DROP CONSTRAINT IF EXISTS %I', earlier, name || '_limit');
    FOREACH definition IN ARRAY definitions LOOP
        IF definition LIKE '% NOT VALID' THEN
            EXECUTE definition;
        END IF;
    END LOOP;
END $$;

-- Afterwards, where other tables refer to it: their rows are compared while others write.
CREATE FUNCTION check_references(name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT conrelid::regclass AS place, conname FROM pg_constraint
        WHERE confrelid = to_regclass(name) AND contype = 'f' AND conparentid = 0 AND NOT convalidated LOOP
        EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT %I', one.place, one.conname);
    END LOOP;
END $$;
