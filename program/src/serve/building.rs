//! The path `/build`: builds databases when the page asks for it, uses each as soon as it is finished, and stops the build on
//! request.

use std::fs;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Error, Result};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use millbase::internals::locked;
use millbase::internals::service::failure::FailureAnswer;
use millbase::internals::service::question::Question;
use millbase::internals::service::rules::RuleSet;
use millbase::internals::stages::why_unsolved;
use millbase::solve::{
    BuildEvent, BuildFolder, BuildPlan, BuildProgress, BuildRequest, SolveError,
};
use millbase::store::{Location, Profile};
use millbase::{Pair, Rules};
use schemars::JsonSchema;
use serde::Serialize;
use tokio::task::spawn_blocking;

use super::api_error::{self, ApiError};
use super::guard::Guard;
use super::reply;
use super::routes::{self, QuestionQuery};
use super::services::Services;
use crate::advice;
use crate::status::{self, Failure};
use crate::{build, databases};

/// Builds databases, one build at a time.
#[derive(Clone)]
pub struct Builder {
    allowed: bool,
    services: Services,
    last: Arc<Mutex<LastBuild>>,
}

/// The current or last build.
#[derive(Default)]
struct LastBuild {
    /// The progress of a build that runs.
    progress: Option<BuildProgress>,
    /// How the last build ended: `finished`, `stopped` on request, or the reason why it failed; `None` before that.
    ended: Option<Result<&'static str, FailureAnswer>>,
    request: Option<BuildRequest>,
    /// The folder, locked while the build runs.
    folder: Option<Arc<BuildFolder>>,
}

/// The state of the current or last build, and the plan of the next.
#[derive(Serialize, JsonSchema, Default)]
pub struct ServerBuild {
    /// Whether this server starts a build on request.
    allowed: bool,
    /// `idle`, `pairs`, `placing`, `finished`, `stopped` or `failed`.
    state: &'static str,
    /// The rules of this build; `None` before the first.
    rules: Option<RuleSet>,
    /// The pair that is being solved.
    pair: Option<Pair>,
    pairs_done: usize,
    pairs: usize,
    /// The share of the present phase that is done, 0 to 1.
    share: f64,
    /// A forecast for the present phase, in seconds.
    seconds_left: Option<f64>,
    /// Why the build failed.
    error: Option<FailureAnswer>,
    plan: Option<ServerPlan>,
}

/// The plan of a build of everything that is missing.
#[derive(Serialize, JsonSchema)]
struct ServerPlan {
    pairs: usize,
    file_bytes: u64,
    memory_bytes: u64,
    seconds: f64,
    /// Whether the placing phase can be solved under these rules and its files are missing.
    placing: bool,
    placing_seconds: f64,
}

/// Answers with the state of the build.
pub async fn state(
    State(builder): State<Builder>,
    asked: QuestionQuery,
) -> Result<Response, ApiError> {
    let (_, rules) = routes::read(&builder.services, asked)?;
    // The plan may take a tenth of a second.
    let answer = spawn_blocking(move || builder.answer(&rules));
    let answer = answer.await.context("the thread of the plan ended early")?;
    Ok(reply::json(StatusCode::OK, &answer))
}

/// Begins a build unless one is running.
pub async fn begin(
    State(builder): State<Builder>,
    headers: HeaderMap,
    asked: QuestionQuery,
) -> Result<Response, ApiError> {
    let (question, rules) = builder.read(&headers, asked)?;
    let most_stones = question.stones.unwrap_or(u8::MAX);
    let is_beyond = |stones: u8| !build::MOST_STONES.contains(&stones.into());
    if question.stones.is_some_and(is_beyond) {
        let (fewest, most) = build::MOST_STONES.into_inner();
        let sentence = format!(
            "'stones' is from {fewest} to {most}, as the smallest and the largest pair have"
        );
        return Err(Failure::question(sentence).into());
    }
    if question.placing {
        if question.stones.is_some() {
            let sentence = "'placing' needs all pairs; leave out 'stones'";
            return Err(Failure::question(sentence).into());
        }
        build::check_placing(&rules, "'placing'")?;
    }
    let request = build::request(rules, most_stones, question.placing, Profile::default());
    if !builder.begin(request)? {
        return Err(ApiError::Building);
    }
    Ok(reply::json(StatusCode::ACCEPTED, &builder.answer(&rules)))
}

/// Asks the running build to stop, which it does within seconds; its finished files stay.
pub async fn stop(
    State(builder): State<Builder>,
    headers: HeaderMap,
    asked: QuestionQuery,
) -> Result<Response, ApiError> {
    let (_, rules) = builder.read(&headers, asked)?;
    if let Some(folder) = &locked(&builder.last).folder {
        folder.stop();
    }
    Ok(reply::json(StatusCode::ACCEPTED, &builder.answer(&rules)))
}

impl Builder {
    /// A builder for the folder of these services, which builds if that is allowed.
    pub fn new(allowed: bool, services: &Services) -> Builder {
        Builder {
            allowed,
            services: services.clone(),
            last: Arc::default(),
        }
    }

