//! The context of a trace: which trace, which span of it, and whether it is recorded.

use std::fmt;

/// The longest `tracestate` that is passed on, in bytes, and the most members of it.
const LONGEST_STATE: usize = 512;
const MOST_MEMBERS: usize = 32;

/// The id of a trace. In text 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceId([u8; 16]);

/// The id of a span. In text 16 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SpanId([u8; 8]);

impl TraceId {
    /// A new one, at random.
    pub fn random() -> Self {
        Self(uuid::Uuid::new_v4().into_bytes())
    }

    /// Its bytes.
    pub const fn bytes(self) -> [u8; 16] {
        self.0
    }

    /// Its lower 56 bits, which are random.
    pub(crate) fn random_bits(self) -> u64 {
        self.0.iter().skip(9).fold(0, |bits, byte| bits << 8 | u64::from(*byte))
    }
}

impl SpanId {
    /// A new one, at random.
    pub fn random() -> Self {
        Self::of_uuid(uuid::Uuid::new_v4())
    }

    /// That of a thing with an id of its own, so that others can name the span before it is recorded: the lower half of
    /// the UUID, which is random in versions 4 and 7.
    pub fn of_uuid(id: uuid::Uuid) -> Self {
        Self(id.as_u64_pair().1.to_be_bytes())
    }

    /// Its bytes.
    pub const fn bytes(self) -> [u8; 8] {
        self.0
    }
}

/// Where something belongs: to a span of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// The trace.
    pub trace_id: TraceId,
    /// The span that caused it.
    pub span_id: SpanId,
    /// Are its spans recorded?
    pub sampled: bool,
    /// What other products passed along (`tracestate`); empty for nothing.
    state: String,
}

impl Context {
    /// The first span of a new trace, which is recorded.
    pub(crate) fn root() -> Self {
        Self { trace_id: TraceId::random(), span_id: SpanId::random(), sampled: true, state: String::new() }
    }

    /// That of another span of the same trace.
    #[must_use]
    pub fn with_span(&self, span_id: SpanId) -> Self {
        Self { span_id, ..self.clone() }
    }

    /// As the headers `traceparent` and `tracestate` say; `None` when the first is wrong. A `tracestate` that is wrong
    /// or too long is left out.
    pub fn parse(traceparent: &str, tracestate: &str) -> Option<Self> {
        let (version, rest) = traceparent.split_once('-')?;
        let [version] = hex(version)?;
        let (trace, rest) = rest.split_once('-')?;
        let (span, rest) = rest.split_once('-')?;
        // Later versions may say more behind the flags.
        let flags = rest.split_once('-').map_or(rest, |(flags, _)| flags);
        let [flags] = hex(flags)?;
        let trace_id = TraceId(hex(trace)?);
        let span_id = SpanId(hex(span)?);
        let is_short = version != 0 || traceparent.len() == "00-".len() + 32 + 1 + 16 + "-00".len();
        if version == u8::MAX || !is_short || trace_id.0 == [0; 16] || span_id.0 == [0; 8] {
            return None;
        }
        let state = if is_state(tracestate) { tracestate.to_owned() } else { String::new() };
        Some(Self { trace_id, span_id, sampled: flags & 1 == 1, state })
    }

    /// The value of the header `traceparent`.
    pub fn traceparent(&self) -> String {
        let Self { trace_id, span_id, sampled, .. } = self;
        format!("00-{trace_id}-{span_id}-0{}", u8::from(*sampled))
    }

    /// The value of the header `tracestate`, when there is one.
    pub fn tracestate(&self) -> Option<&str> {
        Some(self.state.as_str()).filter(|state| !state.is_empty())
    }

    /// As it is stored in a row: `traceparent`, and behind a blank `tracestate`.
    pub fn to_text(&self) -> String {
        let parent = self.traceparent();
        if self.state.is_empty() { parent } else { format!("{parent} {}", self.state) }
    }

