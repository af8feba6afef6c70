-- Pages are sent tenant after tenant, and codes and tests in a line of their own: which tenants have some that are due.
CREATE INDEX pages_turns ON pages (tenant_id, due_ms, id, method_id) WHERE due_ms IS NOT NULL AND kind NOT IN ('code', 'test');
CREATE INDEX pages_codes ON pages (tenant_id, due_ms, id, method_id) WHERE due_ms IS NOT NULL AND kind IN ('code', 'test');
