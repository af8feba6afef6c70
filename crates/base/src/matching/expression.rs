//! Regular expressions that callers write: compiled within limits of size and cost, kept ready within a limit of
//! memory, and searched in linear time within a budget.
//!
//! A search steps through a DFA whose states are made as the text asks for them. Making one costs as much as the
//! expression has parts that may be at work at once, so an expression such as `[ab]*a[ab]{900}c` can ask for a new
//! state at each letter; that is what the [`Meter`] counts. The states live for one search, in memory that the thread
//! keeps for the next one: what an expression keeps is its program.

use std::{
    cell::RefCell,
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak},
};

use moka::sync::Cache;
use regex_automata::{
    Input,
    hybrid::dfa::{self, DFA},
    nfa::thompson::{Compiler, Config, WhichCaptures, pikevm::PikeVM},
};
use regex_syntax::{
    ast::{self, Ast, ClassSetBinaryOp, ClassSetItem, Flag, FlagsItemKind},
    hir::translate::Translator,
};

use super::meter::{Exhausted, Meter};

/// The largest program of an expression, in bytes: `\w{20}` and its like are refused.
const LARGEST: usize = 256 << 10;
/// Classes of many letters (`\w`, `\p{L}`, `[^\d]`) of one expression; those whose letter case is ignored count
/// [`FOLDED`] times, because that is what working them out costs.
const MOST_CLASSES: u64 = 100;
const FOLDED: u64 = 10;
/// The memory of all expressions that are kept ready, in bytes.
const KEPT: u64 = 16 << 20;
/// The memory in which the states of a search are made, in bytes, for each thread that searches.
const STATES: usize = 256 << 10;
/// What is not in a program, but belongs to it.
const OVERHEAD: usize = 1 << 10;

/// Expressions that were asked for lately, also those that are none. Those of all tenants share the memory; one that is
/// asked for often is not displaced by many that are asked for once.
static READY: LazyLock<Cache<String, Compiled>> = LazyLock::new(|| {
    let weight = |text: &String, compiled: &Compiled| {
        let size = compiled.as_ref().map_or(OVERHEAD, |expression| expression.size());
        u32::try_from(text.len() + size).unwrap_or(u32::MAX)
    };
    Cache::builder().max_capacity(KEPT).weigher(weight).build()
});

/// Expressions that somebody holds. The cache lets go of some at once when it is full, and a request that had them
/// compiled to be checked needs them again for its write, while others wait for that.
static HELD: LazyLock<Mutex<Held>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Held {
    all: HashMap<String, Weak<Expression>>,
    /// How many there may be before those that nobody holds any more are forgotten.
    most: usize,
}

impl Held {
    fn get(&self, text: &str) -> Option<Arc<Expression>> {
        self.all.get(text)?.upgrade()
    }

    fn insert(&mut self, text: &str, expression: &Arc<Expression>) {
        if self.all.len() >= self.most {
            self.all.retain(|_, held| held.strong_count() > 0);
            self.most = 2 * self.all.len() + 64;
        }
        self.all.insert(text.to_owned(), Arc::downgrade(expression));
    }
}

fn held() -> MutexGuard<'static, Held> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    /// Where the states of a search are made.
    static SCRATCH: RefCell<Option<dfa::Cache>> = const { RefCell::new(None) };
}

/// What became of an expression.
type Compiled = Result<Arc<Expression>, BadExpression>;

/// An expression that is none, or too costly a one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadExpression {
    /// It cannot be read.
    #[error("is not a regular expression: {reason}, at character {position}")]
    Syntax {
        /// What is wrong.
        reason: String,
        /// Where, in characters from 1.
        position: usize,
    },
    /// Its program would be too large.
    #[error("is too large a regular expression: its program would have more than {} KiB", LARGEST >> 10)]
    TooLarge,
    /// It has too many classes of many letters.
    #[error(
        "is too costly a regular expression: it may have {MOST_CLASSES} classes of many letters such as \\w or \
         \\p{{L}}, and \
         {} where letter case is ignored", MOST_CLASSES / FOLDED
    )]
    TooDense,
    /// Together with all that was asked for before it, it takes too long.
    #[error("{0}: simplify the regular expressions of this request")]
    Exhausted(#[from] Exhausted),
}

/// An expression made ready.
#[derive(Debug)]
pub struct Expression {
    dfa: DFA,
    /// The parts of its program.
    parts: u64,
}

/// The expression of a text; compiled once while it is asked for.
///
/// # Errors
/// What is wrong with it, and where.
pub fn compile(text: &str, meter: &Meter) -> Result<Arc<Expression>, BadExpression> {
    if let Some(known) = READY.get(text).or_else(|| held().get(text).map(Ok)) {
        meter.charge(10)?;
        if let Ok(expression) = &known {
            meter.keep(expression.clone());
        }
        return known;
    }
    let compiled = match Expression::new(text, meter) {
        Err(BadExpression::Exhausted(exhausted)) => return Err(exhausted.into()),
        compiled => compiled.map(Arc::new),
    };
    READY.insert(text.to_owned(), compiled.clone());
    if let Ok(expression) = &compiled {
        held().insert(text, expression);
        meter.keep(expression.clone());
    }
    compiled
}

