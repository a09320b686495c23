//! The flag that ends the questions of a thread when nobody waits for the answers any more.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::store::DbError;

/// Set when nobody waits any more.
pub type Stop = Arc<AtomicBool>;

thread_local!(static STOP: RefCell<Option<Stop>> = const { RefCell::new(None) });

/// Asks questions on this thread until another thread sets `stop`; then searches and questions about many
/// positions end with an error.
pub fn until<T>(stop: &Stop, ask: impl FnOnce() -> T) -> T {
    until_any(Some(Arc::clone(stop)), ask)
}

/// [`until`] with the flag of another thread's question, if it has one.
pub(super) fn until_any<T>(stop: Option<Stop>, ask: impl FnOnce() -> T) -> T {
    let outer = STOP.replace(stop);
    let answer = ask();
    STOP.set(outer);
    answer
}

/// The flag of this thread's question.
pub(super) fn flag() -> Option<Stop> {
    STOP.with_borrow(Option::clone)
}

/// Returns an error if nobody waits for the question with this flag.
pub(super) fn check(stop: &Option<Stop>) -> Result<(), DbError> {
    match stop {
        Some(stop) if stop.load(Ordering::Relaxed) => Err(DbError::NotStored(
            "the search was stopped before it knew the value".to_string(),
        )),
        _ => Ok(()),
    }
}

/// [`check`] for this thread's question.
pub(crate) fn check_own() -> Result<(), DbError> {
    STOP.with_borrow(check)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inner_question_leaves_the_flag_of_the_outer_one() {
        let [set, clear] = [true, false].map(|flag| Stop::new(flag.into()));
        until(&set, || {
            assert!(check_own().is_err());
            assert!(until(&clear, check_own).is_ok());
            assert!(check_own().is_err());
        });
        assert!(check_own().is_ok());
    }
}
