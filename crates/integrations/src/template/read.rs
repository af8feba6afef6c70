//! From the text of a template to its parts.

use super::{Kind, MOST_PLACEHOLDERS, Place, Segment, Source, dates};
use crate::placeholders::{EVENT, Entity};

/// Cuts a template into its parts. `$$` is a dollar sign, and so is one that no letter follows.
pub fn read_segments(text: &str, entity: Option<Entity>, kind: Kind) -> Result<Vec<Segment>, String> {
    let mut reader =
        Reader { text, at: 0, entity, kind, state: ReaderState::new(kind), segments: Vec::new(), plain: String::new() };
    while let Some(letter) = reader.rest().chars().next() {
        let next = reader.rest().chars().nth(1);
        match (letter, next) {
            ('$', Some('$')) => {
                reader.literal("$");
                reader.at += 2;
            }
            ('$', Some(after)) if after.is_ascii_alphabetic() => reader.placeholder()?,
            _ => {
                let mut buffer = [0; 4];
                reader.literal(letter.encode_utf8(&mut buffer));
                reader.at += letter.len_utf8();
            }
        }
    }
    reader.flush();
    Ok(reader.segments)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    entity: Option<Entity>,
    kind: Kind,
    state: ReaderState,
    segments: Vec<Segment>,
    plain: String,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn literal(&mut self, text: &str) {
        text.chars().for_each(|letter| self.state.step(letter));
        self.plain.push_str(text);
    }

    fn flush(&mut self) {
        if !self.plain.is_empty() {
            self.segments.push(Segment::Text(std::mem::take(&mut self.plain)));
        }
    }

    /// Line and column of an offset, from 1.
    fn position(&self, offset: usize) -> String {
        let before = self.text.get(..offset).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("line {line}, column {column}")
    }

    fn placeholder(&mut self) -> Result<(), String> {
        let start = self.at;
        let (of, length) = read_placeholder(self.rest(), self.entity).map_err(|wrong| {
            let position = self.position(start);
            format!("has {wrong} ({position})")
        })?;
        if self.kind != Kind::Markup && !self.state.takes_values() {
            let position = self.position(start);
            return Err(format!("has a placeholder where no value can stand ({position})"));
        }
        self.flush();
        if self.segments.iter().filter(|segment| matches!(segment, Segment::Value { .. })).count() == MOST_PLACEHOLDERS
        {
            return Err(format!("must have at most {MOST_PLACEHOLDERS} placeholders"));
        }
        self.segments.push(Segment::Value { of, place: self.state.place() });
        // What stands before and behind a value is not one word.
        self.state.step('x');
        self.at += length;
        Ok(())
    }
}

/// Reads the placeholder that a text starts with; answers it and its length.
fn read_placeholder(text: &str, entity: Option<Entity>) -> Result<(Source, usize), String> {
    if let Some(rest) = text.strip_prefix("$utils.").or_else(|| text.strip_prefix("$Utils.")) {
        let (of, used) = call(rest, entity)?;
        return Ok((of, text.len() - rest.len() + used));
    }
    let path = path(text.get(1..).unwrap_or_default());
    let mut words = path.split('.');
    let first = words.next().unwrap_or_default();
    let second = words.next();
    let unknown = || {
        let known = entity.map_or("the event has no entity yet".to_owned(), |entity| {
            format!("those of this entity start with ${}.", entity.prefix())
        });
        format!("the unknown placeholder ${}: {known}", base::problem::shorten(path))
    };
    let inside = path.get(first.len() + 1..).filter(|rest| !rest.is_empty()).ok_or_else(unknown)?;
    if first.eq_ignore_ascii_case("event") {
        let second = second.unwrap_or_default();
        let name = EVENT.iter().find(|name| name.eq_ignore_ascii_case(second)).ok_or_else(unknown)?;
        return Ok((Source::Event((*name).to_owned()), 1 + first.len() + 1 + second.len()));
    }
    let entity = entity.filter(|entity| entity.prefix().eq_ignore_ascii_case(first)).ok_or_else(unknown)?;
    let (before, inside) = match inside.get(..9).filter(|start| start.eq_ignore_ascii_case("previous.")) {
        Some(_) => (true, inside.get(9..).unwrap_or_default()),
        None => (false, inside),
    };
    let known = property(entity, inside).ok_or_else(unknown)?;
    let length = 1 + first.len() + 1 + if before { 9 } else { 0 } + known.len();
    let known = known.to_owned();
    Ok((if before { Source::Before(known) } else { Source::Now(known) }, length))
}

