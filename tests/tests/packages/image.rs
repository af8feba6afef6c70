//! The image, built by buildah and started. The images that it starts from are somebody else's and large; what stands
//! in for them has a shell, the libraries of the program and nothing to compile with: `make` gives the program that is
//! tested.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use muster_tests::{Guard, debian_programs, http, muster, skipped};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{output, packaging};

/// In namespaces of their own, which end with the first process: buildah needs a root that may mount.
const APART: [&str; 6] = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];

/// Lays the libraries in `$1` over those of the machine in `$2`, and starts the rest.
const WITH_LIBRARIES: &str = r#"mount -t overlay overlay -o "lowerdir=$1:$2" "$2" && shift 2 && exec "$@""#;

/// What the first stage is built with: the sources are there, and what `.dockerignore` names is not.
const MAKE: &str = "#!/bin/sh
set -e
[ \"$*\" = build ] && [ -f Makefile ] && [ -f .cargo/config.toml ] && [ ! -e target ] && [ ! -e .git ]
install -D /given/muster target/release/muster
";

/// buildah, unpacked beside what cargo builds, with images of its own.
struct Buildah {
    program: PathBuf,
    /// Of its packages.
    libraries: PathBuf,
    home: TempDir,
}

impl Buildah {
    /// Says so where it cannot be had or cannot work.
    fn here() -> Option<Self> {
        let [program, arguments @ ..] = APART;
        let apart = Command::new(program).args(arguments).arg("true").stderr(Stdio::null()).status();
        if !apart.is_ok_and(|status| status.success()) {
            skipped("buildah needs a root that may mount");
            return None;
        }
        let Ok(told) = Command::new("apt-cache").args(["depends", "buildah"]).output() else {
            skipped("there is no apt-cache to ask what buildah needs");
            return None;
        };
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        let libraries = told.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
        let mut packages = vec!["buildah"];
        packages.extend(libraries.filter(|name| name.starts_with("lib") && *name != "libc6"));
        let programs = debian_programs(&packages)?;
        let folders = fs::read_dir(programs.join("../lib")).unwrap().flatten().map(|entry| entry.path());
        let libraries = folders.into_iter().find(|path| path.to_string_lossy().contains("-linux-gnu")).unwrap();
        let home = tempfile::tempdir().unwrap();
        let configuration = home.path().join(".config/containers");
        fs::create_dir_all(&configuration).unwrap();
        let storage = format!(
            "[storage]\ndriver = 'vfs'\nrunroot = '{0}/run'\ngraphroot = '{0}/images'\n",
            home.path().display()
        );
        fs::write(configuration.join("storage.conf"), storage).unwrap();
        fs::write(configuration.join("policy.json"), r#"{"default": [{"type": "insecureAcceptAnything"}]}"#).unwrap();
        Some(Self { program: programs.join("buildah"), libraries: fs::canonicalize(libraries).unwrap(), home })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let [program, apart @ ..] = APART;
        let own = Path::new("/usr/lib").join(self.libraries.file_name().unwrap_or_default());
        let mut command = Command::new(program);
        command.args(apart).args(["sh", "-c", WITH_LIBRARIES, "sh"]).arg(&self.libraries).arg(own).arg(&self.program);
        command.args(arguments).env("HOME", self.home.path());
        command.env("CONTAINERS_STORAGE_CONF", self.home.path().join(".config/containers/storage.conf"));
        command
    }

    #[track_caller]
    fn run(&self, arguments: &[&str]) -> String {
        output(&mut self.command(arguments))
    }
}

/// Copies a program with the libraries that it is linked with.
fn copy(program: &Path, root: &Path) {
    let linked = output(Command::new("ldd").arg(program));
    let libraries = linked.split_whitespace().filter(|word| word.starts_with('/')).map(PathBuf::from);
    let own = Path::new("/usr/bin").join(program.file_name().unwrap());
    for (from, to) in libraries.map(|path| (path.clone(), path)).chain([(program.to_owned(), own)]) {
        let to = root.join(to.strip_prefix("/").unwrap());
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(&from, &to).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
    }
}

fn script(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn an_image_is_built_and_starts_behind_a_proxy() {
    let Some(buildah) = Buildah::here() else { return };
    let at = |name: &str| buildah.home.path().join(name);
    let text = |path: &Path| path.to_string_lossy().into_owned();
    // The program without what a debugger wants: every stage has a copy.
    fs::create_dir(at("given")).unwrap();
    output(Command::new("strip").arg(muster().get_program()).arg("-o").arg(at("given/muster")));
    copy(&at("given/muster"), &at("base"));
    fs::remove_file(at("base/usr/bin/muster")).unwrap();
    for program in ["/bin/sh", "/usr/bin/install", "/bin/rm"] {
        copy(Path::new(program), &at("base"));
    }
    std::os::unix::fs::symlink("usr/bin", at("base/bin")).unwrap();
    script(&at("tools/make"), MAKE);
    script(&at("tools/apt-get"), "#!/bin/sh\n");
    buildah.run(&["from", "--name", "base", "scratch"]);
    buildah.run(&["add", "base", &text(&at("base")), "/"]);
    buildah.run(&["config", "--env", "PATH=/usr/bin", "base"]);
    buildah.run(&["commit", "base", "debian:stable-slim"]);
    buildah.run(&["add", "base", &text(&at("tools")), "/usr/bin"]);
    buildah.run(&["commit", "base", "rust:slim"]);

    let file = text(&packaging().join("Containerfile"));
    let top = text(&packaging().join("../.."));
    let given = format!("{}:/given:ro", text(&at("given")));
    let building =
        ["bud", "--isolation", "chroot", "--pull-never", "--volume", &given, "-f", &file, "-t", "muster", &top];
    buildah.run(&building);
    let image: Value = serde_json::from_str(&buildah.run(&["inspect", "--type", "image", "muster"])).unwrap();
    let image = &image["OCIv1"]["config"];
    assert_eq!((&image["User"], &image["Cmd"]), (&json!("65532:65532"), &json!(["serve"])), "{image}");
    assert_eq!(image["Volumes"], json!({"/var/lib/muster": {}}), "{image}");
    let entry = image["Entrypoint"][0].as_str().unwrap();

    buildah.run(&["from", "--pull-never", "--name", "started", "muster"]);
    let start =
        ["run", "--isolation", "chroot", "started", "--", entry, "serve", "--behind-proxy", "--listen", "0.0.0.0:0"];
    let mut started = Guard::spawn(buildah.command(&start).stdout(Stdio::piped()).stderr(Stdio::piped()));
    let lines = BufReader::new(started.process().stdout.take().unwrap()).lines().map_while(Result::ok);
    let place = lines.into_iter().find_map(|line| line.strip_prefix("Muster listens at ").map(str::to_owned));
    let place = place.expect("it starts").replace("0.0.0.0", "127.0.0.1");
    let ready = http().get(format!("{place}/health/ready")).send().unwrap();
    assert_eq!(ready.status(), 200);
}