    /// The question of a request to start or stop a build and its rules, if it may do so. A page of another origin can
    /// send the header `X-Millbase` only after a preflight request, which this server declines.
    fn read(
        &self,
        headers: &HeaderMap,
        asked: QuestionQuery,
    ) -> Result<(Question, Rules), ApiError> {
        let is_meant = (headers.get("x-millbase")).is_some_and(|value| value == "build");
        match self.allowed && is_meant && Guard::STRICT.lets(headers) {
            true => routes::read(&self.services, asked),
            false => Err(ApiError::MayNotBuild),
        }
    }

    /// Removes the unfinished file of a build when it or the server ends.
    pub fn tidy(&self) {
        if let Some(folder) = &locked(&self.last).folder {
            let _ = folder.tidy();
        }
    }

    /// Begins a build; returns `false` if one with another request is running.
    fn begin(&self, request: BuildRequest) -> Result<bool> {
        let mut last = locked(&self.last);
        if last.progress.is_some() {
            return Ok(last.request.as_ref() == Some(&request));
        }
        let rules = request.rules;
        let folder = databases::folder_to_build(&self.services.options(rules))?;
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create the folder '{}'", folder.display()))?;
        let build_folder = Arc::new(BuildFolder::lock(&folder)?);
        let plan = BuildPlan::new(&folder, &request).map_err(|error| refused(error, rules))?;
        build::check_memory(&plan, None)?;
        let begun = LastBuild {
            progress: Some(BuildProgress::new(&plan, Instant::now())),
            ended: None,
            request: Some(request),
            folder: Some(Arc::clone(&build_folder)),
        };
        let builder = self.clone();
        // The thread ends with the program; finished files stay. Its first event waits for the lock that is held here.
        thread::Builder::new()
            .name("build".to_owned())
            .spawn(move || {
                let built = plan.run(&build_folder, &mut |event| builder.follow(event, rules));
                let ended = match built {
                    Ok(_) => Ok("finished"),
                    Err(SolveError::Stopped) => Ok("stopped"),
                    Err(error) => Err(error.into()),
                };
                let reopened = || builder.services.reopen(rules);
                let ended = ended.and_then(|state| reopened().map(|_| state));
                builder.tidy();
                let mut last = locked(&builder.last);
                (last.folder, last.progress) = (None, None);
                last.ended = Some(ended.map_err(|error| api_error::failure(&error)));
            })
            .context("cannot start the thread of a build")?;
        *last = begun;
        Ok(true)
    }

    fn follow(&self, event: BuildEvent<'_>, rules: Rules) {
        if let Some(progress) = &mut locked(&self.last).progress {
            progress.follow(event, Instant::now());
        }
        if matches!(event, BuildEvent::PairFinished(_))
            && let Err(error) = self.services.reopen(rules)
        {
            tracing::warn!("{}", status::sentence(&error));
        }
    }

    fn answer(&self, rules: &Rules) -> ServerBuild {
        let (last, now) = (locked(&self.last), Instant::now());
        let request = last.request.as_ref();
        let mut answer = ServerBuild {
            allowed: self.allowed,
            state: "idle",
            rules: request.map(|request| RuleSet::from(&request.rules)),
            ..ServerBuild::default()
        };
        if let Some(progress) = &last.progress {
            answer.state = "placing";
            if progress.ply.is_none() {
                answer.state = "pairs";
                answer.pair = progress.pair;
                (answer.pairs_done, answer.pairs) = (progress.pairs_done, progress.pairs);
            }
            answer.share = progress.done(now) as f64 / progress.entries().max(1) as f64;
            answer.seconds_left = progress.seconds_left(now);
            return answer;
        }
        match &last.ended {
            None => {}
            Some(Ok(state)) => answer.state = state,
            Some(Err(why)) => {
                answer.state = "failed";
                answer.error = Some(why.clone());
            }
        }
        drop(last);
        if answer.allowed {
            answer.plan = self.plan(rules);
        }
        answer
    }

    /// The plan of everything that is missing; `None` if there is no folder for databases, or a bundle in its place, or
    /// if its files prevent a build: then the answer to a request for one says why.
    fn plan(&self, rules: &Rules) -> Option<ServerPlan> {
        let folder = databases::folder_to_build(&self.services.options(*rules)).ok()?;
        let placing = why_unsolved(rules).is_none();
        let everything = build::request(*rules, u8::MAX, placing, Profile::default());
        // The page asks again and again; the service has opened the folder.
        let service = self.services.of(*rules).ok()?;
        let plan = BuildPlan::of(&service.database, &folder, &everything).ok()?;
        Some(ServerPlan {
            pairs: plan.pairs.len(),
            file_bytes: plan.file_bytes,
            memory_bytes: plan.memory_bytes,
            seconds: plan.seconds,
            placing: !plan.plies().is_empty(),
            placing_seconds: plan.placing_seconds,
        })
    }
}

/// The error of a plan; where files have other contents, it names the command that builds.
fn refused(error: SolveError, rules: Rules) -> Error {
    match error {
        SolveError::OtherContents { name, metric } => {
            let options = advice::build_options(&Location {
                folder: None,
                is_bundle: false,
                rules,
                metric,
            });
            Failure::question(format!(
                "the database {name} here has no depths, but the server builds only databases with \
                 depths; build the missing ones with `millbase build{options}`"
            ))
            .into()
        }
        SolveError::Rules(why) => Failure::question(why).into(),
        error => error.into(),
    }
}
