//! The state between commands, and the search thread.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::command::{Go, UciCommand};
use super::info;
use super::options::EngineOptions;
use crate::engine::count::QuietCount;
use crate::engine::ending::DrawRule;
use crate::engine::game::{Game, is_hidden};
use crate::engine::player::{Choice, Player, is_damage};
use crate::lock::locked;
use crate::probe::{Database, Source};
use crate::rules::Rules;
use crate::rules::diagram::draw;
use crate::rules::position::Position;
use crate::rules::turns::Turn;
use crate::search::{Limits, PrincipalVariation, Score, Search};
use crate::store::DbError;
use crate::value::Value;

/// The most commands that may wait for a search to end.
const MOST_WAITING: usize = 1_000_000;

/// The time limit of `go` without limits.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// The search ends this long before the time limit, or an eighth of the limit if that is less, to
/// leave time to report the turn.
const MARGIN: Duration = Duration::from_millis(3);

/// Speaks the engine protocol until `quit` or the end of the lines, each of which may be a sentence
/// about an unusable line instead. At their end, a search with a limit is finished first.
///
/// `path` is the folder of the databases, `threads` the number of search threads; `sentence` words
/// the errors of databases, and `read` reads a line `position …` as [`Game::parse`] does.
///
/// # Errors
///
/// If the output cannot be written.
pub fn run(
    lines: impl Iterator<Item = Result<String, String>> + Send + 'static,
    output: impl Write + Send + 'static,
    database: Arc<Database>,
    path: String,
    threads: usize,
    sentence: fn(&DbError) -> String,
    read: fn(&str, &Rules) -> Result<Game, String>,
) -> io::Result<()> {
    let (sender, events) = sync_channel(16);
    let reader = sender.clone();
    // Nobody waits for this thread: after `quit` it may still be reading.
    thread::spawn(move || {
        for event in lines.map(Event::Line).chain([Event::End]) {
            if reader.send(event).is_err() {
                return;
            }
        }
    });
    let rules = *database.rules();
    let options = EngineOptions::new(path, threads, rules);
    let session = UciSession {
        warming: warm_up(&database),
        output: Arc::new(SharedOutput(Mutex::new((output, Ok(()))))),
        search: Arc::new(search(&options)),
        database,
        options,
        game: Game::new(rules, Position::start(&rules)),
        begun: None,
        running: None,
        waiting: VecDeque::new(),
        sender,
        sentence,
        read,
    };
    session.serve(&events)
}

/// An event that the session waits for.
enum Event {
    /// A line was read, or was unusable.
    Line(Result<String, String>),
    /// The end of the input.
    End,
    /// The choice of the search; `None` if the game is over.
    Chosen(Option<Choice>),
}

/// The output, shared by threads; each line is flushed immediately. After a failure nothing more is
/// written.
struct SharedOutput<W>(Mutex<(W, io::Result<()>)>);

impl<W: Write> SharedOutput<W> {
    fn line(&self, text: &str) {
        let (output, state) = &mut *locked(&self.0);
        if state.is_ok() {
            *state = writeln!(output, "{text}").and_then(|()| output.flush());
        }
    }

    fn error(&self, sentence: &str) {
        let sentence = sentence.replace(is_hidden, " ");
        self.line(&format!("info string error {sentence}"));
    }

    fn has_failed(&self) -> bool {
        locked(&self.0).1.is_err()
    }
}

/// A running search, or one whose result waits for `stop`.
struct Running {
    stop: Arc<AtomicBool>,
    /// Whether the result waits for `stop`.
    is_infinite: bool,
    /// The result, as soon as it is known.
    chosen: Option<Option<Choice>>,
}

struct UciSession<W> {
    output: Arc<SharedOutput<W>>,
    options: EngineOptions,
    database: Arc<Database>,
    /// The thread that warms up the databases.
    warming: Option<JoinHandle<()>>,
    search: Arc<Search>,
    game: Game,
    /// If the first action of a turn was reported: the position after it, and the variation that
    /// begins with the removals to come.
    begun: Option<(Position, PrincipalVariation)>,
    running: Option<Running>,
    waiting: VecDeque<UciCommand>,
    sender: SyncSender<Event>,
    sentence: fn(&DbError) -> String,
    /// Reads a line `position …`.
    read: fn(&str, &Rules) -> Result<Game, String>,
}

