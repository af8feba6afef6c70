//! A queue of jobs for each tenant; the queues take turns.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

/// The queues of all tenants that have something waiting.
#[derive(Debug)]
pub struct TurnQueue<J> {
    /// What may wait of one tenant. More than this only piles up: it is refused, while others are not.
    most_of_one: usize,
    /// What may wait of all together.
    most: usize,
    queues: HashMap<Arc<str>, VecDeque<J>>,
    /// The tenants of these queues, the next one first.
    order: VecDeque<Arc<str>>,
    waiting: usize,
}

/// What cannot wait, since too much does already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany(pub usize);

impl<J> TurnQueue<J> {
    /// Nothing waits yet. So much may wait of one tenant, and of all together.
    pub fn new(most_of_one: usize, most: usize) -> Self {
        Self { most_of_one, most, queues: HashMap::new(), order: VecDeque::new(), waiting: 0 }
    }

    /// Lets one wait.
    ///
    /// # Errors
    /// When so much waits already.
    pub fn push(&mut self, tenant: &str, job: J) -> Result<(), TooMany> {
        if self.waiting >= self.most {
            return Err(TooMany(self.most));
        }
        match self.queues.get_mut(tenant) {
            Some(queue) if queue.len() >= self.most_of_one => return Err(TooMany(self.most_of_one)),
            Some(queue) => queue.push_back(job),
            None => {
                let tenant: Arc<str> = Arc::from(tenant);
                self.queues.insert(Arc::clone(&tenant), VecDeque::from([job]));
                self.order.push_back(tenant);
            }
        }
        self.waiting += 1;
        Ok(())
    }

    /// Takes the next one, of a tenant that `may` have another turn; behind it come all others first.
    pub fn next(&mut self, may: impl Fn(&str) -> bool) -> Option<(Arc<str>, J)> {
        let place = self.order.iter().position(|tenant| may(tenant))?;
        let tenant = self.order.remove(place)?;
        let queue = self.queues.get_mut(&tenant)?;
        let job = queue.pop_front()?;
        if queue.is_empty() {
            self.queues.remove(&tenant);
        } else {
            self.order.push_back(Arc::clone(&tenant));
        }
        self.waiting -= 1;
        Some((tenant, job))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST_OF_ONE: usize = 1_024;
    const MOST: usize = 4_096;

    #[test]
    fn tenants_take_turns() {
        let mut turns = TurnQueue::new(MOST_OF_ONE, MOST);
        for job in 0..100 {
            turns.push("greedy", job).unwrap();
        }
        turns.push("one", 1_000).unwrap();
        turns.push("two", 2_000).unwrap();
        turns.push("one", 1_001).unwrap();
        let taken: Vec<i32> = (0..6).filter_map(|_| turns.next(|_| true)).map(|(_, job)| job).collect();
        assert_eq!(taken, [0, 1_000, 2_000, 1, 1_001, 2]);
        assert_eq!(turns.next(|tenant| tenant != "greedy"), None);
        assert_eq!(turns.next(|_| true).map(|(tenant, job)| (tenant.to_string(), job)), Some(("greedy".to_owned(), 3)));
    }

    #[test]
    fn one_tenant_does_not_take_the_place_of_the_others() {
        let mut turns = TurnQueue::new(MOST_OF_ONE, MOST);
        let refused = (0..2 * MOST).filter(|job| turns.push("greedy", *job).is_err()).count();
        assert_eq!(refused, 2 * MOST - MOST_OF_ONE);
        assert_eq!(turns.push("greedy", 0), Err(TooMany(MOST_OF_ONE)));
        assert_eq!(turns.push("other", 0), Ok(()));
        for number in 0.. {
            if turns.push(&format!("tenant {number}"), 0).is_err() {
                break;
            }
        }
        assert_eq!(turns.push("last", 0), Err(TooMany(MOST)));
    }
}
