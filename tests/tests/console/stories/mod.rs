//! Stories of people who have a purpose, each by mouse, by keys alone, and on a telephone. What they end with is asked
//! of the service.

mod access;
mod fortnight;
mod integrations;
mod page;
mod relocation;

use std::thread::sleep;
use std::time::{Duration, Instant};

use muster_tests::{Backend, Client, Server, Shared, chromium::Window, unique};
use serde_json::{Value, json};

use super::text;

/// How long an element is waited for, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(20);

/// More options than any list has that is gone through by keys.
const MOST_OPTIONS: usize = 60;

/// How a person acts on pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Input {
    /// With a mouse, on a screen 1,440 pixels wide.
    Mouse,
    /// Tab, arrows, Enter and typing; nothing is clicked, no value is set, and no focus is put anywhere.
    Keys,
    /// With a finger, on a screen 390 pixels wide.
    Telephone,
}

/// A server whose tenants have nothing yet; each story has its own.
fn server() -> &'static Server {
    static EMPTY: Shared<Server> = Shared::new();
    EMPTY.get(|| Server::start_with(Backend::Sqlite, &["--egress-allow", "127.0.0.0/8"]))
}

/// A person of a new tenant: the id.
fn person(company: &Client, first: &str, last: &str, role: &str) -> String {
    let body = json!({"loginName": unique(&first.to_lowercase()), "firstName": first, "lastName": last, "role": role});
    text(&company.post("/users", &body).ok()["id"])
}

/// Somebody in front of a browser.
struct Actor {
    window: Window,
    input: Input,
}

impl Actor {
    /// Opens a browser; `None` where there is none.
    fn open(input: Input) -> Option<Self> {
        let window = Window::open()?;
        window.looks(if input == Input::Telephone { 390 } else { 1440 }, false);
        if input == Input::Telephone {
            window.debug("Emulation.setTouchEmulationEnabled", &json!({"enabled": true}));
        }
        let source = include_str!("found.js");
        window.debug("Page.addScriptToEvaluateOnNewDocument", &json!({"source": source}));
        Some(Self { window, input })
    }

    /// Opens a browser and signs Eva Sand in, who has a role at a tenant.
    fn sign_in(company: &Client, role: &str, input: Input) -> Option<Self> {
        let actor = Self::open(input)?;
        let id = person(company, "Eva", "Sand", role);
        let url = text(&company.post_empty(&format!("/users/{id}/signInLink")).ok()["url"]);
        actor.window.acts_as(role);
        actor.window.go(&url);
        actor.press("Sign in");
        actor.window.until("location.pathname == '/console/on-call' && document.querySelector('main h1')");
        Some(actor)
    }

    /// Goes to a screen: by the menu, or by typing its name into the palette.
    #[track_caller]
    fn go(&self, title: &str) {
        match self.input {
            Input::Mouse => self.press(title),
            Input::Telephone => {
                self.press("All");
                self.press(title);
            }
            Input::Keys => {
                let key = json!({"key": "k", "modifiers": 2, "windowsVirtualKeyCode": 75});
                for kind in ["rawKeyDown", "keyUp"] {
                    let mut event = key.clone();
                    event["type"] = json!(kind);
                    self.window.debug("Input.dispatchKeyEvent", &event);
                }
                self.window.until("document.querySelector('dialog.palette input') == document.activeElement");
                self.window.type_over(title);
                let first =
                    format!("document.querySelector('.palette .first')?.innerText.startsWith({})", json!(title));
                self.window.until(&first);
                self.window.press("Enter");
            }
        }
        self.heading(title);
    }

    /// Waits for the heading of a page that has loaded.
    #[track_caller]
    fn heading(&self, title: &str) {
        self.window.until(&format!("document.querySelector('main h1')?.textContent == {}", json!(title)));
        self.window.until("!document.querySelector('.loading')");
    }

    /// Waits until people read a text.
    #[track_caller]
    fn reads(&self, text: &str) {
        self.window.shows(text);
    }

    /// Presses the button, link or summary that is called so, or else begins so.
    #[track_caller]
    fn press(&self, label: &str) {
        self.press_on(&format!("found.button({})", json!(label)));
    }

    /// Ticks a box, or takes the tick away.
    #[track_caller]
    fn tick(&self, label: &str) {
        let control = format!("found.control({})", json!(label));
        if self.input == Input::Keys {
            self.focus(&control);
            self.window.press(" ");
        } else {
            self.click(&control);
        }
    }

    /// Sends the form of the dialog, which goes then.
    #[track_caller]
    fn send(&self, label: &str) {
        self.press(label);
        self.window.until("!document.querySelector('dialog[open]')");
    }

    /// Types into the field with a label, in place of what it holds.
    #[track_caller]
    fn fill(&self, label: &str, text: &str) {
        self.focus(&format!("found.control({})", json!(label)));
        if self.input == Input::Keys {
            self.window.type_over(text);
        } else {
            self.window.evaluate("document.activeElement.select()");
            self.window.debug("Input.insertText", &json!({"text": text}));
        }
    }

