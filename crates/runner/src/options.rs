//! The command lines of `muster runner` and `muster launch`.

use std::{ffi::OsString, path::PathBuf};

use base::tenant::TenantId;
use clap::Args;

/// The command line of `muster runner`.
#[derive(Args)]
pub struct Options {
    /// Where the service is, such as https://muster.example.net
    #[arg(long, env = "MUSTER_SERVER", value_name = "URL")]
    pub(crate) server: String,
    /// Send the key and take scripts over plain http:// beyond this machine
    #[arg(long, env = "MUSTER_RUNNER_ALLOW_HTTP")]
    pub(crate) allow_http: bool,
    /// The API key, at least an operator
    #[arg(long, env = "MUSTER_KEY", required_unless_present = "credentials_stdin")]
    pub(crate) key: Option<String>,
    /// Its secret; better set in the environment, where other users do not see it
    #[arg(long, env = "MUSTER_SECRET", hide_env_values = true, required_unless_present = "credentials_stdin")]
    pub(crate) secret: Option<String>,
    /// Read key and secret from standard input, the lines that `muster key create` prints
    #[arg(long)]
    pub(crate) credentials_stdin: bool,
    /// Whose jobs: a client, or a partner
    #[arg(long, env = "MUSTER_TENANT")]
    pub(crate) tenant: TenantId,
    /// Of a partner: take its clients' scripts too, not only its own
    #[arg(long, env = "MUSTER_RUNNER_CLIENTS")]
    pub(crate) clients: bool,
    /// The name of this runner; by default that of the machine
    #[arg(long, env = "MUSTER_RUNNER_NAME")]
    pub(crate) name: Option<String>,
    /// What this runner is; a job with labels needs a runner that has them all
    #[arg(long = "label", env = "MUSTER_RUNNER_LABELS", value_delimiter = ',')]
    pub(crate) labels: Vec<String>,
    /// Only jobs that have one of these resources, by id
    #[arg(long = "resource", env = "MUSTER_RUNNER_RESOURCES", value_delimiter = ',')]
    pub(crate) resources: Vec<String>,
    /// The user that scripts run as; root has to name one
    #[arg(long, env = "MUSTER_RUNNER_USER", value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Let scripts become somebody else (sudo, su); what does so may outlive its time limit
    #[arg(long, env = "MUSTER_RUNNER_ALLOW_SETUID")]
    pub(crate) allow_setuid: bool,
    /// Let scripts see the processes of this machine, not only their own
    #[arg(long, env = "MUSTER_RUNNER_HOST_PROCESSES")]
    pub(crate) host_processes: bool,
    /// How many processes and threads the user of scripts may have at once
    #[arg(long, env = "MUSTER_RUNNER_PROCESSES", value_name = "NUMBER", default_value_t = 4096,
        value_parser = clap::value_parser!(u64).range(16..))]
    pub(crate) processes: u64,
    /// Where each script gets a directory of its own; by default the directory for temporary files
    #[arg(long, env = "MUSTER_RUNNER_WORK_DIR", value_name = "DIR")]
    pub(crate) work_dir: Option<PathBuf>,
    /// How long to wait before asking again when there is nothing to do, in seconds
    #[arg(long, env = "MUSTER_RUNNER_POLL", value_name = "SECONDS", default_value_t = 5,
        value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) poll: u64,
    /// Carry out one run, or none when none is waiting, and exit
    #[arg(long)]
    pub(crate) once: bool,
    /// Trust the certificates of this authority (a PEM file) beside those of the system
    #[arg(long, env = "MUSTER_RUNNER_CA", value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
}

/// What `muster runner` wants a script to be.
#[derive(Args)]
pub struct Launch {
    /// As whom the script runs; without it, as who this is
    #[arg(long, requires = "gid")]
    pub(crate) uid: Option<u32>,
    /// In which group
    #[arg(long, requires = "uid")]
    pub(crate) gid: Option<u32>,
    /// In namespaces of its own
    #[arg(long)]
    pub(crate) isolated: bool,
    /// A directory that it does not see, when it has namespaces of its own
    #[arg(long)]
    pub(crate) hide: Option<PathBuf>,
    /// This is the first process in there
    #[arg(long)]
    pub(crate) first: bool,
    /// How many processes its user may have
    #[arg(long)]
    pub(crate) processes: u64,
    /// The program that reads the script, and its arguments
    #[arg(last = true, required = true)]
    pub(crate) command: Vec<OsString>,
}
