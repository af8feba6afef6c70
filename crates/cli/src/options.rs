//! The command lines. Of `muster api` its own options: parameters and fields of operations are in the OpenAPI document.

use std::path::PathBuf;

use clap::{Args, Parser, ValueEnum};

/// The command line of `muster api`.
#[derive(Args)]
pub struct Api {
    /// The operation, then its parameters and fields; without any, a list of all operations
    #[arg(value_name = "OPERATION --NAME VALUE", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) arguments: Vec<String>,
}

/// The command line of `muster completions`.
#[derive(Args)]
pub struct Completions {
    /// For which shell
    pub(crate) shell: Shell,
}

/// A shell that completes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// The command line of `muster export`.
#[derive(Args)]
pub struct Export {
    /// Where the files are written, a folder for each kind
    pub(crate) dir: PathBuf,
    #[command(flatten)]
    pub(crate) connection: ConnectionOptions,
}

/// The command line of `muster plan`.
#[derive(Args)]
pub struct Plan {
    #[command(flatten)]
    pub(crate) files: FileOptions,
    /// How the plan is printed
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub(crate) output: Form,
}

/// The command line of `muster apply`.
#[derive(Args)]
pub struct Apply {
    #[command(flatten)]
    pub(crate) files: FileOptions,
    /// Do it without asking; away from a terminal nobody is asked
    #[arg(long)]
    pub(crate) yes: bool,
    /// Keep whose turn it is in rotations that change, to the end of the turn; this moves their `start`
    #[arg(long)]
    pub(crate) keep_current: bool,
    /// What the change set of all writes is called, behind the label; without it, a name that no other has
    #[arg(long, value_name = "NAME")]
    pub(crate) change_set: Option<String>,
    /// Add what the service answers only once (tokens, signing secrets) to this file, as lines of JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) credentials: Option<PathBuf>,
}

/// Files of desired state, and what is done about objects.
#[derive(Args)]
pub struct FileOptions {
    /// Where the files are
    pub(crate) dir: PathBuf,
    /// Delete what files of this label created or changed and none describes any more; needs an admin's key
    #[arg(long)]
    pub(crate) prune: bool,
    /// The label of these files, with which the name of the change set begins
    #[arg(long, value_name = "LABEL", default_value = "files", value_parser = label)]
    pub(crate) managed_by: String,
    /// Send the secrets of all objects, though nothing else of them changes
    #[arg(long)]
    pub(crate) send_secrets: bool,
    #[command(flatten)]
    pub(crate) connection: ConnectionOptions,
}

fn label(text: &str) -> Result<String, String> {
    let good = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.' | '/');
    let is_label = (1..=40).contains(&text.len()) && text.chars().all(good);
    is_label.then(|| text.to_owned()).ok_or_else(|| "is 1 to 40 letters, digits, - _ . /".to_owned())
}

/// How a plan is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Form {
    /// For people
    Text,
    /// For programs
    Json,
}

/// What a shell asks while somebody types.
#[derive(Args)]
pub struct Complete {
    /// The words behind the program's name; the last is the one that is completed
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<String>,
}

/// Where `muster sink` listens, on this machine alone.
#[derive(Args)]
pub struct Sink {
    /// The port for HTTP; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 8025)]
    pub(crate) http_port: u16,
    /// The port for mail; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 8026)]
    pub(crate) smtp_port: u16,
}

const USAGE: &str = "muster api [OPTIONS] OPERATION [--NAME VALUE]…";

const EXAMPLES: &str = "\
Parameters and fields of the body are options, too, by the names that `muster api OPERATION --help` shows, in their \
own \
spelling or in kebab-case. A dot leads into an object, and repeating an option makes an array:

  muster api --list alert
  muster api reportAlert --help
  muster api reportAlert --currentState Critical --subject 'Disk full' --device.hostName web-01
  muster api searchResources --queryString 'hostName:web' --all --output ndjson
  muster api updateResource --resourceId ID --if-match '\"3\"' --tags.name env --tags.value prod
  muster api bulkUpsertResources --body machines.csv

A profile is a section of profiles.toml ($XDG_CONFIG_HOME/muster, or ~/.config/muster), which only its owner may read:

  [production]
  server = \"https://muster.example.net\"
  tenant = \"client_1\"
  key = \"…\"
  secret = \"…\"

Options win over the profile that --profile names, that over the environment, and that over MUSTER_PROFILE or, where \
nothing else names a server, the profile `default`.

The exit status is 0 when the service did it, 1 when it refused or failed, 2 when the command line is wrong (nothing \
was \
sent then), and 3 when the service could not be reached.";

/// Where the service is, and who calls.
#[derive(Args, Clone)]
pub struct ConnectionOptions {
    /// Where the service is, such as https://muster.example.net [env: MUSTER_SERVER]
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// The tenant: a client, or a partner [env: MUSTER_TENANT]
    #[arg(long, value_name = "ID")]
    pub tenant: Option<String>,
    /// The API key [env: MUSTER_KEY]
    #[arg(long)]
    pub key: Option<String>,
    /// Its secret; better in the environment or in a profile, where other users do not see it [env: MUSTER_SECRET]
    #[arg(long)]
    pub secret: Option<String>,
    /// The section of profiles.toml that has the above [env: MUSTER_PROFILE]
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// Send the key over plain http:// beyond this machine [env: MUSTER_ALLOW_HTTP]
    #[arg(long)]
    pub allow_http: bool,
    /// Trust the certificates of this authority (a PEM file) beside those of the system [env: MUSTER_CA]
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
}

/// Call an operation of the service, by its operationId
#[derive(Parser)]
#[command(name = "muster api", override_usage = USAGE, after_help = EXAMPLES)]
pub struct ApiOptions {
    /// List operations: all, or those that have all the words that follow
    #[arg(long)]
    pub list: bool,
    #[command(flatten)]
    pub connection: ConnectionOptions,
    /// How answers are printed; lists as a table on a terminal, all else as JSON, unless this says otherwise
    #[arg(long, value_name = "FORM")]
    pub output: Option<Output>,
    /// The columns of a table, such as id,name,location.name
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// Fetch all pages of a list, not one
    #[arg(long)]
    pub all: bool,
    /// The whole body from a file, or from standard input (-), in place of fields
    #[arg(long, value_name = "FILE|-", allow_hyphen_values = true)]
    pub body: Option<String>,
    /// What that body is; by default what the name of the file says, or the first that the operation takes
    #[arg(long, value_name = "TYPE")]
    pub content_type: Option<String>,
    /// Print status and headers of the answer on standard error, such as the ETag for --if-match
    #[arg(long)]
    pub include: bool,
    /// Print the request that would be sent, and send nothing
    #[arg(long)]
    pub print_request: bool,
    /// How often to try again when the service is busy (429, 503), where nothing can be done twice
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(..=20))]
    pub retries: u32,
    /// How long to wait for an answer and each further piece of it [default: 60, and 3600 with --body]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: Option<u64>,
}

/// How answers are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Output {
    /// As the service answered, indented
    Json,
    /// A row of a list on each line
    Ndjson,
    /// Columns for people
    Table,
}
