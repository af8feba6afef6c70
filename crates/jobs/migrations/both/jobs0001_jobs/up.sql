-- Scheduled jobs. `_ms` columns are milliseconds since the epoch; `name_key` is folded. `schedule` and `script` are
-- JSON as clients see them, `script` without what the library of scripts has: `script_id` names that. `next_due_ms` is
-- when the next run is due, null when none will be.
CREATE TABLE jobs (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    name_key TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    schedule TEXT COLLATE "C" NOT NULL,
    zone TEXT COLLATE "C" NOT NULL,
    start_ms BIGINT NOT NULL,
    job_type TEXT COLLATE "C" NOT NULL,
    script TEXT COLLATE "C" NOT NULL,
    script_id BIGINT,
    misfire TEXT COLLATE "C" NOT NULL,
    lateness_s BIGINT,
    overlap TEXT COLLATE "C" NOT NULL,
    time_limit_s BIGINT NOT NULL,
    active BOOLEAN NOT NULL,
    next_due_ms BIGINT,
    created_by TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_by TEXT COLLATE "C" NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX jobs_due ON jobs (next_due_ms, tenant_id, id) WHERE next_due_ms IS NOT NULL;
CREATE INDEX jobs_name ON jobs (tenant_id, name_key, id);
CREATE INDEX jobs_start ON jobs (tenant_id, start_ms, id);
CREATE INDEX jobs_type ON jobs (tenant_id, job_type, id);
CREATE INDEX jobs_script ON jobs (script_id) WHERE script_id IS NOT NULL;

-- The resources of jobs, in the order in which they were given; `resource_tenant` owns the resource.
CREATE TABLE job_resources (
    tenant_id TEXT COLLATE "C" NOT NULL,
    job_id TEXT COLLATE "C" NOT NULL,
    resource_id TEXT COLLATE "C" NOT NULL,
    resource_tenant TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, job_id, resource_id)
);
CREATE INDEX job_resources_resource ON job_resources (tenant_id, resource_id, job_id);

-- What a runner has to be to carry out the runs of a job.
CREATE TABLE job_labels (
    tenant_id TEXT COLLATE "C" NOT NULL,
    job_id TEXT COLLATE "C" NOT NULL,
    label TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, job_id, label)
);

-- Runs, those that did not take place too. The key is what makes a run happen once: its job and when it was due. A run
-- by hand is never due at a whole second, a scheduled one always. `finished_ms` is null while the run is open;
-- `attempt` counts the claims, and `lease_ms` is when the last of them ends, `lease_s` how
-- long it was asked for. `maintenance` is a JSON array.
CREATE TABLE job_runs (
    tenant_id TEXT COLLATE "C" NOT NULL,
    job_id TEXT COLLATE "C" NOT NULL,
    due_ms BIGINT NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    job_name TEXT COLLATE "C" NOT NULL,
    job_type TEXT COLLATE "C" NOT NULL,
    cause TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    exclusive BOOLEAN NOT NULL,
    maintenance TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    started_ms BIGINT,
    finished_ms BIGINT,
    attempt BIGINT NOT NULL,
    lease_ms BIGINT,
    lease_s BIGINT NOT NULL,
    runner TEXT COLLATE "C" NOT NULL,
    runner_user TEXT COLLATE "C" NOT NULL,
    exit_code BIGINT,
    output_bytes BIGINT NOT NULL,
    output_cut BOOLEAN NOT NULL,
    PRIMARY KEY (tenant_id, job_id, due_ms)
);
CREATE UNIQUE INDEX job_runs_id ON job_runs (tenant_id, id);
CREATE INDEX job_runs_open ON job_runs (tenant_id, state, due_ms, id) WHERE finished_ms IS NULL;
CREATE INDEX job_runs_open_job ON job_runs (tenant_id, job_id, state) WHERE finished_ms IS NULL;
CREATE INDEX job_runs_lease ON job_runs (lease_ms) WHERE finished_ms IS NULL;
CREATE INDEX job_runs_finished ON job_runs (finished_ms) WHERE finished_ms IS NOT NULL;

-- What runs printed, in pieces as they came.
CREATE TABLE job_output (
    tenant_id TEXT COLLATE "C" NOT NULL,
    run_id TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    text TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, run_id, position)
);

-- The library of scripts. `platforms` is a JSON array.
CREATE TABLE job_scripts (
    tenant_id TEXT COLLATE "C" NOT NULL,
    id BIGINT NOT NULL,
    version BIGINT NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    name_key TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    platforms TEXT COLLATE "C" NOT NULL,
    interpreter TEXT COLLATE "C" NOT NULL,
    content TEXT COLLATE "C" NOT NULL,
    bytes BIGINT NOT NULL,
    created_by TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_by TEXT COLLATE "C" NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX job_scripts_name ON job_scripts (tenant_id, name_key);
CREATE UNIQUE INDEX job_scripts_id ON job_scripts (id);
