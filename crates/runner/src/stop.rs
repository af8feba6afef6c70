//! When a runner is to end, as signals say.

use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use anyhow::Context as _;
use tokio::{
    runtime,
    signal::unix::{SignalKind, signal},
    sync::mpsc,
};

/// For how long a result is offered after the first signal to a service that is away.
const OFFER_TIME: Duration = Duration::from_secs(5);

/// A signal that follows sooner is the same one: `timeout`, for one, signals a process and then its group.
const SAME_SIGNAL: Duration = Duration::from_millis(500);

/// How often something that waits looks whether it is to end.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Is the runner to end, and since when?
#[derive(Clone, Default)]
pub struct Stop(Arc<OnceLock<Instant>>);

impl Stop {
    /// Has somebody asked for it?
    pub fn is_asked(&self) -> bool {
        self.0.get().is_some()
    }

    /// Asks for it, as the first signal does; says whether this is a second time.
    fn ask(&self, now: Instant) -> bool {
        now.saturating_duration_since(*self.0.get_or_init(|| now)) >= SAME_SIGNAL
    }

    /// An instant, or an earlier one: until when something may go on being tried.
    pub fn latest(&self, until: Instant) -> Instant {
        self.0.get().map_or(until, |asked| until.min(*asked + OFFER_TIME))
    }

    /// How long one request may take.
    pub fn timeout(&self, time: Duration) -> Duration {
        if self.is_asked() { time.min(OFFER_TIME) } else { time }
    }

    /// Waits for a while, and no longer than until it is asked to end.
    pub fn pause(&self, time: Duration) {
        let until = Instant::now() + time;
        let was_asked = self.is_asked();
        while Instant::now() < self.latest(until) && self.is_asked() == was_asked {
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Heeds SIGTERM and SIGINT: the first ends the script and the runner, a second this process at once.
    ///
    /// # Errors
    /// When there is no thread for that.
    pub fn heed_signals(&self) -> anyhow::Result<()> {
        let runtime = runtime::Builder::new_current_thread().enable_io().build().context("starting a runtime")?;
        let stop = self.clone();
        let heed = move || {
            runtime.block_on(async move {
                let (sender, mut received) = mpsc::unbounded_channel();
                for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
                    let sender = sender.clone();
                    match signal(kind) {
                        Ok(mut signals) => drop(tokio::spawn(async move {
                            while signals.recv().await.is_some() && sender.send(()).is_ok() {}
                        })),
                        Err(error) => tracing::warn!(%error, "a signal will not be heeded"),
                    }
                }
                while received.recv().await.is_some() {
                    if stop.ask(Instant::now()) {
                        tracing::warn!("ended at once: what was not told of a run is lost");
                        std::process::exit(1);
                    }
                }
            });
        };
        std::thread::Builder::new().name("signals".to_owned()).spawn(heed).context("starting a thread")?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_signal_leaves_a_bounded_time_and_a_second_none() {
        let stop = Stop::default();
        let now = Instant::now();
        let until = now + Duration::from_secs(300);
        assert_eq!((stop.is_asked(), stop.latest(until)), (false, until));
        assert!(!stop.ask(now) && !stop.ask(now + SAME_SIGNAL / 2));
        assert_eq!((stop.is_asked(), stop.latest(until)), (true, now + OFFER_TIME));
        assert_eq!(stop.timeout(Duration::from_secs(20)), OFFER_TIME);
        assert!(stop.ask(now + SAME_SIGNAL));
    }

    #[test]
    fn one_that_waits_hears_of_it() {
        let stop = Stop::default();
        let asks = stop.clone();
        let begun = Instant::now();
        let asking = std::thread::spawn(move || asks.ask(Instant::now()));
        stop.pause(Duration::from_secs(300));
        asking.join().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(60));
    }
}
