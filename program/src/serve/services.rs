//! The server's services, one for each set of rules, and the limits on the number of questions in
//! progress or waiting and on their time. A service opens its databases at the first question, and
//! again after a build added files.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Result, anyhow};
use millbase::Rules;
use millbase::engine::DrawRule;
use millbase::internals::service::failure::Failure;
use millbase::internals::service::question::{Question, Service, Topic};
use millbase::internals::{Stop, locked};
use millbase::search::Search;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::api_error::{self, ApiError};
use crate::databases;
use crate::options::Options;

/// The longest time for a question, including the time that it waits for others.
const LONGEST_ANSWER: Duration = Duration::from_secs(10);

/// The transposition table of the searches under one set of rules, in bytes.
const SEARCH_BYTES: usize = 32 << 20;

/// The services and the places for questions in progress.
#[derive(Clone)]
pub struct Services {
    options: Arc<Options>,
    draws: DrawRule,
    opened: Arc<Mutex<HashMap<Rules, Service>>>,
    /// The places for look-ups and for searches, separate so that searches do not hold up look-ups.
    lookups: Arc<Semaphore>,
    searches: Arc<Semaphore>,
    /// The places for searches that run; the others wait.
    running: Arc<Semaphore>,
}

/// A flag that is set when this is dropped: then nobody waits for the answer.
#[derive(Default)]
struct GivenUp(Arc<AtomicBool>);

impl Drop for GivenUp {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Services {
    /// Allows `in_flight` look-ups and as many searches at a time, of which `running` run while the others wait.
    ///
    /// # Errors
    ///
    /// If the databases of the rules cannot be opened.
    pub fn new(
        options: &Options,
        draws: DrawRule,
        in_flight: usize,
        running: usize,
    ) -> Result<Services> {
        let services = Services {
            options: Arc::new(options.clone()),
            draws,
            opened: Arc::default(),
            lookups: Arc::new(Semaphore::new(in_flight)),
            searches: Arc::new(Semaphore::new(in_flight)),
            running: Arc::new(Semaphore::new(running)),
        };
        services.reopen(options.rules)?;
        Ok(services)
    }

    /// The rules of questions that name none.
    pub fn rules(&self) -> &Rules {
        &self.options.rules
    }

    /// The options for these rules.
    pub fn options(&self, rules: Rules) -> Options {
        Options {
            rules,
            // The user saw the notes when the server started.
            quiet: self.options.quiet || rules != self.options.rules,
            ..Options::clone(&self.options)
        }
    }

    /// The rules about draws.
    pub fn draws(&self) -> DrawRule {
        self.draws
    }

    /// The service of these rules, opened at the first call.
    pub fn of(&self, rules: Rules) -> Result<Service> {
        let opened = locked(&self.opened).get(&rules).cloned();
        opened.map_or_else(|| self.reopen(rules), Ok)
    }

    /// Opens the databases of these rules again, so that later questions see new files. If that
    /// fails, the databases that were open stay.
    pub fn reopen(&self, rules: Rules) -> Result<Service> {
        // One thread for each search: as many questions search at a time as there are cores.
        let search = Search::new(rules, SEARCH_BYTES, 1);
        let service = Service {
            database: Arc::new(databases::open(&self.options(rules))?),
            search: Arc::new(search),
            draws: self.draws,
            sentence: api_error::sentence,
        };
        locked(&self.opened).insert(rules, service.clone());
        Ok(service)
    }

    /// Answers a question, as [`Services::work`] says.
    pub async fn answer(
        &self,
        topic: Topic,
        question: Question,
        rules: Rules,
    ) -> Result<Vec<u8>, ApiError> {
        let searches = topic.may_search(&question, &rules)?;
        let answer = move |service: &Service, stop: &Stop| service.answer(topic, &question, stop);
        self.work(searches, rules, answer).await
    }

    /// Calls `answer` on a thread that may wait for the disk. If the client has gone or the time is over, a
    /// question that has not begun is dropped; one that has begun ends its search early, and keeps its place until
    /// then.
    pub async fn work(
        &self,
        searches: bool,
        rules: Rules,
        answer: impl FnOnce(&Service, &Stop) -> Result<Vec<u8>, Failure> + Send + 'static,
    ) -> Result<Vec<u8>, ApiError> {
        let places = match searches {
            true => &self.searches,
            false => &self.lookups,
        };
        let place = Arc::clone(places).try_acquire_owned();
        let place = place.map_err(|_| ApiError::Busy)?;
        let services = self.clone();
        let mut task = JoinSet::new();
        let given_up = GivenUp::default();
        let stop = Arc::clone(&given_up.0);
        let answered = async {
            let search = match searches {
                false => None,
                true => Some(Arc::clone(&self.running).acquire_owned().await),
            };
            task.spawn_blocking(move || {
                let service = services.of(rules);
                let answer = service.and_then(|service| Ok(answer(&service, &stop)?));
                drop((place, search));
                answer
            });
            task.join_next().await
        };
        match timeout(LONGEST_ANSWER, answered).await {
            Ok(Some(Ok(answer))) => Ok(answer?),
            Ok(_) => Err(anyhow!("the thread of the answer ended early; ask again").into()),
            Err(_) => Err(ApiError::Late(LONGEST_ANSWER)),
        }
    }
}