    /// Chooses an option by its text.
    #[track_caller]
    fn choose(&self, label: &str, option: &str) {
        let control = format!("found.control({})", json!(label));
        let place = format!(
            "[...({control}?.options || [])].findIndex(one => one.textContent.trim().startsWith({}))",
            json!(option)
        );
        self.window.until(&format!("{place} >= 0"));
        self.focus(&control);
        if self.input != Input::Keys {
            // The list of a browser without a screen is not drawn.
            let chosen = format!("{control}.selectedIndex = {place}");
            self.window.evaluate(&format!(
                "{chosen}, ['input', 'change'].map(kind => \
                 {control}.dispatchEvent(new Event(kind, {{bubbles: true}}))).length"
            ));
            return;
        }
        for _ in 0..MOST_OPTIONS {
            let way = self.window.evaluate(&format!("Math.sign({place} - {control}.selectedIndex)"));
            match way.as_i64() {
                Some(0) => return,
                Some(1) => self.window.press("ArrowDown"),
                _ => self.window.press("ArrowUp"),
            }
        }
        panic!("keys never choose {option} of {label}");
    }

    /// Chooses a record that is found by what is typed.
    #[track_caller]
    fn pick(&self, label: &str, typed: &str, record: &str) {
        self.fill(label, typed);
        let option = format!("found.option({})", json!(record));
        self.window.until(&option);
        if self.input == Input::Keys {
            for _ in 0..MOST_OPTIONS {
                if self.window.evaluate(&format!("{option}?.ariaSelected")) == json!("true") {
                    return self.window.press("Enter");
                }
                self.window.press("ArrowDown");
            }
            panic!("keys never choose {record} of {label}");
        }
        self.click(&option);
    }

    /// Sets a date with a time of day, such as `2030-01-31T09:00`.
    #[track_caller]
    fn set_time(&self, label: &str, value: &str) {
        let control = format!("found.control({})", json!(label));
        self.focus(&control);
        if self.input == Input::Keys {
            let part = |from: usize, to: usize| value.get(from..to).expect("a date with a time");
            let hour: u32 = part(11, 13).parse().expect("an hour");
            let typed = [part(5, 7), part(8, 10), part(0, 4)].concat();
            typed.chars().for_each(|digit| self.window.press(&digit.to_string()));
            // The year may have more digits.
            self.window.press("Tab");
            let clock = format!("{:02}{}{}", (hour + 11) % 12 + 1, part(14, 16), if hour < 12 { "a" } else { "p" });
            clock.chars().for_each(|digit| self.window.press(&digit.to_string()));
        } else {
            let set = format!("{control}.value = {}", json!(value));
            self.window.evaluate(&format!(
                "{set}, ['input', 'change'].map(kind => \
                 {control}.dispatchEvent(new Event(kind, {{bubbles: true}}))).length"
            ));
        }
        self.window.until(&format!("{control}.value == {}", json!(value)));
    }

    /// Looks that nothing is cut off at the side.
    #[track_caller]
    fn nothing_is_cut_off(&self) {
        let wide = text(&self.window.evaluate("found.wide()"));
        assert!(wide.is_empty(), "{:?}: {wide}\nThe page says:\n{}", self.input, self.window.text());
    }

    /// What nobody else may see, as the panel shows it.
    fn output(&self) -> String {
        self.window.until("document.querySelector('main pre.output')");
        text(&self.window.evaluate("document.querySelector('main pre.output').textContent"))
    }

    #[track_caller]
    fn press_on(&self, element: &str) {
        if self.input == Input::Keys {
            self.focus(element);
            self.window.press("Enter");
        } else {
            self.click(element);
        }
    }

    /// Gives an element the focus: by Tab, or by clicking it.
    #[track_caller]
    fn focus(&self, element: &str) {
        if self.input == Input::Keys {
            self.window.until(element);
            self.window.tab_to(&format!("one && one == {element}"));
        } else {
            self.click(element);
            self.window.until(&format!("document.activeElement == {element}"));
        }
    }

    /// Presses an element where it is seen, with the mouse or a finger.
    #[track_caller]
    fn click(&self, element: &str) {
        self.window.until(element);
        self.nothing_is_cut_off();
        let deadline = Instant::now() + PATIENCE;
        let spot = loop {
            let spot = self.window.evaluate(&format!("(one => one ? found.spot(one) : 'it is gone')({element})"));
            if spot.is_array() {
                break spot;
            }
            assert!(Instant::now() < deadline, "{element} cannot be pressed: {spot}\n{}", self.window.text());
            sleep(Duration::from_millis(30));
        };
        let (x, y) = (&spot[0], &spot[1]);
        if self.input == Input::Telephone {
            let start = json!({"type": "touchStart", "touchPoints": [{"x": x, "y": y}]});
            self.window.debug("Input.dispatchTouchEvent", &start);
            self.window.debug("Input.dispatchTouchEvent", &json!({"type": "touchEnd", "touchPoints": []}));
        } else {
            for (kind, buttons) in [("mousePressed", 1), ("mouseReleased", 0)] {
                let event =
                    json!({"type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1});
                self.window.debug("Input.dispatchMouseEvent", &event);
            }
        }
    }

    /// Nothing went wrong that nobody saw, and nothing was asked of anybody else.
    #[track_caller]
    fn is_done(&self) {
        self.nothing_is_cut_off();
        assert_eq!(self.window.complaints(), Vec::<String>::new());
    }
}

/// The results of a page of a list.
fn results(page: &Value) -> Vec<Value> {
    page["results"].as_array().cloned().unwrap_or_else(|| panic!("no page: {page}"))
}
