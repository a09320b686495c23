//! The path `/build`: builds databases when the page asks for it, and uses each as soon as it is
//! finished.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use millbase::lock::held;
use millbase::service::failure::{Failure, JsonFailure};
use millbase::service::rules::JsonRules;
use millbase::solve::pair::{self, BuildFolder, Observer, PairPlan, PairProgress};
use millbase::solve::ply;
use millbase::store::{Compression, Location, Profile};
use millbase::value::Metric;
use millbase::{Pair, Rules};
use serde::Serialize;

use super::api_error::{self, ApiError};
use super::reply;
use super::routes::{self, Asked};
use super::work::Work;
use crate::advice;
use crate::input::Plies;
use crate::options::Options;
use crate::progress::Forecast;
use crate::status::{self, Usage};
use crate::{build, databases, placing};

/// Contents and level of the files.
const PROFILE: Profile = Profile {
    metric: Metric::Depth,
    compression: Compression::Quick,
};

/// The clients that may start a build.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// No client.
    Nobody,
    /// Clients on this machine that use an address of this machine.
    ThisMachine,
    /// All that can reach the server.
    Everybody,
}

/// Builds databases, one build at a time.
#[derive(Clone)]
pub struct Builder {
    permission: Permission,
    options: Arc<Options>,
    work: Work,
    state: Arc<Mutex<Stage>>,
    /// What the current or last build was asked to build.
    request: Arc<Mutex<Option<Request>>>,
    /// The folder, locked while a build runs.
    folder: Arc<Mutex<Option<Arc<BuildFolder>>>>,
    placing_seconds: Arc<Mutex<Forecasts>>,
}

/// The forecasts of the placing phase, in seconds, by rules and missing plies. Each takes a tenth of a
/// second to make.
type Forecasts = HashMap<(Rules, Vec<u8>), f64>;

/// What to build: the pairs with at most this many stones, and perhaps the placing phase.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Request {
    rules: Rules,
    most_stones: u8,
    placing: bool,
}

/// The state of a build.
#[derive(Default)]
enum Stage {
    #[default]
    Idle,
    /// Building the pairs.
    Pairs {
        pair: Option<Pair>,
        done: usize,
        all: usize,
        forecast: Forecast,
        entries: u64,
    },
    /// Building the placing phase.
    Placing {
        done: u64,
        entries: u64,
        begun: Instant,
    },
    Finished,
    /// Failed for this reason.
    Failed(JsonFailure),
}

/// The state of the current or last build, and the plan of the next.
#[derive(Serialize, Default)]
struct JsonBuild {
    /// Whether this server starts a build on request.
    allowed: bool,
    /// `idle`, `pairs`, `placing`, `finished` or `failed`.
    state: &'static str,
    /// The rules of this build; `None` before the first.
    rules: Option<JsonRules>,
    /// The pair that is being solved.
    pair: Option<String>,
    pairs_done: usize,
    pairs: usize,
    /// The share of the present phase that is done, 0 to 1.
    share: f64,
    /// A forecast for the present phase, in seconds.
    seconds_left: Option<f64>,
    /// Why the build failed.
    error: Option<JsonFailure>,
    plan: Option<JsonPlan>,
}

/// The plan of a build of everything that is missing.
#[derive(Serialize)]
struct JsonPlan {
    pairs: usize,
    file_bytes: u64,
    memory_bytes: u64,
    seconds: f64,
    /// Whether the placing phase can be solved under these rules and its files are missing.
    placing: bool,
    placing_seconds: f64,
}

/// Answers with the state of the build.
pub async fn state(State(builder): State<Builder>, asked: Asked) -> Result<Response, ApiError> {
    let (_, rules) = routes::read(&builder.work, asked)?;
    let answer = builder.json(&rules).map_err(ApiError::Failed)?;
    Ok(reply::json(StatusCode::OK, &answer))
}

/// Begins a build unless one is running.
pub async fn begin(
    State(builder): State<Builder>,
    headers: HeaderMap,
    asked: Asked,
) -> Result<Response, ApiError> {
    if !builder.may_build(&headers) {
        return Err(ApiError::MayNotBuild);
    }
    let (question, rules) = routes::read(&builder.work, asked)?;
    let most_stones = question.stones.unwrap_or(u8::MAX);
    let fewest = build::MOST_STONES.start();
    if i64::from(most_stones) < *fewest {
        let sentence = format!("'stones' is at least {fewest}, the stones of the smallest pair");
        return Err(Failure::question(sentence).into());
    }
    let request = Request {
        rules,
        most_stones,
        placing: question.placing,
    };
    if !builder.begin(request).map_err(ApiError::Failed)? {
        return Err(ApiError::Building);
    }
    let answer = builder.json(&rules).map_err(ApiError::Failed)?;
    Ok(reply::json(StatusCode::ACCEPTED, &answer))
}