    /// As [`Context::to_text`] wrote it; `None` while nothing is recorded, or when it is something else.
    pub fn from_text(text: &str) -> Option<Self> {
        if !crate::is_on() {
            return None;
        }
        let (parent, state) = text.split_once(' ').unwrap_or((text, ""));
        Self::parse(parent, state)
    }
}

/// Bytes of lower-case hexadecimal digits.
fn hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |letter: u8| match letter {
        b'0'..=b'9' => Some(letter - b'0'),
        b'a'..=b'f' => Some(letter - b'a' + 10),
        _ => None,
    };
    let text = text.as_bytes();
    if text.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(bytes)
}

/// Is this a `tracestate` that may be passed on?
fn is_state(text: &str) -> bool {
    let is_member = |member: &str| {
        let Some((key, value)) = member.trim_matches([' ', '\t']).split_once('=') else { return false };
        let is_key = |letter: u8| {
            letter.is_ascii_lowercase() || letter.is_ascii_digit() || matches!(letter, b'_' | b'-' | b'*' | b'/' | b'@')
        };
        (1..=256).contains(&key.len())
            && key.bytes().all(is_key)
            && (1..=256).contains(&value.len())
            && value.bytes().all(|letter| (b' '..=b'~').contains(&letter) && letter != b'=')
    };
    text.len() <= LONGEST_STATE && text.split(',').count() <= MOST_MEMBERS && text.split(',').all(is_member)
}

fn write_hex(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

impl fmt::Debug for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

impl fmt::Debug for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn a_traceparent_is_read_and_written() {
        let context = Context::parse(PARENT, "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7").unwrap();
        assert_eq!(context.traceparent(), PARENT);
        assert_eq!(context.tracestate(), Some("congo=t61rcWkgMzE,rojo=00f067aa0ba902b7"));
        assert!(context.sampled && !Context::parse(&PARENT.replace("-01", "-00"), "").unwrap().sampled);
        let later = PARENT.replacen("00", "cc", 1) + "-what-the-future-will-be";
        assert_eq!(Context::parse(&later, "").unwrap().traceparent(), PARENT, "it goes on in this version");
    }

    #[test]
    fn a_wrong_traceparent_is_refused() {
        let zero_trace = format!("00-{}-b7ad6b7169203331-01", "0".repeat(32));
        let zero_span = format!("00-0af7651916cd43dd8448eb211c80319c-{}-01", "0".repeat(16));
        let version_ff = PARENT.replacen("00", "ff", 1);
        let longer = format!("{PARENT}-00");
        let upper = PARENT.to_uppercase();
        for wrong in ["", "00", "00-", &PARENT[..54], &zero_trace, &zero_span, &version_ff, &longer, &upper] {
            assert_eq!(Context::parse(wrong, ""), None, "{wrong}");
        }
    }

    #[test]
    fn a_tracestate_is_bounded() {
        let state = |text: &str| Context::parse(PARENT, text).unwrap().tracestate().map(ToOwned::to_owned);
        let many: Vec<String> = (0..33).map(|number| format!("a{number}=1")).collect();
        for wrong in ["", "a", "a=", "=1", "A=1", "a=b=c", "a=1,,b=2", "a=\u{7f}", &"a".repeat(600), &many.join(",")] {
            assert_eq!(state(wrong), None, "{wrong}");
        }
        assert!(state(&many[..32].join(",")).is_some());
        assert_eq!(state("a=1, b@c=2"), Some("a=1, b@c=2".to_owned()));
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(parent in ".{0,80}", state in ".{0,40}") {
            let _ = Context::parse(&parent, &state);
        }

        #[test]
        fn what_is_written_is_read_again(trace in any::<u128>(), span in any::<u64>(), sampled: bool) {
            prop_assume!(trace != 0 && span != 0);
            let context = Context {
                trace_id: TraceId(trace.to_be_bytes()),
                span_id: SpanId(span.to_be_bytes()),
                sampled,
                state: String::new(),
            };
            prop_assert_eq!(Context::parse(&context.traceparent(), ""), Some(context));
        }
    }
}
