//! The tenants of the matrix, what each has planted, and how a request is sent and its answer looked through.

use std::sync::atomic::AtomicUsize;

use muster_tests::{Backend, Client, Exit, Response, Server, muster, unique, uuid};
use serde_json::{Value, json};

use super::{
    document::{self, Operation, ROLES},
    entities::{Entity, Kind, named_in},
    recipes::{Recipe, recipes},
};

/// One server and the tenants on it.
pub(super) struct World {
    pub(super) server: Server,
    /// How many columns are tried at the moment.
    pub(super) running: AtomicUsize,
    pub(super) operations: Vec<Operation>,
    /// How each of them is called: looked for once, since each column asks for all of them many times.
    recipes: Vec<Option<&'static Recipe>>,
    /// The caller's tenant, a client of `msp_1`.
    pub(super) mine: Tenant,
    /// Its partner, `msp_1`.
    pub(super) partner: Tenant,
    /// Tenants of which neither may see anything: a sibling of the client first, then another partner and its client.
    pub(super) others: Vec<Tenant>,
    /// A key of each role at the caller's tenant, weakest first.
    pub(super) roles: Vec<(&'static str, Client)>,
    /// A session and a person's key of each role there.
    pub(super) people: Vec<(&'static str, Client)>,
    /// For each operation of partners, a key of the partner that may call that one alone. They are made at the start:
    /// clients see the users of their partner's keys.
    of_partners: Vec<(String, Client)>,
}

/// A tenant that has one entity of each kind, all with its marker in their texts.
pub(super) struct Tenant {
    pub(super) id: String,
    /// The partner that it belongs to, or itself.
    pub(super) partner: String,
    /// A caller with an admin key of this tenant itself.
    pub(super) admin: Client,
    marker: String,
    entities: Vec<Entity>,
    /// What it showed of them when they were new.
    before: Vec<(String, String)>,
}

/// A request, made up.
#[derive(Clone)]
pub(super) struct Sent {
    method: String,
    path: String,
    content_type: &'static str,
    body: Option<String>,
    header: Option<(&'static str, String)>,
}

impl AsRef<Server> for World {
    fn as_ref(&self) -> &Server {
        &self.server
    }
}

impl World {
    pub(super) fn new(backend: Backend) -> Self {
        // Deliveries of integrations are attempted once, and then stay as they are.
        let server = Server::start_with(backend, &["--retry-schedule", "30d"]);
        let operations = document::operations(&server);
        let partner = Tenant::plant("msp_1", "msp_1", server.admin(), &operations);
        let client = |server: &Server| {
            let id = server.new_client().tenant_id().to_owned();
            let admin = server.caller(&id, "admin");
            Tenant::plant(&id, "msp_1", admin, &operations)
        };
        let mine = client(&server);
        let sibling = client(&server);
        let mut others = vec![sibling];
        others.extend(second_partner(&server, &operations));
        let of_partners = operations.iter().filter(|known| recipe(known).is_some_and(|recipe| recipe.of_partners));
        let of_partners =
            of_partners.map(|known| (known.id.clone(), narrowed(&server, &partner, &[&known.id]))).collect();
        for tenant in &mut others {
            tenant.before = tenant.shown(&operations, true);
        }
        let roles = ROLES.map(|role| (role, server.caller(&mine.id, role))).to_vec();
        let people = ROLES.iter().flat_map(|role| people(&server, &mine, role)).collect();
        let recipes = operations.iter().map(recipe).collect();
        let running = AtomicUsize::new(0);
        let mut world =
            Self { server, running, operations, recipes, mine, partner, others, roles, people, of_partners };
        // Its lists change with its clients.
        world.partner.before = world.partner.shown(&world.operations, false);
        world
    }

    /// A caller with a new admin key of [`Self::mine`] that is restricted to these operations.
    pub(super) fn narrowed(&self, operations: &[&str]) -> Client {
        narrowed(&self.server, &self.mine, operations)
    }

    /// A caller who may call this operation alone, at [`Self::home`].
    pub(super) fn narrowed_to(&self, operation: &Operation) -> Client {
        let of_partners = self.of_partners.iter().find(|(id, _)| *id == operation.id);
        of_partners.map_or_else(|| self.narrowed(&[&operation.id]), |(_, caller)| caller.clone())
    }

    /// Every operation that is not public, with its recipe. That each has one is a test of its own.
    pub(super) fn guarded(&self) -> impl Iterator<Item = (&Operation, &'static Recipe)> {
        let all = self.operations.iter().zip(&self.recipes);
        all.filter(|(operation, _)| operation.role.is_some())
            .filter_map(|(operation, found)| Some((operation, (*found)?)))
    }

    /// Those that a client's tenant has.
    pub(super) fn of_clients(&self) -> impl Iterator<Item = (&Operation, &'static Recipe)> {
        self.guarded().filter(|(operation, recipe)| operation.is_of_a_tenant() && !recipe.of_partners)
    }

    /// Whose entities stand in for those that an operation is called on, for a caller of [`Self::mine`].
    pub(super) fn home(&self, recipe: &Recipe) -> &Tenant {
        if recipe.of_partners { &self.partner } else { &self.mine }
    }

    /// Sends a request by a caller who may see `home` and, if that is a partner, its clients. Nothing of any other
    /// tenant may be in the answer, but for what was sent.
    pub(super) fn send(&self, caller: &Client, home: Option<&Tenant>, sent: &Sent) -> Response {
        let mut request = caller.absolute(&sent.method, &sent.path);
        if let Some((name, value)) = &sent.header {
            request = request.header(name, value);
        }
        let answer = match &sent.body {
            Some(body) => request.body(sent.content_type, body.as_str()).send(),
            None => request.send(),
        };
        let whole = answer.whole();
        for tenant in [&self.mine, &self.partner].into_iter().chain(&self.others) {
            let sees = home.is_some_and(|home| tenant.id == home.id || tenant.partner == home.id);
            let named = sent.path.contains(&tenant.marker)
                || sent.body.as_ref().is_some_and(|body| body.contains(&tenant.marker));
            assert!(sees || named || !whole.contains(&tenant.marker), "shows something of {}: {answer}", tenant.id);
        }
        answer
    }

    /// What the other tenants have is as it was.
    pub(super) fn others_are_untouched(&self) {
        for tenant in self.others.iter().chain([&self.partner]) {
            let lists = tenant.id != self.partner.id;
            for ((name, before), (_, after)) in tenant.before.iter().zip(tenant.shown(&self.operations, lists)) {
                assert_eq!(*before, after, "{name} of {} was changed", tenant.id);
            }
        }
    }
}

impl Tenant {
    fn plant(id: &str, partner: &str, admin: Client, operations: &[Operation]) -> Self {
        let marker = format!("marker{}", &uuid()[..8]);
        let named = |recipe: &'static Recipe| {
            let referred = recipe.references.iter().map(|template| named_in(template));
            recipe.ids.iter().copied().chain(referred).collect::<Vec<_>>()
        };
        let used: Vec<Kind> = operations.iter().filter_map(recipe).flat_map(named).collect();
        let kinds = Kind::ALL.into_iter().filter(|kind| kind.is_at(id) && used.contains(kind));
        let entities = kinds.map(|kind| {
            // What clients see of their partner is not a leak; so the users that keys act as are.
            let seen = id == "msp_1"
                && (kind.clients_see_their_partners() || [Kind::ApiKey, Kind::InboundAddress].contains(&kind));
            let name = if seen { "shared" } else { marker.as_str() };
            kind.make(&admin, &unique(name))
        });
        let mut entities: Vec<Entity> = entities.collect();
        // `$userGroup` before `$user`, where a template is filled.
        entities.sort_by_key(|entity| std::cmp::Reverse(entity.kind.word().len()));
        Self { id: id.to_owned(), partner: partner.to_owned(), admin, marker, entities, before: Vec::new() }
    }

    /// All that it planted, each with its owner.
    pub(super) fn entities_of(&self) -> impl Iterator<Item = (&Self, &Entity)> {
        self.entities.iter().map(move |entity| (self, entity))
    }

    /// The planted entity of a kind.
    pub(super) fn entity(&self, kind: Kind) -> Option<&Entity> {
        self.entities.iter().find(|entity| entity.kind == kind)
    }

    /// The ids that a recipe asks for, of the planted entities; none when this tenant has no such entity.
    pub(super) fn ids(&self, recipe: &Recipe) -> Option<Vec<String>> {
        let entities: Option<Vec<&Entity>> = recipe.ids.iter().map(|kind| self.entity(*kind)).collect();
        Some(ids_of(&entities?))
    }

    /// A template with its planted entities in it.
    pub(super) fn fill(&self, template: &str) -> String {
        self.entities.iter().fold(template.to_owned(), |text, entity| entity.fill(&text))
    }

    /// New entities of its own for what a recipe asks.
    pub(super) fn fresh_ids(&self, recipe: &Recipe) -> Vec<String> {
        let made: Vec<Entity> = recipe.ids.iter().map(|kind| kind.make(&self.admin, &unique("fresh"))).collect();
        ids_of(&made.iter().collect::<Vec<_>>())
    }

    /// All that it shows its own admin of what was planted, but for where the stream of changes stands: what was
    /// planted may not have been handed on there yet.
    fn shown(&self, operations: &[Operation], lists: bool) -> Vec<(String, String)> {
        let reads = operations.iter().filter(|known| known.method == "GET" && known.is_of_a_tenant());
        let reads = reads.filter(|known| known.name() != "GET /changes");
        let reads = reads.filter_map(|known| Some((known, recipe(known)?))).filter(|(_, recipe)| {
            !recipe.changes && (lists || !recipe.ids.is_empty()) && (!recipe.of_partners || self.id == self.partner)
        });
        reads
            .filter_map(|(operation, recipe)| {
                let sent = Sent::new(operation, recipe, self, &self.ids(recipe)?);
                let answer = self.admin.absolute("GET", &sent.path).send();
                assert_eq!(answer.status, 200, "{answer}");
                Some((operation.name(), without_uses(&answer.text())))
            })
            .collect()
    }
}

impl Sent {
    /// The operation at a tenant, on entities with these ids.
    pub(super) fn new(operation: &Operation, recipe: &Recipe, tenant: &Tenant, ids: &[String]) -> Self {
        Self::at(&tenant.id, operation, recipe, tenant, ids)
    }

    /// The same request, sent to another tenant's path.
    pub(super) fn at(path: &str, operation: &Operation, recipe: &Recipe, tenant: &Tenant, ids: &[String]) -> Self {
        assert_eq!(ids.len(), recipe.ids.len(), "{}", recipe.operation);
        let query = recipe.query.map(|query| format!("?{query}")).unwrap_or_default();
        Self {
            method: operation.method.clone(),
            path: operation.at(path, ids) + &query,
            content_type: recipe.content_type,
            body: recipe.body.map(|body| with_new_names(&tenant.fill(body))),
            header: None,
        }
    }

    /// The same with a header.
    #[must_use]
    pub(super) fn header(self, name: &'static str, value: &str) -> Self {
        Self { header: Some((name, value.to_owned())), ..self }
    }

    /// A request that is not the same, byte by byte.
    #[must_use]
    pub(super) fn altered(self) -> Self {
        Self { body: self.body.map(|body| body + " "), ..self }
    }

    #[must_use]
    pub(super) fn body(self, template: &str) -> Self {
        Self { body: Some(with_new_names(template)), ..self }
    }

    #[must_use]
    pub(super) fn query(self, query: &str) -> Self {
        let separator = if self.path.contains('?') { '&' } else { '?' };
        Self { path: format!("{}{separator}{query}", self.path), ..self }
    }
}

/// Their ids, as a path has them: what is part of another stands behind that.
fn ids_of(entities: &[&Entity]) -> Vec<String> {
    let mut ids: Vec<String> = entities.iter().map(|entity| entity.id()).collect();
    for (place, entity) in entities.iter().enumerate() {
        if let Some(inside) = &entity.inside {
            for (before, id) in inside.rsplit('/').enumerate() {
                // A path may name the part alone.
                if let Some(place) = place.checked_sub(1 + before) {
                    id.clone_into(&mut ids[place]);
                }
            }
        }
    }
    ids
}

/// The text without the times at which keys were used: their owner uses them.
fn without_uses(text: &str) -> String {
    let mut pieces = text.split(",\"lastUsedAt\":\"");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |kept, piece| kept + piece.split_once('"').map_or("", |(_, rest)| rest))
}

fn narrowed(server: &Server, tenant: &Tenant, operations: &[&str]) -> Client {
    let body = json!({"name": unique("narrow"), "role": "admin", "operations": operations});
    let made = server.admin().tenant(&tenant.id).post("/apiKeys", &body).ok();
    let field = |name: &str| made[name].as_str().expect("key and secret are texts");
    tenant.admin.with_token(&server.token(field("key"), field("secret")))
}

/// Somebody with this role, on a browser and with a key.
fn people(server: &Server, tenant: &Tenant, role: &'static str) -> [(&'static str, Client); 2] {
    let admin = server.admin().tenant(&tenant.id);
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let user = text(&admin.post("/users", &json!({"loginName": unique("person"), "role": role})).ok()["id"]);
    let key = admin.post("/apiKeys", &json!({"name": unique("personal"), "role": role, "userId": user})).ok();
    let token = server.token(&text(&key["key"]), &text(&key["secret"]));
    let link = text(&admin.post_empty(&format!("/users/{user}/signInLink")).ok()["url"]);
    let browser = muster_tests::Browser::sign_in(server, &link);
    [(role, tenant.admin.with_token(&token)), (role, tenant.admin.with_cookie(&browser.cookie))]
}

