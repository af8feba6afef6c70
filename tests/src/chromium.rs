//! A Chromium that shows the console, driven through its own driver (WebDriver), which hands on what only the browser's
//! debugging interface has: what it asked for, what it complained of, other sizes and colours.

mod crash;
mod requests;
mod turn;

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use reqwest::blocking::Client as Http;
use serde_json::{Value, json};

use self::crash::BrowserLog;
use self::requests::{BrowserRequests, Request};
use self::turn::Turn;
use crate::{Guard, Pauses, skipped};

pub use self::crash::{Crash, once_more_after_a_crash};

/// The version that the tests were written for.
const AXE: &str = "axe-core@4.14.1";

/// The rules of axe that are asked about.
const WCAG: &str = "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']";

/// More stops of the Tab key than any screen has.
const MOST_TABS: usize = 500;

/// How long a page has for what it was asked to do, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(20);

/// The programs `chromium` and `chromedriver`, installed where that can be done. `None`, and a line on the terminal
/// that says so, where it cannot; where `CI` is `true` that is a failure, since the tests would pass without having
/// looked.
fn programs() -> Option<&'static (PathBuf, PathBuf)> {
    static PROGRAMS: OnceLock<Option<(PathBuf, PathBuf)>> = OnceLock::new();
    let found = PROGRAMS.get_or_init(|| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/chromium.sh");
        let answer = Command::new("sh").arg(script).stdin(Stdio::null()).output().ok();
        let text = answer.filter(|answer| answer.status.success());
        let text = text.map(|answer| String::from_utf8_lossy(&answer.stdout).into_owned());
        let mut lines = text.as_deref().unwrap_or_default().lines().map(PathBuf::from);
        let found = lines.next().zip(lines.next());
        if found.is_none() {
            skipped("no Chromium with its driver here, nor could they be installed");
        }
        found
    });
    found.as_ref()
}

/// The text of axe, which looks for what people cannot see, reach or understand; as [`programs`] where it cannot be
/// had.
pub fn axe() -> Option<&'static str> {
    static TEXT: OnceLock<Option<String>> = OnceLock::new();
    let text = TEXT.get_or_init(|| {
        let text = fetch_axe();
        if text.is_none() {
            skipped(&format!("no {AXE} here, nor could npm fetch it"));
        }
        text
    });
    text.as_deref()
}

fn fetch_axe() -> Option<String> {
    let program = std::env::current_exe().ok()?;
    let target = program.ancestors().nth(3)?;
    let directory = target.join(AXE.replace('@', "-"));
    let text = || std::fs::read_to_string(directory.join("package/axe.min.js")).ok();
    if let Some(text) = text() {
        return Some(text);
    }
    // Made under another name, so that what is there is whole.
    let new = target.join(format!("axe-new-{}", std::process::id()));
    std::fs::create_dir_all(&new).ok()?;
    let run = |command: &mut Command| {
        let quiet = command.current_dir(&new).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        quiet.status().is_ok_and(|status| status.success())
    };
    if run(Command::new("npm").args(["pack", AXE])) && run(Command::new("sh").args(["-c", "tar -xzf axe-core-*.tgz"])) {
        let _ = std::fs::rename(&new, &directory);
    }
    let _ = std::fs::remove_dir_all(&new);
    text()
}

