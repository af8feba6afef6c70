//! A plan as text and as JSON.

use serde_json::{Value, json};

use super::{
    diff::Change,
    plan::{Action, Effect},
};

/// What is said of a change of a rotation.
const TURNS: &str = "who has the turn now may change at once; --keep-current keeps them";
/// What the path of a field of a rotation has.
const OF_ROTATION: &str = "].rotation.";
/// The longest value that is shown whole, in letters.
const LONGEST: usize = 100;

impl Effect {
    const fn sign(self) -> char {
        match self {
            Self::Create => '+',
            Self::Update | Self::Restore => '~',
            Self::Rename => '>',
            Self::Replace => '±',
            Self::Delete => '-',
        }
    }

    /// What is done, as a word of the JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Rename => "rename",
            Self::Replace => "replace",
            Self::Restore => "restore",
            Self::Delete => "delete",
        }
    }
}

impl Action<'_> {
    /// What is done, on one line.
    pub fn title(&self) -> String {
        let (sign, kind, shown) = (self.effect.sign(), self.kind.name, &self.key.shown);
        match (self.effect, self.object) {
            (Effect::Rename, Some(object)) => format!("{sign} {kind} {:?} -> {shown:?}", object.former.shown),
            (Effect::Restore, _) => format!("{sign} {kind} {shown:?} (switched on again)"),
            _ => format!("{sign} {kind} {shown:?}"),
        }
    }
}

/// The plan as people read it; those whose turn it is keep it, or not.
pub fn text(actions: &[Action<'_>], keeps_current: bool) -> String {
    if actions.is_empty() {
        return "Nothing to do.\n".to_owned();
    }
    let mut text = String::new();
    for action in actions {
        text.push_str(&action.title());
        text.push('\n');
        for change in &action.changes {
            text.push_str(&format!("    {}\n", line(change, action.effect)));
        }
        if !keeps_current && action.may_move_turns() {
            text.push_str(&format!("    note: {TURNS}\n"));
        }
    }
    text.push_str(&format!("{}.\n", counts(actions, |effect| format!("to {}", effect.word()))));
    text
}

/// What else an object has after its update than the files say; with `keeps_current`, those whose turn it is keep it.
pub fn differing(action: &Action<'_>, left: &[Change], keeps_current: bool) -> String {
    let shown = |value: &Option<Value>| value.as_ref().map_or_else(|| "(none)".to_owned(), show);
    let is_of = |path: &str, list: &str| path.starts_with(list) && path.contains(OF_ROTATION);
    let rotations = action.kind.rotations.as_ref().filter(|_| keeps_current);
    let is_moved = rotations.is_some_and(|one| left.iter().all(|change| is_of(&change.path, one.of)));
    let why = if is_moved { ", so that turns are kept" } else { "" };
    let mut text = format!("{} {:?} is not as the files say{why}:\n", action.kind.name, action.key.shown);
    for Change { path, old, new } in left {
        text.push_str(&format!("    {path}: {} (in the files: {})\n", shown(old), shown(new)));
    }
    text
}

/// How much was done: "2 created, 1 updated".
pub fn done(actions: &[Action<'_>]) -> String {
    counts(actions, |effect| format!("{}d", effect.word()))
}

/// How many actions have each effect.
fn counts(actions: &[Action<'_>], words: impl Fn(Effect) -> String) -> String {
    let effects = [Effect::Create, Effect::Update, Effect::Rename, Effect::Replace, Effect::Restore, Effect::Delete];
    let count = |effect: Effect| actions.iter().filter(|action| action.effect == effect).count();
    let counts = effects.map(|effect| (count(effect), effect)).into_iter().filter(|(count, _)| *count > 0);
    counts.map(|(count, effect)| format!("{count} {}", words(effect))).collect::<Vec<_>>().join(", ")
}

fn line(change: &Change, effect: Effect) -> String {
    let shown = |value: &Option<Value>| value.as_ref().map_or_else(|| "(none)".to_owned(), show);
    if effect == Effect::Create {
        return format!("{}: {}", change.path, shown(&change.new));
    }
    format!("{}: {} -> {}", change.path, shown(&change.old), shown(&change.new))
}

fn show(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= LONGEST {
        return text;
    }
    let begin: String = text.chars().take(LONGEST).collect();
    format!("{begin}… ({} letters)", text.chars().count())
}

/// The plan as JSON.
pub fn json(actions: &[Action<'_>]) -> Value {
    let each = actions.iter().map(|action| {
        let changes =
            action.changes.iter().map(|change| json!({"path": change.path, "old": change.old, "new": change.new}));
        let mut made = json!({
            "action": action.effect.word(),
            "kind": action.kind.name,
            "name": action.key.shown,
            "changes": changes.collect::<Vec<_>>(),
        });
        if let (Some(made), Some(object)) = (made.as_object_mut(), action.object) {
            made.insert("id".to_owned(), Value::from(object.id.clone()));
            if action.effect == Effect::Rename {
                made.insert("previousName".to_owned(), Value::from(object.former.shown.clone()));
            }
        }
        made
    });
    json!({"differences": actions.len(), "actions": each.collect::<Vec<_>>()})
}