impl Expression {
    fn new(text: &str, meter: &Meter) -> Result<Self, BadExpression> {
        let wrong = |reason: String, offset: usize| {
            let before = text.get(..offset).map_or(0, |before| before.chars().count());
            BadExpression::Syntax { reason, position: before + 1 }
        };
        meter.charge(20 * text.len() as u64)?;
        let ast = ast::parse::Parser::new().parse(text);
        let ast = ast.map_err(|error| wrong(error.kind().to_string(), error.span().start.offset))?;
        let classes = Classes::of(&ast);
        if classes.weight() > MOST_CLASSES {
            return Err(BadExpression::TooDense);
        }
        meter.charge(2_000 * classes.weight())?;
        let hir = Translator::new().translate(text, &ast);
        let hir = hir.map_err(|error| wrong(error.kind().to_string(), error.span().start.offset))?;
        // What it costs is known afterwards, and bounded by the largest program.
        meter.charge(10_000)?;
        let config = Config::new().nfa_size_limit(Some(LARGEST)).which_captures(WhichCaptures::None);
        let nfa = Compiler::new().configure(config).build_from_hir(&hir);
        let nfa = nfa.map_err(|_| {
            let _ = meter.charge(100_000);
            BadExpression::TooLarge
        })?;
        meter.charge(2 * nfa.memory_usage() as u64)?;
        let parts = nfa.states().len() as u64;
        // `\b` means letters of all alphabets; a text that has others than ASCII is searched in another way.
        let config = DFA::config().unicode_word_boundary(true).cache_capacity(STATES).skip_cache_capacity_check(true);
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).map_err(|_| BadExpression::TooLarge)?;
        Ok(Self { dfa, parts })
    }

    /// The memory that it takes, in bytes.
    pub fn size(&self) -> usize {
        self.dfa.get_nfa().memory_usage() + OVERHEAD
    }

    /// Does it match anywhere in a text?
    ///
    /// # Errors
    /// To find that out takes more steps than there are.
    pub fn finds(&self, text: &str, meter: &Meter) -> Result<bool, Exhausted> {
        let found = SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
            Ok(mut scratch) => {
                let cache = scratch.get_or_insert_with(|| self.dfa.create_cache());
                cache.reset(&self.dfa);
                self.step_through(text, cache, meter)
            }
            Err(_) => self.step_through(text, &mut self.dfa.create_cache(), meter),
        })?;
        found.map_or_else(|| self.follow(text, meter), Ok)
    }

    /// `None` for a text that a DFA cannot decide.
    fn step_through(&self, text: &str, cache: &mut dfa::Cache, meter: &Meter) -> Result<Option<bool>, Exhausted> {
        // What the memory for the states costs.
        meter.charge(500)?;
        let input = Input::new(text);
        let Ok(mut state) = self.dfa.start_state_forward(cache, &input) else { return Ok(None) };
        for piece in text.as_bytes().chunks(4_096) {
            meter.charge(piece.len() as u64 / 4 + 1)?;
            for byte in piece {
                let mut next = self.dfa.next_state_untagged(cache, state, *byte);
                if next.is_unknown() {
                    meter.charge(20 + self.parts)?;
                    match self.dfa.next_state(cache, state, *byte) {
                        Ok(made) => next = made,
                        Err(_) => return Ok(None),
                    }
                }
                state = next;
                if state.is_tagged() {
                    match state {
                        state if state.is_match() => return Ok(Some(true)),
                        state if state.is_dead() => return Ok(Some(false)),
                        state if state.is_quit() => return Ok(None),
                        _ => {}
                    }
                }
            }
        }
        meter.charge(20 + self.parts)?;
        Ok(self.dfa.next_eoi_state(cache, state).ok().map(|state| state.is_match()))
    }

    /// The same by following all parts of the program at once, which takes longer and decides every text.
    fn follow(&self, text: &str, meter: &Meter) -> Result<bool, Exhausted> {
        meter.charge((text.len() as u64 + 1).saturating_mul(self.parts))?;
        let machine = PikeVM::new_from_nfa(self.dfa.get_nfa().clone()).map_err(|_| Exhausted)?;
        Ok(machine.is_match(&mut machine.create_cache(), text))
    }
}

/// How many classes of many letters an expression has.
#[derive(Default)]
struct Classes {
    single: u64,
    /// Those in brackets and those of properties, which are folded when letter case is ignored.
    foldable: u64,
    folds: bool,
}

impl Classes {
    fn of(ast: &Ast) -> Self {
        match ast::visit(ast, Self::default()) {
            Ok(classes) => classes,
            Err(never) => match never {},
        }
    }

    fn weight(&self) -> u64 {
        self.single + self.foldable * if self.folds { FOLDED } else { 1 }
    }

    fn note(&mut self, flags: &ast::Flags) {
        self.folds |= flags.items.iter().any(|item| item.kind == FlagsItemKind::Flag(Flag::CaseInsensitive));
    }
}

impl ast::Visitor for Classes {
    type Output = Self;
    type Err = std::convert::Infallible;

    fn finish(self) -> Result<Self, Self::Err> {
        Ok(self)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        match ast {
            Ast::Flags(set) => self.note(&set.flags),
            Ast::Group(group) => group.flags().into_iter().for_each(|flags| self.note(flags)),
            Ast::ClassUnicode(_) => self.foldable += 1,
            Ast::ClassPerl(_) => self.single += 1,
            _ => {}
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Self::Err> {
        match item {
            ClassSetItem::Unicode(_) | ClassSetItem::Perl(_) | ClassSetItem::Bracketed(_) => self.foldable += 1,
            ClassSetItem::Range(range) if !range.end.c.is_ascii() => self.foldable += 1,
            _ => {}
        }
        Ok(())
    }

    fn visit_class_set_binary_op_pre(&mut self, _: &ClassSetBinaryOp) -> Result<(), Self::Err> {
        self.foldable += 1;
        Ok(())
    }
}
