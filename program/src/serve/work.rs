//! The databases of the server, by rules, and the limits on the number of questions in progress or
//! waiting and on their time. A database is opened at the first question about it, and opened again
//! after a build added files.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use anyhow::{Result, anyhow};
use millbase::engine::ending::DrawRule;
use millbase::search::Search;
use millbase::service::question::Service;
use millbase::{Database, Position, Rules};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::api_error::{self, ApiError};

/// The longest time for a question, including the time that it waits for others.
const LONGEST_ANSWER: Duration = Duration::from_secs(10);

/// The transposition table of the searches under one set of rules, in bytes.
const SEARCH_BYTES: usize = 32 << 20;

/// The work that a question needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// A few stored values.
    Lookup,
    /// A search, which takes a core and some memory for up to some seconds.
    Search,
}

impl Effort {
    /// The work for an answer about a position.
    pub fn of(position: &Position) -> Effort {
        match position.is_placing() {
            true => Effort::Search,
            false => Effort::Lookup,
        }
    }
}

/// A function that opens the databases of rules.
type Open = dyn Fn(Rules) -> Result<Database> + Send + Sync;

/// The databases and the places for questions in progress.
#[derive(Clone)]
pub struct Work {
    /// The rules of questions that name none.
    rules: Rules,
    draws: DrawRule,
    open: Arc<Open>,
    opened: Arc<RwLock<HashMap<Rules, Service>>>,
    places: Arc<Semaphore>,
    /// Places for questions that search, apart, so that lookups do not wait for searches.
    searches: Arc<Semaphore>,
}

impl Work {
    /// Allows `in_flight` questions at a time, of which `searches` may search while the others
    /// wait.
    ///
    /// # Errors
    ///
    /// If the databases of the rules cannot be opened.
    pub fn new(
        rules: Rules,
        draws: DrawRule,
        open: impl Fn(Rules) -> Result<Database> + Send + Sync + 'static,
        in_flight: usize,
        searches: usize,
    ) -> Result<Work> {
        let work = Work {
            rules,
            draws,
            open: Arc::new(open),
            opened: Arc::default(),
            places: Arc::new(Semaphore::new(in_flight)),
            searches: Arc::new(Semaphore::new(searches)),
        };
        work.reopen(rules)?;
        Ok(work)
    }

    /// The rules of questions that name none.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The rules about draws.
    pub fn draws(&self) -> DrawRule {
        self.draws
    }

    /// The databases and the search of these rules, opened at the first call.
    pub fn knowledge(&self, rules: Rules) -> Result<Service> {
        let opened = self.opened.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = opened.get(&rules) {
            return Ok(known.clone());
        }
        drop(opened);
        self.reopen(rules)
    }

    /// Opens the databases of these rules again, so that later questions see new files. If that
    /// fails, the databases that were open stay.
    pub fn reopen(&self, rules: Rules) -> Result<Service> {
        // One thread for each search: as many questions search at a time as there are cores.
        let search = Search::new(rules, SEARCH_BYTES, 1);
        let known = Service {
            database: Arc::new((self.open)(rules)?),
            search: Arc::new(search),
            draws: self.draws,
            sentence: api_error::sentence,
        };
        let mut opened = self.opened.write().unwrap_or_else(PoisonError::into_inner);
        opened.insert(rules, known.clone());
        Ok(known)
    }

    /// Answers a question on a thread that may wait for the disk. If the client has gone, a
    /// question that has not begun is dropped; one that has begun keeps its place until it ends.
    pub async fn ask<T: Send + 'static>(
        &self,
        rules: Rules,
        effort: Effort,
        question: impl FnOnce(&Service) -> Result<T> + Send + 'static,
    ) -> Result<T, ApiError> {
        let places = Arc::clone(&self.places);
        let place = places.try_acquire_owned().map_err(|_| ApiError::Busy)?;
        let work = self.clone();
        let mut task = JoinSet::new();
        let answer = async {
            let search = match effort {
                Effort::Lookup => None,
                Effort::Search => Some(Arc::clone(&self.searches).acquire_owned().await),
            };
            task.spawn_blocking(move || {
                let answer = work.knowledge(rules).and_then(|known| question(&known));
                drop((place, search));
                answer
            });
            task.join_next().await
        };
        match timeout(LONGEST_ANSWER, answer).await {
            Ok(Some(Ok(answer))) => answer.map_err(ApiError::Failed),
            Ok(_) => Err(ApiError::Failed(anyhow!(
                "the thread of the answer ended early; ask again"
            ))),
            Err(_) => Err(ApiError::Late(LONGEST_ANSWER)),
        }
    }
}
