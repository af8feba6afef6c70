-- A system UUID is known by whichever of its two byte orders sorts first (crates/inventory/src/reports/placeholder.rs): the
-- bytes of its first three fields are turned round where that one is the other. Where both are there, they stay.
UPDATE resource_identities
SET identity = 'uuid:' || substr(identity, 12, 2) || substr(identity, 10, 2) || substr(identity, 8, 2) || substr(identity, 6, 2)
    || '-' || substr(identity, 17, 2) || substr(identity, 15, 2) || '-' || substr(identity, 22, 2) || substr(identity, 20, 2)
    || substr(identity, 24)
WHERE identity LIKE 'uuid:________-____-____-____-____________'
    AND substr(identity, 12, 2) || substr(identity, 10, 2) || substr(identity, 8, 2) || substr(identity, 6, 2)
        || '-' || substr(identity, 17, 2) || substr(identity, 15, 2) || '-' || substr(identity, 22, 2) || substr(identity, 20, 2)
        < substr(identity, 6, 18)
    AND NOT EXISTS (
        SELECT 1 FROM resource_identities AS other
        WHERE other.tenant_id = resource_identities.tenant_id
            AND other.identity = 'uuid:' || substr(resource_identities.identity, 12, 2) || substr(resource_identities.identity, 10, 2)
                || substr(resource_identities.identity, 8, 2) || substr(resource_identities.identity, 6, 2)
                || '-' || substr(resource_identities.identity, 17, 2) || substr(resource_identities.identity, 15, 2)
                || '-' || substr(resource_identities.identity, 22, 2) || substr(resource_identities.identity, 20, 2)
                || substr(resource_identities.identity, 24)
    );
