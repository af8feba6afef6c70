use std::{future::pending, net::Ipv4Addr};

use super::*;

fn limits() -> Limits {
    let time = Duration::from_secs(10);
    Limits { requests: 2, bodies: 4, memory: 20 * BODY_OVERHEAD, streams: 2, time }
}

fn gate() -> Arc<LoadGate> {
    Arc::new(LoadGate::new(limits()))
}

/// Of one of several callers.
fn ticket(gate: &Arc<LoadGate>, caller: u32) -> Rc<Ticket> {
    Ticket::new(gate, Rc::new(gate.party_of(IpAddr::V4(Ipv4Addr::from_bits(caller)))), Entry::Usual)
}

async fn enter_after_pause(gate: &Arc<LoadGate>, caller: u32) -> Result<Rc<Ticket>, Problem> {
    let party = Rc::new(gate.party_of(IpAddr::V4(Ipv4Addr::from_bits(caller))));
    let ticket = Ticket::new(gate, party, Entry::AfterPause);
    ticket.begin().await?;
    Ok(ticket)
}

async fn enter(gate: &Arc<LoadGate>, caller: u32) -> Result<Rc<Ticket>, Problem> {
    let ticket = ticket(gate, caller);
    ticket.begin().await?;
    Ok(ticket)
}

#[tokio::test]
async fn a_request_beyond_the_bound_is_refused_and_counted() {
    let gate = gate();
    let first = enter(&gate, 1).await.unwrap();
    let second = enter(&gate, 2).await.unwrap();
    let refused = enter(&gate, 3).await.unwrap_err();
    assert_eq!((refused.kind.status(), refused.retry_after), (503, Some(1)));
    assert_eq!((gate.shed(Reason::Requests), gate.under_way().requests), (1, 2));
    let always = Ticket::new(&gate, Rc::new(gate.party_of(IpAddr::V4(Ipv4Addr::LOCALHOST))), Entry::Always);
    always.begin().await.unwrap();
    first.finish();
    drop(first);
    let third = enter(&gate, 3).await.unwrap();
    drop((second, third));
    assert_eq!(gate.under_way(), LoadCounts::default());
}

#[tokio::test]
async fn who_has_its_share_waits_alone() {
    let gate = Arc::new(LoadGate::new(Limits { requests: 8, ..limits() }));
    let mut greedy = Vec::new();
    while let Ok(ticket) = enter(&gate, 1).await {
        greedy.push(ticket);
    }
    assert_eq!((greedy.len(), gate.shed(Reason::RequestsShare), gate.shed(Reason::Requests)), (6, 1, 0));
    let begun = Instant::now();
    let (late, other) = tokio::join!(enter(&gate, 1), async {
        let other = enter(&gate, 2).await;
        assert!(begun.elapsed() < PATIENCE, "the other waited too");
        greedy.truncate(3);
        other
    });
    assert!(late.is_ok() && other.is_ok() && begun.elapsed() < PATIENCE_WITH_OWN);
}

#[tokio::test]
async fn who_waits_for_its_own_has_its_turn_where_that_comes_soon() {
    let gate = Arc::new(LoadGate::new(Limits { requests: 8, ..limits() }));
    let mut greedy: Vec<_> = Vec::new();
    for _ in 0..6 {
        greedy.push(enter(&gate, 1).await.unwrap());
    }
    let begun = Instant::now();
    // As many as the pool has places wait at first, and one too many.
    let waiting: Vec<_> = (0..8).map(|_| enter(&gate, 1)).collect();
    let (waited, refused, ()) = tokio::join!(futures_util::future::join_all(waiting), enter(&gate, 1), async {
        tokio::time::sleep(3 * PATIENCE_WITH_OWN).await;
        greedy.pop();
    });
    assert!(refused.is_err());
    assert_eq!(waited.iter().filter(|one| one.is_ok()).count(), 1);
    assert!(begun.elapsed() >= 3 * PATIENCE_WITH_OWN);
}

#[tokio::test]
async fn who_made_a_pause_has_a_place_in_the_line() {
    let gate = Arc::new(LoadGate::new(Limits { requests: 8, ..limits() }));
    let mut greedy = Vec::new();
    for _ in 0..6 {
        greedy.push(enter(&gate, 1).await.unwrap());
    }
    let _line: Vec<_> = (0..8).map(|_| gate.pace.wait(Instant::now())).collect();
    let begun = Instant::now();
    assert!(enter(&gate, 1).await.is_err(), "as many wait as may");
    assert!(begun.elapsed() < PATIENCE_IN_LINE);
    let (paused, ()) = tokio::join!(enter_after_pause(&gate, 1), async {
        tokio::time::sleep(PATIENCE_IN_LINE + PATIENCE).await;
        greedy.pop();
    });
    assert!(paused.is_ok() && begun.elapsed() > PATIENCE_IN_LINE);
}

