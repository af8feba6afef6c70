DROP TABLE job_scripts;
DROP TABLE job_output;
DROP TABLE job_runs;
DROP TABLE job_labels;
DROP TABLE job_resources;
DROP TABLE jobs;