impl Builder {
    /// A builder for the folder of the options.
    pub fn new(permission: Permission, options: &Options, work: &Work) -> Builder {
        Builder {
            permission,
            options: Arc::new(options.clone()),
            work: work.clone(),
            state: Arc::default(),
            request: Arc::default(),
            folder: Arc::default(),
            placing_seconds: Arc::default(),
        }
    }

    /// Whether a request may start a build. A page of another origin can send the header
    /// `X-Millbase` only after a preflight request, which this server declines. The name in `Host`
    /// unmasks pages whose host name was redirected to this machine (DNS rebinding).
    fn may_build(&self, headers: &HeaderMap) -> bool {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let is_here = || {
            let host = text(header::HOST.as_str()).unwrap_or_default();
            let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
            ["localhost", "127.0.0.1", "[::1]"].contains(&name)
        };
        text("x-millbase") == Some("build")
            && match self.permission {
                Permission::Nobody => false,
                Permission::ThisMachine => is_here(),
                Permission::Everybody => true,
            }
    }

    /// Removes the unfinished file of a build when the server ends.
    pub fn tidy(&self) {
        if let Some(folder) = &*held(&self.folder) {
            let _ = folder.tidy();
        }
    }

    /// The options for these rules.
    fn options(&self, rules: Rules) -> Options {
        Options {
            rules,
            ..Options::clone(&self.options)
        }
    }

    /// Begins a build; returns `false` if one with another request is running.
    fn begin(&self, request: Request) -> Result<bool> {
        let mut state = held(&self.state);
        if matches!(*state, Stage::Pairs { .. } | Stage::Placing { .. }) {
            return Ok(*held(&self.request) == Some(request));
        }
        let rules = request.rules;
        if request.placing {
            placing::check_rules(&rules)?;
        }
        let folder = databases::folder_to_build(&self.options(rules))?;
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create the folder '{}'", folder.display()))?;
        let locked = Arc::new(BuildFolder::lock(&folder)?);
        let plan = missing(&folder, rules, request.most_stones)?;
        *held(&self.request) = Some(request);
        *held(&self.folder) = Some(Arc::clone(&locked));
        *state = Stage::Pairs {
            pair: None,
            done: 0,
            all: plan.pairs.len(),
            forecast: Forecast::new(plan.entries(), Instant::now()),
            entries: plan.entries(),
        };
        let (builder, with_placing) = (self.clone(), request.placing);
        // The thread ends with the program; finished files stay.
        thread::Builder::new()
            .name("build".to_owned())
            .spawn(move || {
                let built = builder.build(&locked, &plan, rules, with_placing);
                *held(&builder.folder) = None;
                *held(&builder.state) = match built {
                    Ok(()) => Stage::Finished,
                    Err(error) => Stage::Failed(api_error::failure(&error)),
                };
            })
            .context("cannot start the thread of a build")?;
        Ok(true)
    }

    fn build(
        &self,
        folder: &BuildFolder,
        plan: &PairPlan,
        rules: Rules,
        with_placing: bool,
    ) -> Result<()> {
        let watcher = Watcher {
            builder: self,
            rules,
        };
        if with_placing {
            let plies = placing::plan(folder.path(), &rules, &Plies::Usual)?;
            ply::build_pairs(folder, &rules, plan, &plies, PROFILE, &watcher)?;
            self.build_placing(folder, &rules)?;
        } else {
            pair::build(folder, &rules, plan, PROFILE, &watcher)?;
        }
        self.work.reopen(rules)?;
        Ok(())
    }

    fn build_placing(&self, folder: &BuildFolder, rules: &Rules) -> Result<()> {
        let plan = placing::plan(folder.path(), rules, &Plies::Usual)?;
        let sizes = plan.sizes(rules);
        let entries = sizes.entries();
        let begun = Instant::now();
        let show = |done| {
            *held(&self.state) = Stage::Placing {
                done,
                entries,
                begun,
            };
        };
        show(0);
        ply::build(folder, rules, &plan, &|progress| {
            if let ply::PlyProgress::Solved(stage, done) = progress {
                show(sizes.entries_before(stage.ply) + done);
            }
        })?;
        Ok(())
    }

