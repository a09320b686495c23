//! The server's services, one for each set of rules, and the limits on the number of questions in
//! progress or waiting and on their time. A service opens its databases at the first question, and
//! again after a build added files.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use anyhow::{Result, anyhow};
use millbase::engine::ending::DrawRule;
use millbase::search::Search;
use millbase::service::question::{Question, Service, Topic};
use millbase::{Database, Rules};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::api_error::{self, ApiError};

/// The longest time for a question, including the time that it waits for others.
const LONGEST_ANSWER: Duration = Duration::from_secs(10);

/// The transposition table of the searches under one set of rules, in bytes.
const SEARCH_BYTES: usize = 32 << 20;

/// A function that opens the databases of rules.
type Open = dyn Fn(Rules) -> Result<Database> + Send + Sync;

/// The services and the places for questions in progress.
#[derive(Clone)]
pub struct Services {
    /// The rules of questions that name none.
    rules: Rules,
    draws: DrawRule,
    open: Arc<Open>,
    opened: Arc<RwLock<HashMap<Rules, Service>>>,
    places: Arc<Semaphore>,
    /// Places for questions that search, apart, so that lookups do not wait for searches.
    searches: Arc<Semaphore>,
}

impl Services {
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
    ) -> Result<Services> {
        let services = Services {
            rules,
            draws,
            open: Arc::new(open),
            opened: Arc::default(),
            places: Arc::new(Semaphore::new(in_flight)),
            searches: Arc::new(Semaphore::new(searches)),
        };
        services.reopen(rules)?;
        Ok(services)
    }

    /// The rules of questions that name none.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The rules about draws.
    pub fn draws(&self) -> DrawRule {
        self.draws
    }

    /// The service of these rules, opened at the first call.
    pub fn of(&self, rules: Rules) -> Result<Service> {
        let opened = self.opened.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(service) = opened.get(&rules) {
            return Ok(service.clone());
        }
        drop(opened);
        self.reopen(rules)
    }

    /// Opens the databases of these rules again, so that later questions see new files. If that
    /// fails, the databases that were open stay.
    pub fn reopen(&self, rules: Rules) -> Result<Service> {
        // One thread for each search: as many questions search at a time as there are cores.
        let search = Search::new(rules, SEARCH_BYTES, 1);
        let service = Service {
            database: Arc::new((self.open)(rules)?),
            search: Arc::new(search),
            draws: self.draws,
            sentence: api_error::sentence,
        };
        let mut opened = self.opened.write().unwrap_or_else(PoisonError::into_inner);
        opened.insert(rules, service.clone());
        Ok(service)
    }

    /// Answers a question on a thread that may wait for the disk. If the client has gone, a
    /// question that has not begun is dropped; one that has begun keeps its place until it ends.
    pub async fn answer(
        &self,
        topic: Topic,
        question: Question,
        rules: Rules,
    ) -> Result<Vec<u8>, ApiError> {
        let searches = topic.may_search(&question, &rules)?;
        let places = Arc::clone(&self.places);
        let place = places.try_acquire_owned().map_err(|_| ApiError::Busy)?;
        let services = self.clone();
        let mut task = JoinSet::new();
        let answer = async {
            let search = match searches {
                false => None,
                true => Some(Arc::clone(&self.searches).acquire_owned().await),
            };
            task.spawn_blocking(move || {
                let answer = services
                    .of(rules)
                    .and_then(|service| Ok(service.answer(topic, &question)?));
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