fn recipe(operation: &Operation) -> Option<&'static Recipe> {
    let name = operation.meant();
    recipes().find(|recipe| recipe.operation == name)
}

fn with_new_names(template: &str) -> String {
    template.replace("$new", &unique("new"))
}

/// Another partner with a client, in this order.
fn second_partner(server: &Server, operations: &[Operation]) -> [Tenant; 2] {
    let run = |arguments: &[&str]| {
        let mut command = muster();
        command.args(arguments).arg("--data-dir").arg(server.data_dir());
        if let Some(url) = server.database_url() {
            command.args(["--database-url", url]);
        }
        let exit = Exit::of(&mut command);
        assert!(exit.status.success(), "{arguments:?}: {}{}", exit.stdout, exit.stderr);
        exit.stdout.trim().to_owned()
    };
    let id = run(&["tenant", "create", "--partner", &unique("partner")]);
    let key = run(&["key", "create", "--tenant", &id, "--name", "first", "--role", "admin"]);
    let value =
        |name: &str| key.lines().find_map(|line| line.strip_prefix(name)).expect("a line of the key").to_owned();
    let token = server.token(&value("MUSTER_KEY="), &value("MUSTER_SECRET="));
    let admin = server.anonymous().tenant(&id).with_token(&token);
    let field = |answer: Value, name: &str| answer[name].as_str().expect("a text").to_owned();

    let client_id = field(admin.post("/clients", &json!({"name": unique("client")})).ok(), "uniqueId");
    let at_client = admin.tenant(&client_id);
    let made = at_client.post("/apiKeys", &json!({"name": "first", "role": "admin"})).ok();
    let token = server.token(&field(made.clone(), "key"), &field(made, "secret"));
    let client = Tenant::plant(&client_id, &id, at_client.with_token(&token), operations);
    [Tenant::plant(&id, &id, admin, operations), client]
}