/// The longest path that a text starts with: names with single dots between them.
fn path(text: &str) -> &str {
    let is_in_path = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
    let end = text.find(|letter| !is_in_path(letter)).unwrap_or(text.len());
    let path = text.get(..end).unwrap_or_default();
    let path = path.find("..").map_or(path, |double| path.get(..double).unwrap_or_default());
    path.trim_end_matches(['.', '-'])
}

/// The part of a path that names a property; what follows a plain one is text again.
fn property(entity: Entity, path: &str) -> Option<&str> {
    let first = path.split('.').next().unwrap_or_default();
    let same = |known: &&str| known.eq_ignore_ascii_case(first);
    if entity.open().iter().any(&same) {
        return Some(path);
    }
    // A word that runs on with a hyphen is a name and text behind it.
    let named = |known: &str| {
        let rest = path.get(known.len()..)?;
        let (name, is_whole) = (path.get(..known.len())?, rest.is_empty() || rest.starts_with(['.', '-']));
        (is_whole && name.eq_ignore_ascii_case(known)).then_some(name)
    };
    entity.properties().iter().find_map(|known| named(known))
}

/// Reads what follows `$utils.`: `convertDate(x,'format')`. The format may have quotes of its own, around text in it.
fn call(text: &str, entity: Option<Entity>) -> Result<(Source, usize), String> {
    const WORD: &str = "convertDate";
    let wrong = |what: &str| format!("a call of $utils.convertDate(x,'format') {what}");
    let rest = text.get(..WORD.len()).filter(|word| word.eq_ignore_ascii_case(WORD)).and(text.get(WORD.len()..));
    let rest = rest.ok_or_else(|| {
        let name = path(text);
        format!("the unknown call $utils.{}: there is $utils.convertDate(x,'format')", base::problem::shorten(name))
    })?;
    let rest = rest.trim_start().strip_prefix('(').ok_or_else(|| wrong("without ( behind its name"))?;
    let argument = rest.trim_start();
    let (of, used) = if argument.starts_with('$') {
        read_placeholder(argument, entity)?
    } else {
        let (of, used) = read_placeholder(&format!("${argument}"), entity)?;
        (of, used.saturating_sub(1))
    };
    let after = argument.get(used..).unwrap_or_default().trim_start();
    let after = after.strip_prefix(',').map(str::trim_start).ok_or_else(|| wrong("without a comma and a format"))?;
    let quote = ["'", "\"", "\\\""].into_iter().find(|quote| after.starts_with(quote));
    let quote = quote.ok_or_else(|| wrong("whose format is not in quotes"))?;
    let inner = after.get(quote.len()..).unwrap_or_default();
    // The last quote is the one that the closing bracket follows.
    let last = |(at, _): &(usize, &str)| behind(inner, at + quote.len()).starts_with(')');
    let (end, _) = inner.match_indices(quote).find(last).ok_or_else(|| wrong("without ') at its end"))?;
    let format = dates::Format::read(inner.get(..end).unwrap_or_default())?;
    let closed = behind(inner, end + quote.len()).get(1..).unwrap_or_default();
    Ok((Source::Date(Box::new(of), format), text.len() - closed.len()))
}

/// What stands behind an offset, blanks aside.
fn behind(text: &str, offset: usize) -> &str {
    text.get(offset..).unwrap_or_default().trim_start()
}

/// Where in a text of its kind a reader is.
enum ReaderState {
    Json { inside: bool, escaped: bool },
    Xml(Xml),
    Any,
}

