use std::{
    future::Future,
    net::{IpAddr, Ipv4Addr},
    pin::pin,
    sync::atomic::{AtomicUsize, Ordering},
    task::{Context, Poll, Wake, Waker},
};

use super::*;

/// Takes one after the other until it is refused; answers all that it got.
fn greedy(pool: &Arc<Pool>, party: &Arc<Party>) -> Vec<Lease> {
    std::iter::from_fn(|| pool.try_take(party, 1).ok()).collect()
}

#[test]
fn something_is_free_however_many_are_greedy() {
    let parties = Parties::default();
    let pool = Pool::new(Kind::Bodies, 1000, 1, 10);
    let alone = greedy(&pool, &parties.of_key("client_1", "one"));
    assert_eq!(alone.len(), 500);
    let mut all = vec![alone];
    for number in 2..=5 {
        all.push(greedy(&pool, &parties.of_key(&format!("client_{number}"), "k")));
        assert!(pool.used() < pool.total(), "{number}");
    }
    assert_eq!(pool.try_take(&parties.of_key("client_1", "one"), 1).unwrap_err(), ExceededShare::Caller);
    assert!(pool.try_take(&parties.of_address(IpAddr::V4(Ipv4Addr::LOCALHOST)), 1).is_ok());
    drop(all);
    assert_eq!(pool.used(), 0);
}

#[test]
fn the_keys_of_a_tenant_share_what_it_may_have() {
    let parties = Parties::default();
    let pool = Pool::new(Kind::Bodies, 1000, 1, 10);
    let held: Vec<_> = (0..50).map(|key| greedy(&pool, &parties.of_key("client_1", &key.to_string()))).collect();
    let tenant: usize = held.iter().map(Vec::len).sum();
    assert!((600..=667).contains(&tenant), "{tenant}");
    assert_eq!(pool.try_take(&parties.of_key("client_1", "new"), 300).unwrap_err(), ExceededShare::Tenant);
    assert_eq!(greedy(&pool, &parties.of_key("client_2", "k")).len(), (1000 - tenant) / 2 + (1000 - tenant) % 2);
}

#[test]
fn the_room_of_a_party_is_what_it_gets_bit_by_bit() {
    let parties = Parties::default();
    let pool = Pool::new(Kind::Calls, 256, 1, 10);
    let mut all = Vec::new();
    for (tenant, key) in [("client_1", "a"), ("client_1", "b"), ("client_1", "c"), ("client_2", "a"), ("client_2", "b")]
    {
        let party = parties.of_key(tenant, key);
        let room = pool.room(&party);
        let got = greedy(&pool, &party);
        assert_eq!((got.len(), pool.room(&party)), (room, 0), "{tenant} {key}");
        all.push(got);
    }
    let mut lease = pool.try_take(&parties.of_key("client_3", "a"), 3).unwrap();
    let used = pool.used();
    drop(lease.split(2));
    assert_eq!((lease.amount(), pool.used()), (1, used - 2));
}

#[test]
fn amounts_count() {
    let parties = Parties::default();
    let pool = Pool::new(Kind::Memory, 100, 1, 10);
    let (one, other) = (parties.of_key("client_1", "one"), parties.of_key("client_2", "one"));
    let mut lease = pool.try_take(&one, 40).unwrap();
    assert_eq!(lease.grow(30), Err(ExceededShare::Caller));
    assert_eq!((lease.grow(10), lease.amount(), pool.used()), (Ok(()), 50, 50));
    assert_eq!(pool.try_take(&other, 60).unwrap_err(), ExceededShare::Everything);
    lease.shrink_to(10);
    assert_eq!((pool.used(), one.held(Kind::Memory), one.tenant().held(Kind::Memory)), (10, 10, 10));
    assert!(pool.try_take(&other, 60).is_ok());
    assert!(pool.try_take(&Party::service(), 90).is_ok(), "the service takes what there is");
    drop(lease);
    assert_eq!((pool.used(), one.held(Kind::Memory)), (0, 0));
    pool.try_take(&one, 20).unwrap().keep();
    assert_eq!(one.held(Kind::Memory), 20);
    pool.release(&one, 20);
    assert_eq!(pool.used(), 0);
}

#[test]
fn one_of_everything_is_enough_for_one() {
    let parties = Parties::default();
    let pool = Pool::new(Kind::Streams, 1, 1, 10);
    let one = pool.try_take(&parties.of_key("client_1", "one"), 1).unwrap();
    assert!(pool.try_take(&parties.of_key("client_2", "one"), 1).is_err());
    drop(one);
    assert!(pool.try_take(&parties.of_key("client_2", "one"), 1).is_ok());
}

#[derive(Default)]
struct WakeCounter(AtomicUsize);

impl Wake for WakeCounter {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn those_who_wait_are_served_in_turn() {
    let parties = Parties::default();
    let pool = Pool::new(Kind::Connections, 4, 4, 100);
    let greedy = parties.of_key("client_1", "one");
    let other = parties.of_key("client_2", "one");
    let woken = Arc::new(WakeCounter::default());
    let waker = Waker::from(Arc::clone(&woken));
    let mut context = Context::from_waker(&waker);
    let mut held: Vec<_> = (0..3).map(|_| pool.try_take(&greedy, 1).unwrap()).collect();
    held.push(pool.try_take(&greedy, 1).unwrap());
    let mut waiting: Vec<_> = (0..20).map(|_| Box::pin(pool.take(&greedy, 1))).collect();
    assert!(waiting.iter_mut().all(|taking| taking.as_mut().poll(&mut context).is_pending()));
    let mut late = pin!(pool.take(&other, 1));
    assert!(late.as_mut().poll(&mut context).is_pending());
    held.pop();
    held.pop();
    let Poll::Ready(Ok(_lease)) = late.as_mut().poll(&mut context) else { panic!("twenty others went first") };
    assert!(woken.0.load(Ordering::Relaxed) >= 1);