/// What of an answer may tell two ids apart: all but the request id and the id itself.
pub(super) fn essence(answer: &Response, entity: &[String]) -> (u16, Vec<String>, String) {
    let headers = ["content-type", "allow", "www-authenticate", "etag", "cache-control", "retry-after"];
    let headers = headers.map(|name| answer.header(name).unwrap_or_default().to_owned()).to_vec();
    let text = answer.text();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| json!(line)));
    let mut body = Value::Array(lines.collect());
    blank(&mut body, entity);
    (answer.status, headers, body.to_string())
}

fn blank(value: &mut Value, entity: &[String]) {
    match value {
        Value::Object(fields) => {
            fields.remove("requestId");
            fields.values_mut().for_each(|field| blank(field, entity));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| blank(item, entity)),
        Value::String(text) => *text = without(text, entity),
        _ => {}
    }
}

/// The text without these words, where they stand as words.
fn without(text: &str, words: &[String]) -> String {
    let mut rest = text.to_owned();
    for word in words {
        let mut out = String::new();
        while let Some(at) = rest.find(word.as_str()) {
            let before = &rest[..at];
            let after = &rest[at + word.len()..];
            // What stands before may be the word itself, which was none there.
            out.push_str(before);
            let whole =
                !out.ends_with(|c: char| c.is_alphanumeric()) && !after.starts_with(|c: char| c.is_alphanumeric());
            out.push_str(if whole { "ENTITY" } else { word });
            rest = after.to_owned();
        }
        rest = out + &rest;
    }
    rest
}
