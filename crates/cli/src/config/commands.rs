//! The commands: what they are asked for, what they print and how they end.

use std::{
    io::{IsTerminal as _, Write as _, stdin, stdout},
    process::ExitCode,
    time::Duration,
};

use serde_json::Value;

use super::{
    apply::Applier,
    convert::missing_secrets,
    credentials::Credentials,
    documents::{self, Document, Shapes},
    export::{others, read_tenant},
    folder::write_files,
    json_schema,
    managed::{ManagedObjects, change_set_name},
    plan::{self as planning, Action, PlanInput},
    report,
    service::{Refusal, Service},
    tenant::Tenant,
};
use crate::{
    call::{self, Session},
    clock::now,
    connection,
    failure::print_error,
    operations::{self, Operation},
    options::{Apply, ConnectionOptions, Export, FileOptions, Form, Plan},
    output::print_text,
    problem,
};

/// The exit status of a plan that has something to do.
const DIFFERENCES: u8 = 2;
/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(60);
/// How often a request is sent again to a busy service, where nothing can be done twice.
const RETRIES: u32 = 10;

/// What went wrong, a line each.
type Errors = Vec<String>;

/// `muster schema`. `document` makes the OpenAPI document.
///
/// # Errors
/// When the document cannot be made.
pub fn schema(document: impl FnOnce() -> anyhow::Result<Value>) -> anyhow::Result<()> {
    let document = document()?;
    let operations = operations::all(&document);
    let shapes = Shapes::new(&operations).map_err(anyhow::Error::msg)?;
    print_text(&format!("{:#}\n", json_schema::schema(&shapes)))?;
    Ok(())
}