    fn json(&self, rules: &Rules) -> Result<JsonBuild> {
        let allowed = self.permission != Permission::Nobody;
        let mut json = JsonBuild {
            allowed,
            state: "idle",
            rules: held(&self.request).map(|request| JsonRules::from(&request.rules)),
            ..JsonBuild::default()
        };
        let now = Instant::now();
        match &*held(&self.state) {
            Stage::Idle => {}
            Stage::Finished => json.state = "finished",
            Stage::Failed(why) => {
                json.state = "failed";
                json.error = Some(why.clone());
            }
            Stage::Pairs {
                pair,
                done,
                all,
                forecast,
                entries,
            } => {
                json.state = "pairs";
                json.pair = pair.map(|pair| pair.to_string());
                (json.pairs_done, json.pairs) = (*done, *all);
                json.share = forecast.done(now) as f64 / (*entries).max(1) as f64;
                json.seconds_left = forecast.seconds_left(now);
                return Ok(json);
            }
            Stage::Placing {
                done,
                entries,
                begun,
            } => {
                json.state = "placing";
                json.share = *done as f64 / (*entries).max(1) as f64;
                let seconds = now.duration_since(*begun).as_secs_f64();
                json.seconds_left = (json.share > 0.0).then(|| seconds / json.share - seconds);
                return Ok(json);
            }
        }
        if allowed {
            // Where files of the folder prevent a build, a request for one is answered with the reason.
            json.plan = self.plan(rules).unwrap_or(None);
        }
        Ok(json)
    }

    /// The plan of everything that is missing; `None` if there is no folder for databases.
    fn plan(&self, rules: &Rules) -> Result<Option<JsonPlan>> {
        let Some(folder) = databases::folder(&self.options(*rules)) else {
            return Ok(None);
        };
        let mut plan = missing(&folder, *rules, u8::MAX)?;
        let placing = match placing::check_rules(rules) {
            Ok(()) => Some(placing::plan(&folder, rules, &Plies::Usual)?)
                .filter(|plan| !plan.solve.is_empty()),
            Err(_) => None,
        };
        plan.placing = placing.is_some();
        Ok(Some(JsonPlan {
            pairs: plan.pairs.len(),
            file_bytes: plan.file_bytes(rules),
            memory_bytes: plan.memory(rules),
            seconds: build::seconds(plan.entries()),
            placing: placing.is_some(),
            placing_seconds: placing.map_or(0.0, |plan| {
                let mut known = held(&self.placing_seconds);
                let seconds = known.entry((*rules, plan.solve.clone()));
                *seconds.or_insert_with(|| placing::seconds(&plan.sizes(rules)))
            }),
        }))
    }
}

/// The pairs with at most this many stones that the folder lacks. The errors are for clients, so they do
/// not name the folder.
fn missing(folder: &Path, rules: Rules, most_stones: u8) -> Result<PairPlan> {
    let wanted = build::pairs_up_to(most_stones, &rules);
    if !folder.is_dir() {
        return Ok(PairPlan::new(&wanted, |_| false));
    }
    let db = databases::open_folder(folder, rules)?;
    if let Some(other) = build::with_other_metric(&db, PROFILE.metric) {
        let location = Location {
            folder: None,
            ..db.location()
        };
        let (pair, options) = (other.pair(), advice::build_options(&location));
        return Err(Usage(format!(
            "the database {pair} here has no depths, but the server builds only databases with \
             depths; build the missing ones with `millbase build{options}`"
        ))
        .into());
    }
    Ok(build::plan(&db, &wanted)?)
}

/// Follows the build of the pairs.
struct Watcher<'a> {
    builder: &'a Builder,
    rules: Rules,
}

impl Observer for Watcher<'_> {
    fn progress(&self, progress: PairProgress) {
        let is_finished = matches!(progress, PairProgress::Finished(_));
        if let Stage::Pairs {
            pair,
            done,
            forecast,
            ..
        } = &mut *held(&self.builder.state)
        {
            match &progress {
                PairProgress::Started { pair: begun, .. } => *pair = Some(*begun),
                PairProgress::Finished(_) => *done += 1,
                _ => {}
            }
            forecast.follow(&progress, Instant::now());
        }
        if is_finished && let Err(error) = self.builder.work.reopen(self.rules) {
            tracing::warn!("{}", status::sentence(&error));
        }
    }
}
