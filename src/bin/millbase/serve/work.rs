//! The databases behind the server: how many questions are at work or wait at once, and for how
//! long.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow};
use millbase::Database;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::refusal::Refusal;

/// How long a question may take, with the time it waits for others.
const LONGEST_ANSWER: Duration = Duration::from_secs(10);

/// What a question needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// A few values that are stored.
    Lookup,
    /// A search, with a core and some memory for up to seconds.
    Search,
}

/// The databases and the places for questions.
#[derive(Clone)]
pub struct Work {
    database: Arc<Database>,
    places: Arc<Semaphore>,
    /// Places for those that search; the others must not wait for them.
    searches: Arc<Semaphore>,
}

impl Work {
    /// Room for so many questions at once, of which so many search while the others wait.
    pub fn new(database: Database, in_flight: usize, searches: usize) -> Work {
        Work {
            database: Arc::new(database),
            places: Arc::new(Semaphore::new(in_flight)),
            searches: Arc::new(Semaphore::new(searches)),
        }
    }

    /// The databases, for what needs no reading of files.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Asks the databases on a thread that may wait for the disk. A question that nobody waits for
    /// any more is dropped if it has not begun; once begun, it keeps its place until it ends.
    pub async fn ask<T: Send + 'static>(
        &self,
        effort: Effort,
        question: impl FnOnce(&Database) -> Result<T> + Send + 'static,
    ) -> Result<T, Refusal> {
        let places = Arc::clone(&self.places);
        let place = places.try_acquire_owned().map_err(|_| Refusal::Busy)?;
        let database = Arc::clone(&self.database);
        let mut task = JoinSet::new();
        let answer = async {
            let search = match effort {
                Effort::Lookup => None,
                Effort::Search => Some(Arc::clone(&self.searches).acquire_owned().await),
            };
            task.spawn_blocking(move || {
                let answer = question(&database);
                drop((place, search));
                answer
            });
            task.join_next().await
        };
        match timeout(LONGEST_ANSWER, answer).await {
            Ok(Some(Ok(answer))) => answer.map_err(Refusal::Failed),
            Ok(_) => Err(Refusal::Failed(anyhow!("the answer was broken off"))),
            Err(_) => Err(Refusal::Late(LONGEST_ANSWER)),
        }
    }
}