    drop(waiting);
    drop(held);
    assert_eq!((pool.used(), pool.queue.has_waiters()), (1, false), "who goes away gives back what it was given");
}

/// The first of those who wait that was served, with its number; it waits no more.
fn next_served(waiting: &mut Vec<(usize, std::pin::Pin<Box<Acquire>>)>) -> Option<(usize, Lease)> {
    let mut context = Context::from_waker(Waker::noop());
    let mut polled =
        waiting.iter_mut().enumerate().map(|(place, (_, taking))| (place, taking.as_mut().poll(&mut context)));
    let (place, lease) = polled.find_map(|(place, polled)| match polled {
        Poll::Ready(Ok(lease)) => Some((place, lease)),
        _ => None,
    })?;
    Some((waiting.remove(place).0, lease))
}

#[test]
fn a_tenant_with_many_keys_has_no_more_turns_than_one_with_a_single_key() {
    let parties = Parties::default();
    let pool = Pool::new(Kind::Processors, 1, 1, 1000);
    let mut held = Some((0, pool.try_take(&parties.of_key("client_1", "first"), 1).unwrap()));
    // Ninety keys of a tenant were there before; two of the other come last.
    let greedy = (0..90).map(|key| (1, parties.of_key("client_1", &key.to_string())));
    let good = ["a", "b"].map(|key| (2, parties.of_key("client_2", key)));
    let mut waiting: Vec<_> =
        greedy.chain(good).map(|(tenant, party)| (tenant, Box::pin(pool.take(&party, 1)))).collect();
    assert!(next_served(&mut waiting).is_none());
    let turns: Vec<_> = std::iter::from_fn(|| {
        held = None;
        held = next_served(&mut waiting);
        held.as_ref().map(|(tenant, _)| *tenant)
    })
    .take(4)
    .collect();
    assert_eq!(turns, [1, 2, 1, 2]);
    drop((held, waiting));
    assert_eq!((pool.used(), pool.queue.has_waiters()), (0, false));
}

#[test]
fn the_lines_of_a_tenant_leave_room_for_others() {
    let parties = Parties::default();
    let pool = Pool::new(Kind::Processors, 1, 1, 90);
    let mut context = Context::from_waker(Waker::noop());
    let _held = pool.try_take(&parties.of_key("client_1", "0"), 1).unwrap();
    let mut waiting: Vec<_> =
        (0..200).map(|key| Box::pin(pool.take(&parties.of_key("client_1", &key.to_string()), 1))).collect();
    let joined = waiting.iter_mut().map(|taking| taking.as_mut().poll(&mut context)).filter(Poll::is_pending).count();
    assert_eq!(joined, 60);
    assert!(pin!(pool.take(&parties.of_key("client_2", "0"), 1)).poll(&mut context).is_pending());
}

#[test]
fn a_line_is_as_long_as_there_is_room_for_others() {
    let parties = Parties::default();
    let pool = Pool::new(Kind::Connections, 1, 1, 10);
    let greedy = parties.of_key("client_1", "one");
    let other = parties.of_key("client_2", "one");
    let mut context = Context::from_waker(Waker::noop());
    let _held = pool.try_take(&greedy, 1).unwrap();
    let mut waiting: Vec<_> = (0..10).map(|_| Box::pin(pool.take(&greedy, 1))).collect();
    let mut refused = waiting.iter_mut().map(|taking| taking.as_mut().poll(&mut context));
    assert_eq!(refused.by_ref().filter(|answer| matches!(answer, Poll::Ready(Err(ExceededShare::Caller)))).count(), 5);
    assert!(pin!(pool.take(&other, 1)).poll(&mut context).is_pending());
    let too_much = pin!(pool.take(&other, 2)).poll(&mut context);
    assert!(matches!(too_much, Poll::Ready(Err(ExceededShare::Everything))), "what never comes is not waited for");
    let service = Party::service();
    let mut many: Vec<_> = (0..20).map(|_| Box::pin(pool.take(&service, 1))).collect();
    assert!(many.iter_mut().all(|taking| taking.as_mut().poll(&mut context).is_pending()), "it stands for many");
}

#[test]
fn parties_are_known_by_name_and_forgotten() {
    let parties = Parties::default();
    let key = parties.of_key("client_1", "one");
    assert!(Arc::ptr_eq(&key, &parties.of_key("client_1", "one")));
    assert!(Arc::ptr_eq(key.tenant(), parties.of_key("client_1", "two").tenant()));
    assert!(!Arc::ptr_eq(key.tenant(), parties.of_key("client_2", "one").tenant()));
    for number in 0..100_000 {
        parties.of_address(IpAddr::V4(Ipv4Addr::from_bits(number)));
    }
    assert!(parties.count() < 3000, "{}", parties.count());
    assert!(Arc::ptr_eq(&key, &parties.of_key("client_1", "one")));
}
