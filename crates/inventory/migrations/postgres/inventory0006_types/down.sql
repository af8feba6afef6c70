CREATE INDEX resources_resource_type_id ON resources (tenant_id, resource_type_id);
