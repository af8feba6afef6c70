//! What a script of `muster runner` cannot do, whatever it tries: reach files of others, read the runner's credentials,
//! outlive its run, type into a terminal.

use std::{
    fs,
    os::unix::{
        fs::{MetadataExt as _, PermissionsExt as _},
        process::CommandExt as _,
    },
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use muster_tests::{Client, Exit, Guard, Server, both_backends, muster, skipped, unique};
use serde_json::{Value, json};

use super::{FAR_AHEAD, create, everyday, job, runs, text};

both_backends![
    no_link_of_a_script_is_followed,
    nothing_of_a_script_is_left_on_disk,
    a_script_does_not_get_the_runners_credentials,
    what_a_script_leaves_is_ended_in_time,
    a_script_has_no_terminal,
    scripts_do_not_see_each_other,
    scripts_do_not_share_files,
    scripts_do_not_share_memory,
    key_and_scripts_do_not_travel_in_the_clear,
];

/// The number of nobody, which is a user like another here.
const NOBODY: u32 = 65_534;

/// A new operator key of a client.
fn key(server: &Server, client: &Client) -> (String, String) {
    let body = json!({"name": unique("runner"), "role": "operator"});
    let made = server.admin().tenant(client.tenant_id()).post("/apiKeys", &body).ok();
    (text(&made["key"]), text(&made["secret"]))
}

/// `muster runner` for a tenant; as root, it runs scripts as nobody.
fn runner(server: &Server, client: &Client, (key, secret): &(String, String)) -> Command {
    let mut command = muster();
    command.args(["runner", "--server", server.base(), "--tenant", client.tenant_id(), "--poll=1"]);
    command.env("MUSTER_KEY", key).env("MUSTER_SECRET", secret);
    if is_root() {
        command.args(["--user", "nobody"]);
    }
    command
}

/// The same of a runner that is not root itself.
fn plain(server: &Server, client: &Client, (key, secret): &(String, String)) -> Command {
    let mut command = muster();
    command.args(["runner", "--once", "--tenant", client.tenant_id()]).env("MUSTER_SERVER", server.base());
    command.env("MUSTER_KEY", key).env("MUSTER_SECRET", secret).current_dir("/");
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn queue(client: &Client, interpreter: &str, content: &str) -> String {
    let body = json!({"name": unique("script"), "content": content, "interpreter": interpreter});
    let script = client.post("/jobs/scripts", &body).ok()["id"].clone();
    let mut body = job(FAR_AHEAD, everyday());
    body["script"] = json!({"customScript": {"id": script}});
    let id = create(client, &body);
    client.post_empty(&format!("/jobs/{id}/run")).ok();
    id
}

fn last(client: &Client, job: &str) -> Value {
    client.get(&format!("/jobs/runs/{}", text(&runs(client, job)[0]["id"]))).ok()
}

/// What a script printed that a runner carried out once.
#[track_caller]
fn printed(client: &Client, command: &mut Command, interpreter: &str, content: &str) -> String {
    let id = queue(client, interpreter, content);
    let exit = Exit::of(command);
    assert!(exit.status.success(), "{}", exit.stderr);
    let run = last(client, &id);
    assert_eq!(run["status"], "SUCCEEDED", "{run}");
    text(&run["output"])
}

/// A directory that anybody may enter.
fn work() -> tempfile::TempDir {
    let work = tempfile::tempdir().unwrap();
    fs::set_permissions(work.path(), fs::Permissions::from_mode(0o755)).unwrap();
    work
}

fn no_link_of_a_script_is_followed(server: &Server) {
    if !is_root() {
        skipped("only root gives files away");
        return;
    }
    let client = server.new_client();
    let work = work();
    let victim = work.path().join("victim");
    fs::write(&victim, "root's").unwrap();
    fs::set_permissions(&victim, fs::Permissions::from_mode(0o600)).unwrap();
    // A way to the directory that takes the kernel a while, so that there is time between two steps of the runner.
    let mut maze = "scripts".to_owned();
    fs::create_dir(work.path().join(&maze)).unwrap();
    for level in 0..30 {
        let next = format!("level-{level}");
        std::os::unix::fs::symlink(format!("{}{maze}", "./".repeat(1_900)), work.path().join(&next)).unwrap();
        maze = next;
    }
    // Another program of the scripts' user puts links where the next script is about to be.
    let attack = "my ($work, $victim) = @ARGV; while (1) { opendir(my $top, $work) or next; \
        for my $one (map { \"$work/$_\" } grep { /^muster/ } readdir $top) { my @all = ($one); \
        if (opendir(my $below, $one)) { push @all, map { \"$one/$_\" } grep { !/^\\./ } readdir $below } \
        for my $place (@all) { my $script = \"$place/script\"; next if -l $script; \
        for (1..20000) { if (unlink $script) { symlink($victim, $script); last } } } } }";
    let mut perl = Command::new("perl");
    perl.args(["-e", attack]).arg(work.path().join("scripts")).arg(&victim).uid(NOBODY).gid(NOBODY);
    let attacker = Guard::spawn(perl.stdin(Stdio::null()).stderr(Stdio::null()));
    let jobs: Vec<String> = (0..20).map(|_| queue(&client, "sh", "true")).collect();
    let key = key(server, &client);
    let mut command = runner(server, &client, &key);
    let runner = Guard::spawn(command.arg("--work-dir").arg(work.path().join(maze)).stderr(Stdio::null()));
    let until = Instant::now() + Duration::from_secs(60);
    while jobs.iter().any(|job| last(&client, job)["finishedDate"].is_null()) {
        assert!(Instant::now() < until, "not all of the scripts were carried out");
        std::thread::sleep(Duration::from_millis(200));
    }
    drop((runner, attacker));
    let found = fs::metadata(&victim).unwrap();
    assert_eq!((found.uid(), found.mode() & 0o777), (0, 0o600), "a file of root was given away");
}

fn nothing_of_a_script_is_left_on_disk(server: &Server) {
    let client = server.new_client();
    let work = work();
    let other = tempfile::tempdir().unwrap();
    let kept = other.path().join("kept");
    fs::write(&kept, "here").unwrap();
    // Links to what is not its own, and directories deeper than a path can be long.
    let content = format!(
        "symlink('{}', 'link'); mkdir 'closed'; mkdir 'closed/below'; chmod 0, 'closed'; \
         for (1..300) {{ mkdir 'd' x 20; chdir 'd' x 20 or die }} print \"made\\n\"",
        other.path().display()
    );
    let mut command = runner(server, &client, &key(server, &client));
    let output = printed(&client, command.arg("--once").arg("--work-dir").arg(work.path()), "perl", &content);
    assert_eq!(output, "made\n");
    assert_eq!(fs::read_dir(work.path()).unwrap().count(), 0, "its directory is gone");
    assert_eq!(fs::read_to_string(&kept).unwrap(), "here");
}

fn a_script_does_not_get_the_runners_credentials(server: &Server) {
    let client = server.new_client();
    let given = key(server, &client);
    let (head, tail) = given.1.split_at(given.1.len() / 2);
    let content = format!(
        "my $wanted = '{head}' . '{tail}'; $/ = undef; for my $file (</proc/[0-9]*/environ>, </proc/[0-9]*/cmdline>) \
         {{ open(my $open, '<', $file) or next; my $text = <$open>; print \"found in $file\\n\" \
         if index($text // '', $wanted) >= 0 }} print \"searched\\n\""
    );
    let found = |command: &mut Command| printed(&client, command, "perl", &content);
    assert_eq!(found(&mut plain(server, &client, &given)), "searched\n", "in the environment");
    assert_eq!(
        found(plain(server, &client, &given).arg("--host-processes")),
        "searched\n",
        "with all processes in sight"
    );
    let mut argued = plain(server, &client, &given);
    argued.env_remove("MUSTER_SECRET").args(["--host-processes", "--secret", &given.1]);
    assert_eq!(found(&mut argued), "searched\n", "on the command line");
    let mut joined = plain(server, &client, &given);
    joined.env_remove("MUSTER_SECRET").args(["--host-processes", &format!("--secret={}", given.1)]);
    assert_eq!(found(&mut joined), "searched\n", "on the command line, in one word");
    assert_eq!(found(runner(server, &client, &given).arg("--once")), "searched\n", "of a runner that may be root");
}

fn what_a_script_leaves_is_ended_in_time(server: &Server) {
    let client = server.new_client();
    let given = key(server, &client);
    for option in [None, Some("--host-processes")] {
        let mark = unique("muster-chain");
        // Each is the parent of the next, and in a session of its own.
        let content = format!(
            "use POSIX; for my $n (1..1200) {{ my $child = fork; die \"no process $n\" unless defined $child; \
             if ($child) {{ exit if $n == 1; close STDOUT; close STDERR; $0 = '{mark}'; sleep 600; exit }} \
             POSIX::setsid(); }} $0 = '{mark}'; sleep 600"
        );
        let id = queue(&client, "perl", &content);
        let begun = Instant::now();
        let exit = Exit::of(runner(server, &client, &given).arg("--once").args(option));
        assert!(exit.status.success(), "{}", exit.stderr);
        assert_eq!(last(&client, &id)["status"], "SUCCEEDED");
        // They are killed one after the other, each when the machine comes to it.
        assert!(begun.elapsed() < Duration::from_secs(60), "{option:?}: {:?}", begun.elapsed());
        assert_eq!(left(&mark), 0, "{option:?}: something of it still runs");
    }
}

/// How many processes have a text in their command line.
fn left(mark: &str) -> usize {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let left = processes.filter(|one| {
        let line = fs::read(one.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(mark)
    });
    left.count()
}

fn a_script_has_no_terminal(server: &Server) {
    let client = server.new_client();
    let given = key(server, &client);
    let content = "if (: </dev/tty) 2>/dev/null; then echo terminal; else echo none; fi\n";
    for option in [None, Some("--host-processes")] {
        let id = queue(&client, "sh", content);
        let mut command = runner(server, &client, &given);
        command.arg("--once").args(option);
        // A shell whose terminal is one that Python makes starts the runner.
        let mut terminal = Command::new("python3");
        terminal.args(["-c", "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]))"]);
        terminal.arg(command.get_program()).args(command.get_args()).stdin(Stdio::null());
        terminal.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let exit = Exit::of(&mut terminal);
        assert!(exit.status.success(), "{} {}", exit.stdout, exit.stderr);
        assert_eq!(last(&client, &id)["output"], "none\n", "{option:?}");
    }
}

fn scripts_do_not_see_each_other(server: &Server) {
    let client = server.new_client();
    // Beside the temporary files of the machine, so that it has to be hidden by itself.
    let work = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let given = key(server, &client);
    let waiting = queue(&client, "sh", "echo ready; sleep 600\n");
    let mut command = runner(server, &client, &given);
    let first = Guard::spawn(command.arg("--work-dir").arg(work.path()).stderr(Stdio::null()));
    let until = Instant::now() + Duration::from_secs(30);
    while last(&client, &waiting)["output"] != "ready\n" {
        assert!(Instant::now() < until, "the first script did not start");
        std::thread::sleep(Duration::from_millis(100));
    }
    let mut command = runner(server, &client, &given);
    let command = command.arg("--once").arg("--work-dir").arg(work.path());
    // Its own processes: the first of the namespace, the shell, and what lists them.
    let content = format!("set -- /proc/[0-9]*; echo $#\nls -A {}\necho listed\n", work.path().display());
    let output = printed(&client, command, "sh", &content);
    let (processes, rest) = output.split_once('\n').unwrap();
    assert!(processes.parse::<usize>().unwrap() <= 6, "{output}");
    assert_eq!(rest, "listed\n", "the files of another script are in sight");
    drop(first);
}

/// Of two runners with one user, which the scripts are too: neither finds or changes what the other's script writes.
fn scripts_do_not_share_files(server: &Server) {
    let client = server.new_client();
    let work = work();
    if is_root() {
        std::os::unix::fs::chown(work.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    let given = key(server, &client);
    // Where else anybody may leave files: what this machine has, and a directory that somebody made.
    let made = is_root().then(|| {
        let made = tempfile::Builder::new().prefix("muster-").tempdir_in("/run").unwrap();
        let deep = made.path().join("of/somebody");
        fs::create_dir_all(&deep).unwrap();
        fs::set_permissions(made.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(&deep, fs::Permissions::from_mode(0o1777)).unwrap();
        (made, deep)
    });
    let lock = Path::new("/run/lock").is_dir().then(|| Path::new("/run/lock").to_owned());
    let others: Vec<String> =
        lock.iter().chain(made.iter().map(|(_, deep)| deep)).map(|place| place.display().to_string()).collect();
    let content = format!(
        "pwd\nls -A /tmp /var/tmp /dev/shm $HOME\n(ls -A {work}) 2>/dev/null\n\
         for place in {others}; do ls -A $place; done\n\
         for place in . /tmp /var/tmp /dev/shm $HOME $TMPDIR {work} {others}; do \
         (echo left >$place/left) 2>/dev/null; done\n\
         echo >ready\n",
        work = work.path().display(),
        others = others.join(" ")
    );
    let sees = "/tmp\n/dev/shm:\nscript\n\n/tmp:\nscript\n\n/tmp:\nscript\n\n/var/tmp:\nscript\n".to_owned();
    let sees = &*(sees + &"script\n".repeat(others.len()));
    let waiting = queue(&client, "sh", &format!("{content}echo ready\nsleep 600\n"));
    let mut command = plain(server, &client, &given);
    let first = Guard::spawn(command.arg("--work-dir").arg(work.path()).stderr(Stdio::null()));
    let ready = format!("{sees}ready\n");
    let until = Instant::now() + Duration::from_secs(30);
    while last(&client, &waiting)["output"] != ready.as_str() {
        assert!(Instant::now() < until, "the first script printed {}", last(&client, &waiting)["output"]);
        std::thread::sleep(Duration::from_millis(100));
    }
    let mut command = plain(server, &client, &given);
    assert_eq!(printed(&client, command.arg("--work-dir").arg(work.path()), "sh", &content), sees);
    assert_eq!(printed(&client, &mut plain(server, &client, &given), "sh", &content), sees, "in another directory");
    drop(first);
    let places = ["/tmp", "/var/tmp", "/dev/shm"].map(ToOwned::to_owned).into_iter().chain(others);
    for place in places {
        assert!(!Path::new(&place).join("left").exists(), "{place} is the machine's");
    }
}

/// Nor what the other's leaves in memory that System V shares.
fn scripts_do_not_share_memory(server: &Server) {
    let client = server.new_client();
    let given = key(server, &client);
    let number = std::process::id() % 1_000_000 + 1_000;
    let makes = format!("$| = 1; print defined shmget({number}, 64, 01666) ? \"made\\n\" : \"$!\\n\"; sleep 600");
    let finds = format!("print defined shmget({number}, 64, 0) ? \"found\\n\" : \"nothing\\n\"");
    let waiting = queue(&client, "perl", &makes);
    let first = Guard::spawn(plain(server, &client, &given).stderr(Stdio::null()));
    let until = Instant::now() + Duration::from_secs(30);
    while last(&client, &waiting)["output"] != "made\n" {
        assert!(Instant::now() < until, "the first script printed {}", last(&client, &waiting)["output"]);
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(printed(&client, &mut plain(server, &client, &given), "perl", &finds), "nothing\n");
    drop(first);
}

fn key_and_scripts_do_not_travel_in_the_clear(server: &Server) {
    let client = server.new_client();
    let given = key(server, &client);
    // Nobody is there, and nobody is called.
    let mut command = plain(server, &client, &given);
    let exit = Exit::of(command.args(["--server", "http://192.0.2.1:9"]));
    assert!(!exit.status.success() && exit.stderr.contains("https://"), "{}", exit.stderr);
}