/// Warms up databases on a thread, for which `isready` waits; the first turn would take a tenth of
/// a second longer otherwise. If no thread can be started, the first questions open the files.
fn warm_up(database: &Arc<Database>) -> Option<JoinHandle<()>> {
    let database = Arc::clone(database);
    let warm_up = move || database.warm_up();
    thread::Builder::new().spawn(warm_up).ok()
}

/// A search with an empty transposition table of the configured size.
fn search(options: &EngineOptions) -> Search {
    let bytes = usize::try_from(u64::from(options.hash) << 20).unwrap_or(usize::MAX);
    Search::new(options.rules(), bytes, options.threads as usize)
}

impl<W: Write + Send + 'static> UciSession<W> {
    fn serve(mut self, events: &Receiver<Event>) -> io::Result<()> {
        let mut is_ending = false;
        // The session holds a sender itself, so there is always another event to wait for.
        while let Ok(event) = events.recv() {
            match event {
                Event::Line(line) => match line.and_then(|line| UciCommand::parse(&line)) {
                    Ok(Some(UciCommand::Quit)) => {
                        self.waiting.clear();
                        self.stop();
                        is_ending = true;
                    }
                    Ok(Some(command)) => self.receive(command),
                    Ok(None) => {}
                    Err(error) => self.output.error(&error),
                },
                Event::End => is_ending = true,
                Event::Chosen(chosen) => {
                    if let Some(running) = &mut self.running {
                        running.chosen = Some(chosen);
                    }
                }
            }
            self.go_on(is_ending);
            if (is_ending && self.running.is_none()) || self.output.has_failed() {
                break;
            }
        }
        std::mem::replace(&mut locked(&self.output.0).1, Ok(()))
    }

    /// Obeys commands that are possible while a search runs, and queues the others.
    fn receive(&mut self, command: UciCommand) {
        match command {
            UciCommand::Stop => {
                self.stop();
                // It is for the last search, which may not have begun.
                let is_search = |command: &UciCommand| matches!(command, UciCommand::Go(_));
                if let Some(last) = self.waiting.iter().rposition(is_search)
                    && !matches!(self.waiting.get(last + 1), Some(UciCommand::Stop))
                {
                    self.waiting.insert(last + 1, command);
                }
            }
            UciCommand::IsReady if self.running.is_some() => self.output.line("readyok"),
            _ if self.waiting.len() < MOST_WAITING => self.waiting.push_back(command),
            _ => self
                .output
                .error("too many commands wait for the search to end; send 'stop'"),
        }
    }

    /// Reports a result that is due and obeys queued commands until the next search starts.
    fn go_on(&mut self, is_ending: bool) {
        loop {
            if self.running.is_some() && matches!(self.waiting.front(), Some(UciCommand::Stop)) {
                self.waiting.pop_front();
                self.stop();
            }
            if let Some(running) = &mut self.running {
                if running.is_infinite && (is_ending || !self.waiting.is_empty()) {
                    running.is_infinite = false;
                    running.stop.store(true, Ordering::Relaxed);
                }
                if running.is_infinite {
                    return;
                }
                let Some(chosen) = running.chosen.take() else {
                    return;
                };
                self.running = None;
                self.report(chosen);
            }
            let Some(command) = self.waiting.pop_front() else {
                return;
            };
            if let Err(error) = self.obey(command) {
                self.output.error(&error);
            }
        }
    }

    fn stop(&mut self) {
        if let Some(running) = &mut self.running {
            running.stop.store(true, Ordering::Relaxed);
            running.is_infinite = false;
        }
    }

    /// Obeys a command while no search runs.
    fn obey(&mut self, command: UciCommand) -> Result<(), String> {
        match command {
            UciCommand::Uci => self.introduce(),
            UciCommand::IsReady => {
                if let Some(warming) = self.warming.take() {
                    // The thread only prepares: a question meets any failure again.
                    let _ = warming.join();
                }
                self.output.line("readyok");
            }
            UciCommand::NewGame => {
                self.begun = None;
                let rules = self.options.rules();
                self.game = Game::new(rules, Position::start(&rules));
                match Arc::get_mut(&mut self.search) {
                    Some(search) => search.clear(),
                    None => self.search = Arc::new(search(&self.options)),
                }
            }
            UciCommand::SetOption { name, value } => self.set_option(&name, &value)?,
            UciCommand::Position(line) => self.game = (self.read)(&line, &self.options.rules())?,
            UciCommand::Go(go) => self.go(&go),
            UciCommand::Show => self.show(),
            UciCommand::Eval => self.evaluate(),
            // Nothing is left to stop; `quit` never waits.
            UciCommand::Stop | UciCommand::Quit => {}
        }
        Ok(())
    }

    fn introduce(&self) {
        let version = env!("CARGO_PKG_VERSION");
        self.output.line(&format!("id name Millbase {version}"));
        self.output.line("id author the authors of Millbase");
        for line in self.options.clone().list() {
            self.output.line(&line);
        }
        self.output.line("uciok");
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let mut options = self.options.clone();
        options.set(name, value)?;
        let (rules, sentence) = (options.rules(), self.sentence);
        let sentence = |error: DbError| sentence(&error);
        let mut problem = None;
        if (&options.path, rules) != (&self.options.path, self.options.rules()) {
            let opened = match options.path.as_str() {
                "" => Database::embedded(rules),
                path => (self.database.reopen(Path::new(path), rules)).map_err(sentence)?,
            };
            problem = opened.unusable().next().map(sentence);
            self.database = Arc::new(opened);
            self.warming = warm_up(&self.database);
        }
        // No algorithm reuses the results of another: one of them guesses.
        let old = &self.options;
        if (options.hash, options.threads) != (old.hash, old.threads)
            || (rules, options.algorithm()) != (old.rules(), old.algorithm())
        {
            // Free the old table before allocating the new one.
            self.search = Arc::new(Search::new(rules, 0, 1));
            self.search = Arc::new(search(&options));
            let size = self.search.hash_bytes() >> 20;
            if size < options.hash as usize {
                let sentence = format!("the system gives only {size} MiB of memory for Hash");
                problem = problem.or(Some(sentence));
            }
        }
        if rules != self.options.rules() {
            // A game cannot continue under other rules.
            self.game = Game::new(rules, Position::start(&rules));
        }
        self.begun = None;
        self.options = options;
        // The other files, or what memory there is, are still used.
        problem.map_or(Ok(()), Err)
    }

    /// The game with the rule for draws of the options.
    fn game_with_draws(&self) -> Game {
        self.game.clone().with_draws(self.options.draws)
    }

    fn player(&self) -> Player {
        Player {
            database: Arc::clone(&self.database),
            search: Arc::clone(&self.search),
            level: self.options.skill(),
            seed: self.options.seed.into(),
            drawn: self.options.drawn(),
        }
    }

    /// Starts a search, whose choice comes back as an event.
    fn go(&mut self, go: &Go) {
        let start = Instant::now();
        for sentence in &go.ignored {
            self.output.error(sentence);
        }
        let position = *self.game.position();
        let has_limit = go.depth.is_some() || go.nodes.is_some();
        let time = go.time(position.side_to_move());
        let time = time.or((!has_limit).then_some(DEFAULT_TIME));
        let mut limits = Limits {
            depth: go.depth,
            nodes: go.nodes,
            time: time.filter(|_| !go.is_infinite),
            lines: self.options.lines as usize,
            algorithm: self.options.algorithm(),
        };
        let stop = Arc::new(AtomicBool::new(false));
        let running = self.running.insert(Running {
            stop: Arc::clone(&stop),
            is_infinite: go.is_infinite,
            chosen: None,
        });
        let (output, options) = (Arc::clone(&self.output), self.options.clone());
        let info = move |variation: &PrincipalVariation| {
            output.line(&info::line(variation, &position, &options));
            output.has_failed()
        };
        if let Some((after, rest)) = &self.begun
            && *after == position
        {
            running.chosen = Some(Some(Choice::from(rest.clone())));
            info(rest);
            return;
        }
        let game = self.game_with_draws();
        // The frontend decides whether a drawn game goes on.
        let ending = game.ending().filter(|_| !position.is_over(game.rules()));
        if let Some(ending) = ending {
            self.output.line(&format!("info string {ending}"));
        }
        let (player, sender) = (self.player(), self.sender.clone());
        thread::spawn(move || {
            let rest =
                |time: Duration| (time - MARGIN.min(time / 8)).saturating_sub(start.elapsed());
            limits.time = limits.time.map(rest);
            let chosen = player.choose(&game, &limits, &stop, &mut |variation| {
                if info(variation) {
                    stop.store(true, Ordering::Relaxed);
                }
            });
            // The next command may need the only reference to the search.
            drop(player);
            // Sending fails only if the session has ended.
            let _ = sender.send(Event::Chosen(chosen));
        });
    }

    /// Reports the chosen turn, or the first action of it.
    fn report(&mut self, chosen: Option<Choice>) {
        let Some(choice) = chosen else {
            let result = self.game.position().result(self.game.rules());
            let score = info::score_text(Score::from(result.unwrap_or(Value::LOST)));
            let rest = "nodes 0 nps 0 tbhits 0";
            self.output
                .line(&format!("info depth 0 score {score} {rest}"));
            return self.output.line("bestmove none");
        };
        if let Some(failure) = choice.failure {
            self.output.error(&(self.sentence)(&failure));
        }
        let actions = self.game.position().actions(choice.turn, self.game.rules());
        let first = actions.and_then(|actions| actions.into_iter().next());
        let Some((first, after)) = first else {
            return self.output.line(&format!("bestmove {}", choice.turn));
        };
        let rest = Turn::new(None, None, choice.turn.removed() - first.removed());
        if !rest.is_pass() {
            let mut variation = choice.variation;
            variation.turns[0] = rest;
            self.begun = Some((after, variation));
        }
        self.output.line(&format!("bestmove {first}"));
    }

    /// Shows the board, its text and the value if it is known without a search.
    fn show(&self) {
        let position = self.game.position();
        for line in draw(position, |_, _, letter| letter.to_string()).lines() {
            self.output.line(line);
        }
        let (player, game) = (self.player(), self.game_with_draws());
        let text = position.letters_counted(game.rules(), game.quiet_turns());
        self.output.line(&format!("Fen: {}", text.as_str()));
        let value = match player.look_up(&game) {
            Ok(answer) => {
                self.explain_draws(&game, answer.value);
                format!("{}, from the {}", answer.value, answer.source.name())
            }
            Err(error) if is_damage(&error) => (self.sentence)(&error),
            Err(_) => "not known without a search".to_string(),
        };
        self.output.line(&format!("Value: {value}"));
    }

    /// Says what a value would be without the rules for draws.
    fn explain_draws(&self, game: &Game, value: Value) {
        let (player, quiet) = (self.player(), QuietCount::of(game));
        let count = format!(
            "{} of {} quiet turns to a draw",
            quiet.turns(),
            quiet.limit()
        );
        let without = |quiet_turns, repetitions, words: &str| {
            let draws = DrawRule {
                quiet_turns,
                repetitions,
            };
            let answer = player.look_up(&game.clone().with_draws(draws));
            let other = answer
                .ok()
                .map(|answer| answer.value)
                .filter(|&other| other != value);
            if let Some(other) = other {
                self.output.line(&format!("{words} the value is {other}"));
            }
            other.is_some()
        };
        let DrawRule {
            quiet_turns,
            repetitions,
        } = game.draws();
        let by_count = without(0, repetitions, &format!("Count: {count}, without which"));
        if !(without(quiet_turns, 0, "Repetition: without this rule") || by_count) {
            without(
                0,
                0,
                &format!("Count: {count}; without this and the rule of repetition"),
            );
        }
    }

    /// Reports the value or the static evaluation from the configured perspective.
    fn evaluate(&self) {
        let position = self.game.position();
        let (score, source) = match self.player().look_up(&self.game_with_draws()) {
            Ok(answer) if answer.source == Source::Rules => (answer.value.into(), "rules"),
            Ok(answer) => {
                let value = self.game.rules().distance().to_end(answer.value);
                (value.into(), "databases")
            }
            Err(_) => (
                self.search.evaluate(position),
                self.search.evaluation.name(),
            ),
        };
        let score = match info::is_turned(position, &self.options) {
            true => -score,
            false => score,
        };
        let score = info::score_text(score);
        self.output
            .line(&format!("info string eval score {score} source {source}"));
    }
}