/// In XML, with the letters that end it so far.
enum Xml {
    Text,
    Tag,
    Quoted(char),
    /// A comment, an instruction or a declaration, by what ends it.
    Closed(&'static str, String),
    Data(String),
}

impl ReaderState {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::Json => Self::Json { inside: false, escaped: false },
            Kind::Xml | Kind::Markup => Self::Xml(Xml::Text),
            _ => Self::Any,
        }
    }

    fn place(&self) -> Place {
        match self {
            Self::Json { inside: true, .. } => Place::Quoted,
            Self::Xml(Xml::Data(_)) => Place::Data,
            Self::Xml(Xml::Closed("-->", _)) => Place::Comment,
            _ => Place::Any,
        }
    }

    fn takes_values(&self) -> bool {
        match self {
            Self::Json { escaped, .. } => !escaped,
            Self::Xml(xml) => matches!(xml, Xml::Text | Xml::Quoted(_) | Xml::Data(_)),
            Self::Any => true,
        }
    }

    fn step(&mut self, letter: char) {
        match self {
            Self::Any => {}
            Self::Json { escaped, .. } if *escaped => *escaped = false,
            Self::Json { inside, escaped } => match letter {
                '"' => *inside = !*inside,
                '\\' => *escaped = *inside,
                _ => {}
            },
            Self::Xml(xml) => xml.step(letter),
        }
    }
}

impl Xml {
    fn step(&mut self, letter: char) {
        match self {
            Self::Text if letter == '<' => *self = Self::Closed("", "<".to_owned()),
            Self::Text => {}
            Self::Tag => match letter {
                '>' => *self = Self::Text,
                '"' | '\'' => *self = Self::Quoted(letter),
                _ => {}
            },
            Self::Quoted(quote) if letter == *quote => *self = Self::Tag,
            Self::Quoted(_) => {}
            // Behind a `<`, before it is known what begins there.
            Self::Closed("", seen) => {
                seen.push(letter);
                match seen.as_str() {
                    "<!" | "<!-" | "<![" | "<![C" | "<![CD" | "<![CDA" | "<![CDAT" | "<![CDATA" => {}
                    "<!--" => *self = Self::Closed("-->", String::new()),
                    "<![CDATA[" => *self = Self::Data(String::new()),
                    "<?" => *self = Self::Closed("?>", String::new()),
                    _ if seen.starts_with("<!") => *self = Self::Closed(">", String::new()),
                    _ => *self = if letter == '>' { Self::Text } else { Self::Tag },
                }
            }
            Self::Closed(end, seen) => {
                seen.push(letter);
                if seen.ends_with(*end) {
                    *self = Self::Text;
                }
            }
            Self::Data(seen) => {
                seen.push(letter);
                if seen.ends_with("]]>") {
                    *self = Self::Text;
                }
            }
        }
    }
}

/// Is this XML?
pub fn well_formed(text: &str) -> Result<(), String> {
    let wrong = || "is not XML once its placeholders are filled in".to_owned();
    let mut reader = quick_xml::Reader::from_str(text);
    let mut depth = 0_usize;
    let mut elements = 0_usize;
    loop {
        match reader.read_event() {
            Err(_) => return Err(wrong()),
            Ok(quick_xml::events::Event::Eof) => break,
            Ok(quick_xml::events::Event::Start(tag)) => {
                depth += 1;
                elements += 1;
                if tag.attributes().any(|attribute| attribute.is_err()) {
                    return Err(wrong());
                }
            }
            Ok(quick_xml::events::Event::End(_)) => depth = depth.saturating_sub(1),
            Ok(quick_xml::events::Event::Empty(tag)) => {
                elements += 1;
                if tag.attributes().any(|attribute| attribute.is_err()) {
                    return Err(wrong());
                }
            }
            Ok(quick_xml::events::Event::DocType(_)) => return Err("must not have a document type".to_owned()),
            Ok(_) => {}
        }
    }
    if depth == 0 && elements > 0 { Ok(()) } else { Err(wrong()) }
}
