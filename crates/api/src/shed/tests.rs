use std::future::pending;

use super::*;

fn gate() -> Arc<Gate> {
    let time = Duration::from_secs(10);
    Arc::new(Gate::new(Limits { requests: 2, bodies: 4, body_bytes: 100, streams: 1, time }))
}

#[tokio::test]
async fn a_request_beyond_the_bound_is_refused_and_counted() {
    let gate = gate();
    let first = gate.enter().await.unwrap();
    let second = gate.enter().await.unwrap();
    let refused = gate.enter().await.unwrap_err();
    assert_eq!((refused.kind.status(), refused.retry_after), (503, Some(1)));
    assert_eq!((gate.shed(Reason::Requests), gate.under_way()), (1, [2, 0, 0, 0]));
    assert_eq!(gate.enter_always().route.get(), 0);
    first.finish();
    drop(first);
    let third = gate.enter().await.unwrap();
    drop((second, third));
    assert_eq!(gate.under_way(), [0; 4]);
}

#[tokio::test]
async fn a_body_that_is_awaited_takes_no_place_of_those_worked_on() {
    let gate = gate();
    let mut stalled = Vec::new();
    for _ in 0..3 {
        let ticket = gate.enter().await.unwrap();
        ticket.authenticated();
        ticket.begin_body().unwrap();
        stalled.push(ticket);
    }
    assert_eq!(gate.under_way(), [0, 3, 0, 0]);
    let (one, two) = (gate.enter().await.unwrap(), gate.enter().await.unwrap());
    assert!(stalled[0].end_body().await.is_err(), "no place to work on it");
    drop(one);
    stalled[1].end_body().await.unwrap();
    assert_eq!(gate.under_way(), [2, 1, 0, 0]);
    drop((two, stalled));
    assert_eq!(gate.under_way(), [0; 4]);
}

#[tokio::test]
async fn a_burst_waits_for_a_moment() {
    let gate = gate();
    let (first, _second) = (gate.enter().await.unwrap(), gate.enter().await.unwrap());
    let begun = Instant::now();
    let (third, ()) = tokio::join!(gate.enter(), async {
        tokio::time::sleep(PATIENCE / 5).await;
        first.finish();
    });
    assert!(third.is_ok() && begun.elapsed() < PATIENCE);
    assert!(gate.enter().await.is_err());
    assert!(begun.elapsed() >= PATIENCE);
    assert_eq!((gate.under_way()[0], gate.waiting.load(Ordering::Relaxed)), (2, 0));
}

#[tokio::test]
async fn a_quarter_of_the_bodies_may_be_anonymous() {
    let gate = gate();
    let first = gate.enter().await.unwrap();
    first.begin_body().unwrap();
    let second = gate.enter().await.unwrap();
    assert!(second.begin_body().is_err());
    assert_eq!(gate.under_way(), [1, 1, 0, 0]);
    second.authenticated();
    second.begin_body().unwrap();
    drop((first, second));
    assert_eq!(gate.under_way(), [0; 4]);
    assert_eq!(gate.anonymous_bodies.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn bodies_share_the_memory_there_is() {
    let gate = gate();
    let (first, second) = (gate.enter().await.unwrap(), gate.enter().await.unwrap());
    first.hold(60).unwrap();
    assert!(second.hold(50).is_err());
    second.hold(40).unwrap();
    assert_eq!((gate.under_way()[3], gate.shed(Reason::Memory)), (100, 1));
    drop((first, second));
    assert_eq!(gate.under_way()[3], 0);
}

#[tokio::test]
async fn a_stream_is_counted_until_it_is_dropped() {
    let gate = gate();
    let leave = answer(gate.enter().await.unwrap(), async { StreamLeave::of_this_request() }).await.unwrap();
    let stream = leave.take().unwrap();
    assert!(stream.is_some());
    assert!(leave.take().is_err());
    drop(stream);
    assert!(leave.take().is_ok());
    assert!(StreamLeave::of_this_request().take().unwrap().is_none(), "outside a request nothing is bounded");
}

#[tokio::test]
async fn the_time_counts_from_the_end_of_the_body() {
    let time = Duration::from_millis(200);
    let limits = Limits { time, ..gate().limits };
    let gate = Arc::new(Gate::new(limits));
    let begun = Instant::now();
    let slow_body = async {
        let ticket = current().unwrap();
        ticket.begin_body().unwrap();
        tokio::time::sleep(2 * time).await;
        ticket.end_body().await.unwrap();
        tokio::time::sleep(time / 2).await;
    };
    answer(gate.enter().await.unwrap(), slow_body).await.unwrap();
    assert!(begun.elapsed() >= time * 5 / 2);

    let begun = Instant::now();
    let refused = answer(gate.enter().await.unwrap(), pending::<()>()).await.unwrap_err();
    assert_eq!(refused.kind.status(), 503);
    assert!(begun.elapsed() >= time);
    assert_eq!((gate.shed(Reason::Time), gate.under_way()), (1, [0; 4]));
}
