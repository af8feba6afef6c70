//! Random numbers that a seed decides, so that a run can be repeated.

/// A generator (splitmix64). What it gives depends on the seed of the run and on where in the run it is.
pub struct Dice(u64);

impl Dice {
    /// The generator of one round of one campaign.
    pub fn new(seed: u64, campaign: usize, round: usize) -> Self {
        let mut dice = Self(seed ^ (campaign as u64) << 56 ^ (round as u64) << 24);
        // The first number mixes the three.
        Self(dice.next())
    }

    /// Any number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number of the range, whose end is left out.
    pub fn of(&mut self, range: std::ops::Range<u64>) -> u64 {
        range.start + self.next() % (range.end - range.start).max(1)
    }

    /// One of a list.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[(self.next() % list.len() as u64) as usize]
    }
}
