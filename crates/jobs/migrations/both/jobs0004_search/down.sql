DROP INDEX job_runs_runner;
DROP INDEX job_runs_state;
DROP INDEX job_runs_due;