#[tokio::test]
async fn a_body_that_is_awaited_takes_no_place_of_those_worked_on() {
    let gate = gate();
    let mut stalled = Vec::new();
    for caller in 0..3 {
        let ticket = enter(&gate, caller).await.unwrap();
        ticket.begin_body().unwrap();
        stalled.push(ticket);
    }
    assert_eq!((gate.under_way().requests, gate.under_way().bodies), (0, 3));
    let one = enter(&gate, 4).await.unwrap();
    let two = enter(&gate, 5).await.unwrap();
    assert!(stalled[0].end_body().await.is_err(), "no place to work on it");
    drop(one);
    stalled[1].end_body().await.unwrap();
    assert_eq!((gate.under_way().requests, gate.under_way().bodies), (2, 1));
    drop((two, stalled));
    assert_eq!(gate.under_way(), LoadCounts::default());
}

#[tokio::test]
async fn a_burst_waits_for_a_moment() {
    let gate = gate();
    let first = enter(&gate, 1).await.unwrap();
    let _second = enter(&gate, 2).await.unwrap();
    let begun = Instant::now();
    let (third, ()) = tokio::join!(enter(&gate, 3), async {
        tokio::time::sleep(PATIENCE / 5).await;
        first.finish();
    });
    assert!(third.is_ok() && begun.elapsed() < PATIENCE);
    assert!(enter(&gate, 4).await.is_err());
    assert!(begun.elapsed() >= PATIENCE);
    assert_eq!(gate.under_way().requests, 2);
}

#[tokio::test]
async fn stalled_bodies_of_one_leave_room_for_others() {
    let gate = gate();
    let mut stalled = Vec::new();
    let mut refused = 0;
    for _ in 0..4 {
        let ticket = enter(&gate, 1).await.unwrap();
        match ticket.begin_body() {
            Ok(()) => stalled.push(ticket),
            Err(_) => refused += 1,
        }
    }
    assert_eq!((stalled.len(), refused, gate.shed(Reason::BodiesShare)), (2, 2, 2));
    let other = enter(&gate, 2).await.unwrap();
    other.begin_body().unwrap();
    drop((stalled, other));
    assert_eq!(gate.under_way(), LoadCounts::default());
}

#[tokio::test]
async fn all_that_is_held_shares_the_memory_there_is() {
    let gate = gate();
    let first = enter(&gate, 1).await.unwrap();
    let second = enter(&gate, 2).await.unwrap();
    first.hold(10 * BODY_OVERHEAD).unwrap();
    assert!(first.hold(1).is_err(), "half of it, alone");
    assert!(second.hold(11 * BODY_OVERHEAD).is_err(), "more than there is");
    second.hold(4 * BODY_OVERHEAD).unwrap();
    assert_eq!((gate.under_way().memory, gate.shed(Reason::MemoryShare)), (14 * BODY_OVERHEAD, 1));
    assert!(gate.take_memory(&second.party(), 3 * BODY_OVERHEAD).is_err(), "an answer counts too");
    let answer = gate.take_memory(&second.party(), BODY_OVERHEAD).unwrap();
    drop((first, second));
    assert_eq!(gate.under_way().memory, BODY_OVERHEAD);
    drop(answer);
    assert_eq!(gate.under_way().memory, 0);
}

#[tokio::test]
async fn a_stream_is_counted_until_it_is_dropped() {
    let gate = Arc::new(LoadGate::new(Limits { memory: 4 << 20, ..limits() }));
    let asks = |caller| {
        let gate = Arc::clone(&gate);
        async move { answer(enter(&gate, caller).await.unwrap(), async { StreamPermit::of_this_request() }).await }
    };
    let permit = asks(1).await.unwrap();
    let stream = permit.take().unwrap();
    assert!(stream.is_some() && gate.under_way().streams == 1);
    assert!(permit.take().is_err(), "the other one is for others");
    let other = asks(2).await.unwrap().take().unwrap();
    assert_eq!((gate.under_way().streams, gate.shed(Reason::StreamsShare)), (2, 1));
    drop((stream, other));
    assert!(permit.take().is_ok());
    assert_eq!(gate.under_way(), LoadCounts::default());
    assert!(StreamPermit::of_this_request().take().unwrap().is_none(), "outside a request nothing is bounded");
}

#[tokio::test]
async fn the_time_counts_from_the_end_of_the_body() {
    let time = Duration::from_millis(200);
    let gate = Arc::new(LoadGate::new(Limits { time, ..limits() }));
    let begun = Instant::now();
    let slow_body = async {
        let ticket = current().unwrap();
        ticket.begin_body().unwrap();
        tokio::time::sleep(2 * time).await;
        ticket.end_body().await.unwrap();
        tokio::time::sleep(time / 2).await;
    };
    answer(enter(&gate, 1).await.unwrap(), slow_body).await.unwrap();
    assert!(begun.elapsed() >= time * 5 / 2);

    let begun = Instant::now();
    let refused = answer(enter(&gate, 1).await.unwrap(), pending::<()>()).await.unwrap_err();
    assert_eq!(refused.kind.status(), 503);
    assert!(begun.elapsed() >= time);
    assert_eq!((gate.shed(Reason::Time), gate.under_way()), (1, LoadCounts::default()));
}