/// Starts a driver; it, the port that it listens at, and what its browser says. `None` when it ended before it
/// listened.
fn start(driver: &Path) -> Option<(Guard, u16, BrowserLog)> {
    let mut command = Command::new(driver);
    command.args(["--port=0", "--enable-chrome-logs"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut driver = Guard::spawn(&mut command);
    let said = BrowserLog::default();
    said.listen(driver.process().stderr.take().expect("its errors are piped"));
    let out = driver.process().stdout.take().expect("its output is piped");
    let mut lines = BufReader::new(out).lines().map_while(Result::ok);
    let told = lines.find(|line| line.contains("started successfully on port"))?;
    let port = told.trim_end_matches('.').rsplit(' ').next()?.parse().ok()?;
    // What it says further is read, so that it never waits for a reader.
    std::thread::spawn(move || lines.for_each(drop));
    Some((driver, port, said))
}

/// A window of a browser that nobody else uses. It reaches nothing but this machine.
pub struct Window {
    session: String,
    http: Http,
    /// Complaints that were read.
    complaints: Mutex<Vec<String>>,
    asked: Mutex<BrowserRequests>,
    said: BrowserLog,
    /// The browser died.
    gone: AtomicBool,
    _driver: Guard,
    _turn: Turn,
}

impl Window {
    /// Opens one; `None` where there is no Chromium, which was said then.
    pub fn open() -> Option<Self> {
        let (chromium, program) = programs()?;
        let turn = Turn::wait();
        // The port that it chooses may be taken before it listens there.
        let started = (0..5).find_map(|_| start(program));
        let (driver, port, said) = started.expect("chromedriver starts");
        let http = Http::builder().timeout(Duration::from_secs(120)).no_proxy().build().expect("a client");
        let mut arguments = vec![
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--window-size=1440,900",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        ];
        if crash::lacks_shared_memory() {
            arguments.push("--disable-dev-shm-usage");
        }
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"binary": chromium, "args": arguments},
            "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"},
        }}});
        let made = match post(&http, &format!("http://127.0.0.1:{port}/session"), &wanted) {
            Err(answer) if crash::is_gone(&answer) => crash::died(&answer, &said),
            answer => answer.unwrap_or_else(|answer| panic!("no browser: {answer}")),
        };
        let id = made["sessionId"].as_str().unwrap_or_else(|| panic!("no session: {made}"));
        let session = format!("http://127.0.0.1:{port}/session/{id}");
        Some(Self {
            session,
            http,
            complaints: Mutex::default(),
            asked: Mutex::default(),
            said,
            gone: AtomicBool::new(false),
            _driver: driver,
            _turn: turn,
        })
    }

    /// Opens an address, and waits until it is there.
    pub fn go(&self, url: &str) {
        self.asked().goes_to(url);
        self.command("url", &json!({"url": url}));
        // On a busy machine the driver answers before the page has a body.
        self.until("document.body && document.readyState !== 'loading'");
    }

    /// What an expression of the page is; a promise is waited for.
    #[track_caller]
    pub fn evaluate(&self, expression: &str) -> Value {
        let given = json!({"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true});
        let mut answer = self.debug("Runtime.evaluate", &given);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].take()
    }

    /// Waits until an expression of the page holds.
    #[track_caller]
    pub fn until(&self, expression: &str) {
        let deadline = Instant::now() + PATIENCE;
        let wanted = format!("!!({expression})");
        let pauses = Pauses::begin();
        while self.evaluate(&wanted) != json!(true) {
            assert!(Instant::now() < deadline, "never: {expression}\nThe page says:\n{}", self.text());
            pauses.pause();
        }
    }

    /// What people read.
    pub fn text(&self) -> String {
        self.evaluate("document.body?.innerText ?? ''").as_str().unwrap_or_default().to_owned()
    }

    /// Waits until people read a text.
    #[track_caller]
    pub fn shows(&self, text: &str) {
        // Between two pages there is none.
        self.until(&format!("document.body?.innerText.includes({})", json!(text)));
    }

    /// Clicks the button, link or summary with a text, or else the shortest that begins with it; in the dialog when
    /// there is one.
    #[track_caller]
    pub fn click(&self, text: &str) {
        let text = json!(text);
        let found = format!(
            "[...(document.querySelector('dialog[open]') || document).querySelectorAll('button, a, summary')]\
             .filter(one => one.textContent.trim().startsWith({text}) && !one.disabled && one.checkVisibility())\
             .sort((one, other) => one.textContent.trim().length - other.textContent.trim().length)[0]"
        );
        self.until(&found);
        self.evaluate(&format!("{found}.click()"));
    }

    /// Puts a text into a field of a form, as somebody who types does.
    #[track_caller]
    pub fn fill(&self, selector: &str, text: &str) {
        let field = format!("(document.querySelector('dialog[open]') || document).querySelector({})", json!(selector));
        self.until(&field);
        self.evaluate(&format!("{field}.focus()"));
        let kind = self.evaluate(&format!("{field}.type || ''"));
        if kind == json!("select-one") || kind == json!("datetime-local") {
            let set = format!("{field}.value = {}", json!(text));
            self.evaluate(&format!(
                "{set}, ['input', 'change'].map(kind => \
                 {field}.dispatchEvent(new Event(kind, {{bubbles: true}}))).length"
            ));
        } else {
            self.evaluate(&format!("{field}.select?.()"));
            self.debug("Input.insertText", &json!({"text": text}));
        }
    }

    /// Presses a key: a letter, a sign, or one by its name, such as `Enter`.
    pub fn press(&self, key: &str) {
        let text = if key.chars().count() == 1 {
            key
        } else if key == "Enter" {
            "\r"
        } else {
            ""
        };
        let code = match key {
            "Enter" => 13,
            "Tab" => 9,
            "Escape" => 27,
            " " => 32,
            "ArrowUp" => 38,
            "ArrowDown" => 40,
            _ => 0,
        };
        let kind = if text.is_empty() { "rawKeyDown" } else { "keyDown" };
        let down = json!({"type": kind, "key": key, "text": text, "windowsVirtualKeyCode": code});
        self.debug("Input.dispatchKeyEvent", &down);
        self.debug("Input.dispatchKeyEvent", &json!({"type": "keyUp", "key": key, "windowsVirtualKeyCode": code}));
    }

    /// Presses Tab until an expression of what has the focus (`one`) holds.
    #[track_caller]
    pub fn tab_to(&self, expression: &str) {
        let there = format!("(one => !!({expression}))(document.activeElement)");
        for _ in 0..MOST_TABS {
            if self.evaluate(&there) == json!(true) {
                return;
            }
            self.press("Tab");
        }
        panic!("Tab never leads to what is {expression}\nThe page says:\n{}", self.text());
    }

    /// Types a text in place of what the field with the focus holds, key by key.
    pub fn type_over(&self, text: &str) {
        // Ctrl and A, which the browser hands on as what it is for.
        for kind in ["rawKeyDown", "keyUp"] {
            let given = json!({"type": kind, "key": "a", "modifiers": 2, "windowsVirtualKeyCode": 65,
                "commands": ["selectAll"]});
            self.debug("Input.dispatchKeyEvent", &given);
        }
        for letter in text.chars() {
            self.press(&letter.to_string());
        }
    }

    /// As wide as that, with light or dark colours.
    pub fn looks(&self, width: u32, dark: bool) {
        self.is_wide(width);
        self.is_dark(dark);
    }

    /// As wide as that.
    pub fn is_wide(&self, width: u32) {
        let height = if width < 500 { 780 } else { 900 };
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.debug("Emulation.setDeviceMetricsOverride", &size);
    }

    /// With light or dark colours.
    pub fn is_dark(&self, dark: bool) {
        let scheme = if dark { "dark" } else { "light" };
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.debug("Emulation.setEmulatedMedia", &media);
    }

    /// A command of the browser's debugging interface.
    #[track_caller]
    pub fn debug(&self, name: &str, given: &Value) -> Value {
        self.command("goog/cdp/execute", &json!({"cmd": name, "params": given}))
    }

    /// Runs a script in this page and, before anything else, in each further one.
    #[track_caller]
    pub fn run_everywhere(&self, source: &str) {
        self.debug("Page.addScriptToEvaluateOnNewDocument", &json!({"source": source}));
        self.evaluate(&format!("(() => {{ {source} }})()"));
    }

    /// Somebody with a role is signed in: what the role may not is not to be asked for.
    pub fn acts_as(&self, role: &str) {
        self.asked().acts_as(role);
    }

    /// Method and address of everything that was asked for since the last time.
    pub fn requests(&self) -> Vec<Request> {
        self.read_requests();
        std::mem::take(&mut self.asked().unread)
    }

    fn read_requests(&self) {
        let log = self.command("se/log", &json!({"type": "performance"}));
        self.asked().read(&log);
    }

    fn asked(&self) -> MutexGuard<'_, BrowserRequests> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the browser complained of: violations of the policy, and what nobody caught. That a request was answered
    /// with an error is not a complaint. And every request that was made of anybody else, is in no document, or needs
    /// another role.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.command("se/log", &json!({"type": "browser"}));
        let mut all = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        let told = log.as_array().into_iter().flatten().filter(|entry| entry["source"] != "network");
        all.extend(told.map(|entry| format!("{}: {}", entry["level"], entry["message"])));
        self.read_requests();
        all.append(&mut self.asked().astray);
        all.clone()
    }

    /// What axe has against the page, by the rules of WCAG 2.2 AA; nothing where there is no axe.
    pub fn barriers(&self) -> Vec<Value> {
        self.barriers_in("document")
    }

    /// The same of an element of it.
    pub fn barriers_in(&self, element: &str) -> Vec<Value> {
        self.violations(element, &format!("runOnly: {WCAG}"))
    }

    /// Those of them that do not come of colours.
    pub fn barriers_beside_colours_in(&self, element: &str) -> Vec<Value> {
        self.violations(element, &format!("runOnly: {WCAG}, rules: {{'color-contrast': {{enabled: false}}}}"))
    }

    /// Those of them that come of colours alone, which are what takes longest to find.
    pub fn faint_texts_in(&self, element: &str) -> Vec<Value> {
        self.violations(element, "runOnly: {type: 'rule', values: ['color-contrast']}")
    }

    /// What violates rules of axe. It is asked for nothing else, since to tell where each passed takes it longer.
    fn violations(&self, element: &str, chosen: &str) -> Vec<Value> {
        let Some(axe) = axe() else { return Vec::new() };
        if self.evaluate("typeof axe") != json!("object") {
            self.evaluate(axe);
        }
        let found = self.evaluate(&format!(
            "axe.run({element}, {{{chosen}, resultTypes: ['violations'], selectors: false}}).then(found => \
             found.violations.map(one => [one.id, one.nodes.slice(0, 3).map(node => \
             [node.html.slice(0, 200), node.failureSummary])]))"
        ));
        found.as_array().cloned().unwrap_or_default()
    }

    #[track_caller]
    fn command(&self, path: &str, body: &Value) -> Value {
        match post(&self.http, &format!("{}/{path}", self.session), body) {
            Err(answer) if crash::is_gone(&answer) => {
                self.gone.store(true, Ordering::Relaxed);
                crash::died(&format!("{path}: {answer}"), &self.said)
            }
            answer => answer.unwrap_or_else(|answer| panic!("{path}: {answer}")),
        }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        let ended_well = !std::thread::panicking() && !self.gone.load(Ordering::Relaxed);
        if ended_well {
            self.read_requests();
        }
        // The driver ends the browser; without it, only itself.
        let _ = self.http.delete(&self.session).send();
        let astray = &self.asked().astray;
        assert!(!ended_well || astray.is_empty(), "nobody looked at what should not have been asked for: {astray:?}");
    }
}

/// What the driver answers; the text of its answer where it did not do what it was asked to.
#[track_caller]
fn post(http: &Http, url: &str, body: &Value) -> Result<Value, String> {
    let answer = http.post(url).body(body.to_string()).send().expect("the driver answers");
    let status = answer.status();
    let text = answer.text().expect("an answer of the driver");
    if !status.is_success() {
        return Err(text);
    }
    let mut answer: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    Ok(answer["value"].take())
}