/// `muster export`.
pub fn export(options: &Export, document: impl FnOnce() -> anyhow::Result<Value>) -> ExitCode {
    run(document, |operations, shapes| {
        let mut service = connect(&options.connection, operations)?;
        let made =
            read_tenant(shapes, &mut service, now().map_err(|error| vec![error.to_string()])?).map_err(refused)?;
        for note in &made.notes {
            print_error(&format!("muster: {note}"));
        }
        write_files(&options.dir, &made.files).map_err(|error| vec![error])?;
        for other in others(&options.dir, &made) {
            print_error(&format!("muster: {}: is not of this export", other.display()));
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// `muster plan`.
pub fn plan(options: &Plan, document: impl FnOnce() -> anyhow::Result<Value>) -> ExitCode {
    run(document, |operations, shapes| {
        let documents = documents::read(&options.files.dir, shapes)?;
        let mut service = connect(&options.files.connection, operations)?;
        with_plan(documents, shapes, &options.files, &mut service, |_, _, actions| {
            let text = match options.output {
                Form::Text => report::text(actions, false),
                Form::Json => format!("{:#}\n", report::json(actions)),
            };
            say(&text)?;
            Ok(if actions.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(DIFFERENCES) })
        })
    })
}

/// `muster apply`.
pub fn apply(options: &Apply, document: impl FnOnce() -> anyhow::Result<Value>) -> ExitCode {
    run(document, |operations, shapes| {
        let documents = documents::read(&options.files.dir, shapes)?;
        let mut service = connect(&options.files.connection, operations)?;
        let name = options.change_set.clone().unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
        let name = change_set_name(&options.files.managed_by, &name);
        service.set_change_set(&name);
        with_plan(documents, shapes, &options.files, &mut service, |service, tenant, actions| {
            if actions.is_empty() {
                say(&report::text(actions, options.keep_current))?;
                return Ok(ExitCode::SUCCESS);
            }
            find_secrets(actions, shapes)?;
            if !options.yes && stdin().is_terminal() && !is_wanted(actions, options.keep_current)? {
                return Err(vec!["nothing was done".to_owned()]);
            }
            let credentials = Credentials::open(options.credentials.as_deref()).map_err(|error| vec![error])?;
            let mut applier = Applier {
                service,
                shapes,
                names: tenant.names.clone(),
                keeps_current: options.keep_current,
                credentials,
                differing: Vec::new(),
            };
            let done = carry_out(&mut applier, actions);
            say(&applier.differing.concat())?;
            done?;
            say(&format!("Done: {}, in the change set {name:?}.\n", report::done(actions)))?;
            Ok(ExitCode::SUCCESS)
        })
    })
}

/// Does what a command does, and says what went wrong.
fn run(
    document: impl FnOnce() -> anyhow::Result<Value>,
    work: impl FnOnce(&[Operation<'_>], &Shapes<'_>) -> Result<ExitCode, Errors>,
) -> ExitCode {
    let done = document().map_err(|error| vec![format!("{error:#}")]).and_then(|document| {
        let operations = operations::all(&document);
        let shapes = Shapes::new(&operations).map_err(|error| vec![error])?;
        work(&operations, &shapes)
    });
    done.unwrap_or_else(|errors| {
        for error in errors {
            print_error(&problem::plain(&error));
        }
        ExitCode::FAILURE
    })
}

/// Makes the plan of documents, and does something with it.
fn with_plan<'d>(
    mut documents: Vec<Document>,
    shapes: &Shapes<'_>,
    options: &FileOptions,
    service: &mut Service<'d>,
    work: impl FnOnce(&mut Service<'d>, &Tenant<'_>, &[Action<'_>]) -> Result<ExitCode, Errors>,
) -> Result<ExitCode, Errors> {
    let managed = if options.prune {
        ManagedObjects::read(&options.managed_by, service).map_err(refused)?
    } else {
        ManagedObjects::default()
    };
    let tenant = planning::load(&mut documents, &managed, shapes, service).map_err(refused)?;
    let now = now().map_err(|error| vec![error.to_string()])?;
    let wishes = PlanInput { managed: &managed, send_secrets: options.send_secrets, now };
    let plan = planning::plan(&documents, &tenant, shapes, &wishes)?;
    for note in &plan.notes {
        print_error(&format!("muster: {note}"));
    }
    work(service, &tenant, &plan.actions)
}

/// Looks for the secrets that actions send, so that none is missed when its turn comes.
fn find_secrets(actions: &[Action<'_>], shapes: &Shapes<'_>) -> Result<(), Errors> {
    let mut errors = Vec::new();
    for action in actions.iter().filter(|action| action.sends_fields()) {
        let Some(document) = action.document else { continue };
        let missing = missing_secrets(shapes.of(action.kind), &document.body, &document.folder);
        errors.extend(missing.into_iter().map(|why| format!("{}: {why}", document.place())));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Carries out actions, each told when it is done, until one is refused.
fn carry_out(applier: &mut Applier<'_, '_>, actions: &[Action<'_>]) -> Result<(), Errors> {
    for (index, action) in actions.iter().enumerate() {
        if let Err(why) = applier.apply(action) {
            let place = action.document.map(|document| format!("{}: ", document.place())).unwrap_or_default();
            let left = actions.get(index + 1..).unwrap_or_default();
            let mut errors = vec![format!("{place}{} was refused: {why}", action.title())];
            errors.push(format!("{index} of {} were done; not done, beside it:", actions.len()));
            errors.extend(left.iter().map(|action| format!("  {}", action.title())));
            return Err(errors);
        }
        say(&format!("{}\n", action.title()))?;
    }
    Ok(())
}

/// Asks the person at the terminal.
fn is_wanted(actions: &[Action<'_>], keeps_current: bool) -> Result<bool, Errors> {
    let fault = |error: std::io::Error| vec![error.to_string()];
    print_text(&report::text(actions, keeps_current)).map_err(fault)?;
    let mut to = stdout().lock();
    write!(to, "Do it? (yes or no) ").and_then(|()| to.flush()).map_err(fault)?;
    let mut answer = String::new();
    stdin().read_line(&mut answer).map_err(fault)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Prints a text.
fn say(text: &str) -> Result<(), Errors> {
    print_text(text).map_err(|error| vec![error.to_string()])
}

/// A refusal, as it is told.
fn refused(refusal: Refusal) -> Errors {
    vec![format!("muster: {}", refusal.text())]
}

/// The service that options, profile and environment name.
///
/// # Errors
/// What is missing or wrong of these.
pub fn connect<'d>(options: &ConnectionOptions, operations: &'d [Operation<'d>]) -> Result<Service<'d>, Errors> {
    let fault = |error: String| vec![format!("muster: {error}")];
    let found = connection::find(options, &connection::variable).map_err(fault)?;
    let settings = [
        ("server", found.server.is_some()),
        ("tenant", found.tenant.is_some()),
        ("key", found.key.is_some()),
        ("secret", found.secret.is_some()),
    ];
    let missing = settings.into_iter().filter(|(_, is_there)| !is_there);
    let errors: Errors = missing.map(|(name, _)| format!("muster: {}", connection::missing(name))).collect();
    let (Some(server), Some(tenant), true) = (&found.server, found.tenant.clone(), errors.is_empty()) else {
        return Err(errors);
    };
    let root = call::root(server, found.allow_http).map_err(fault)?;
    let session = Session::new(root.clone(), found, TIMEOUT, RETRIES).map_err(fault)?;
    Ok(Service::new(session, root, tenant, operations))
}
