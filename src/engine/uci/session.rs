//! The state between commands, and the search thread.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::command::{Command, CommandError, Go};
use super::info;
use super::options::Settings;
use crate::engine::game::Game;
use crate::engine::player::{Choice, Player, SkillLevel, is_damage};
use crate::lock::held;
use crate::probe::{Answer, Database, Source};
use crate::rules::Rules;
use crate::rules::diagram::draw;
use crate::rules::position::{Position, Side};
use crate::rules::turns::Turn;
use crate::search::{Limits, PrincipalVariation, Score, Search};
use crate::store::DbError;
use crate::value::Value;

/// The most bytes of a line.
const LONGEST_LINE: u64 = 1 << 20;

/// The most commands that may wait for a search to end.
const MOST_WAITING: usize = 1000;

/// The time limit of `go` without limits.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// The search ends this long before the time limit, to leave time to report the turn.
const MARGIN: Duration = Duration::from_millis(3);

/// Speaks the engine protocol until `quit` or the end of the input. At the end of the input a search
/// with a limit is finished first. `sentence` words the errors of databases.
///
/// # Errors
///
/// If the output cannot be written.
pub fn run(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    database: Database,
    settings: Settings,
    sentence: fn(&DbError) -> String,
) -> io::Result<()> {
    let (sender, events) = sync_channel(16);
    let lines = sender.clone();
    // Nobody waits for this thread: after `quit` it may still be reading.
    thread::spawn(move || read_lines(input, &lines));
    let rules = *database.rules();
    let settings = settings.with_rules(rules);
    let session = Session {
        rules,
        output: Output(Arc::new(Mutex::new(output))),
        search: Arc::new(search(rules, &settings)),
        database: Arc::new(database),
        settings,
        game: Game::new(rules, Position::start(&rules)),
        begun: None,
        running: None,
        waiting: VecDeque::new(),
        sender,
        sentence,
    };
    session.serve(&events)
}

/// An event that the session waits for.
enum Event {
    /// A line was read.
    Line(Result<String, CommandError>),
    /// The end of the input.
    End,
    /// The choice of the search; `None` if the game is over.
    Chosen(Option<Choice>),
}

fn read_lines(input: impl Read, events: &SyncSender<Event>) {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    loop {
        line.clear();
        let mut bounded = input.by_ref().take(LONGEST_LINE);
        let event = match bounded.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => Event::End,
            Ok(length) if length as u64 == LONGEST_LINE && line.last() != Some(&b'\n') => {
                let skipped = input.skip_until(b'\n');
                let sentence =
                    format!("the line is longer than {LONGEST_LINE} bytes and was ignored");
                match skipped {
                    Ok(_) => Event::Line(Err(CommandError(sentence))),
                    Err(_) => Event::End,
                }
            }
            Ok(_) => Event::Line(Ok(String::from_utf8_lossy(&line).into_owned())),
        };
        let is_end = matches!(event, Event::End);
        if events.send(event).is_err() || is_end {
            return;
        }
    }
}

/// The output, shared by threads; each line is flushed immediately.
struct Output<W>(Arc<Mutex<W>>);

impl<W: Write> Output<W> {
    fn line(&self, text: &str) -> io::Result<()> {
        let mut output = held(&self.0);
        writeln!(output, "{text}")?;
        output.flush()
    }

    fn error(&self, error: impl std::fmt::Display) -> io::Result<()> {
        let sentence = error.to_string().replace(char::is_control, " ");
        self.line(&format!("info string error {sentence}"))
    }
}

impl<W> Clone for Output<W> {
    fn clone(&self) -> Output<W> {
        Output(Arc::clone(&self.0))
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

/// A turn whose first action has been reported: the position after it, and the removals that come
/// next.
struct Begun {
    after: Position,
    rest: Turn,
    variation: PrincipalVariation,
}

struct Session<W> {
    rules: Rules,
    output: Output<W>,
    settings: Settings,
    database: Arc<Database>,
    search: Arc<Search>,
    game: Game,
    begun: Option<Begun>,
    running: Option<Running>,
    waiting: VecDeque<Command>,
    sender: SyncSender<Event>,
    /// Words the errors of databases.
    sentence: fn(&DbError) -> String,
}

/// A search with an empty transposition table of the configured size.
fn search(rules: Rules, settings: &Settings) -> Search {
    let bytes = usize::try_from(u64::from(settings.hash) << 20).unwrap_or(usize::MAX);
    Search::new(rules, bytes, settings.threads as usize)
}

impl<W: Write + Send + 'static> Session<W> {
    fn serve(mut self, events: &Receiver<Event>) -> io::Result<()> {
        let mut is_ending = false;
        // The session holds a sender itself, so there is always another event to wait for.
        while let Ok(event) = events.recv() {
            match event {
                Event::Line(Ok(line)) => match Command::parse(&line) {
                    Ok(Some(Command::Quit)) => {
                        self.waiting.clear();
                        self.stop();
                        is_ending = true;
                    }
                    Ok(Some(command)) => self.receive(command)?,
                    Ok(None) => {}
                    Err(error) => self.output.error(error)?,
                },
                Event::Line(Err(error)) => self.output.error(error)?,
                Event::End => is_ending = true,
                Event::Chosen(chosen) => {
                    if let Some(running) = &mut self.running {
                        running.chosen = Some(chosen);
                    }
                }
            }
            self.go_on(is_ending)?;
            if is_ending && self.running.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// Obeys commands that are possible while a search runs, and queues the others.
    fn receive(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Stop => self.stop(),
            Command::IsReady if self.running.is_some() => self.output.line("readyok")?,
            _ if self.waiting.len() < MOST_WAITING => self.waiting.push_back(command),
            _ => self
                .output
                .error("too many commands wait for the search to end; send 'stop'")?,
        }
        Ok(())
    }

    /// Reports a result that is due and obeys queued commands until the next search starts.
    fn go_on(&mut self, is_ending: bool) -> io::Result<()> {
        loop {
            if let Some(running) = &mut self.running {
                if running.is_infinite && (is_ending || !self.waiting.is_empty()) {
                    running.is_infinite = false;
                    running.stop.store(true, Ordering::Relaxed);
                }
                if running.is_infinite {
                    return Ok(());
                }
                let Some(chosen) = running.chosen.take() else {
                    return Ok(());
                };
                self.running = None;
                self.report(chosen)?;
            }
            let Some(command) = self.waiting.pop_front() else {
                return Ok(());
            };
            if let Err(error) = self.obey(command)? {
                self.output.error(error)?;
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
    fn obey(&mut self, command: Command) -> io::Result<Result<(), CommandError>> {
        match command {
            Command::Uci => self.introduce()?,
            Command::IsReady => self.output.line("readyok")?,
            Command::NewGame => {
                self.begun = None;
                self.game = Game::new(self.rules, Position::start(&self.rules));
                match Arc::get_mut(&mut self.search) {
                    Some(search) => search.clear(),
                    None => self.search = Arc::new(search(self.rules, &self.settings)),
                }
            }
            Command::SetOption { name, value } => return Ok(self.set_option(&name, &value)),
            Command::Position(setup) => match setup.game(&self.rules) {
                Ok(game) => self.game = game,
                Err(error) => return Ok(Err(error)),
            },
            Command::Go(go) => self.go(go)?,
            Command::Show => self.show()?,
            Command::Eval => self.evaluate()?,
            // These two never wait.
            Command::Stop | Command::Quit => {}
        }
        Ok(Ok(()))
    }

    fn introduce(&self) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        self.output.line(&format!("id name Millbase {version}"))?;
        self.output.line("id author the authors of Millbase")?;
        for line in self.settings.lines() {
            self.output.line(&line)?;
        }
        self.output.line("uciok")
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), CommandError> {
        let mut settings = self.settings.clone();
        settings.set(name, value)?;
        let rules = *settings.rules();
        let mut problem = None;
        if (&settings.path, rules) != (&self.settings.path, self.rules) {
            let opened = match settings.path.as_str() {
                "" => Ok(Database::embedded(rules)),
                path => self.database.reopen(Path::new(path), rules),
            };
            let opened = opened.map_err(|error| CommandError((self.sentence)(&error)))?;
            problem = opened.unusable().next().map(self.sentence);
            self.database = Arc::new(opened);
        }
        let searching = |settings: &Settings| (settings.hash, settings.threads, *settings.rules());
        if searching(&settings) != searching(&self.settings) {
            // Free the old table before allocating the new one.
            self.search = Arc::new(Search::new(rules, 0, 1));
            self.search = Arc::new(search(rules, &settings));
            let size = self.search.hash_bytes() >> 20;
            if size < settings.hash as usize {
                let sentence = format!("the system gives only {size} MiB of memory for Hash");
                problem = problem.or(Some(sentence));
            }
        }
        if rules != self.rules {
            // A game cannot continue under other rules.
            self.rules = rules;
            self.game = Game::new(rules, Position::start(&rules));
        }
        self.begun = None;
        self.settings = settings;
        // The other files, or what memory there is, are still used.
        match problem {
            Some(problem) => Err(CommandError(problem)),
            None => Ok(()),
        }
    }

    fn player(&self) -> Player {
        Player {
            database: Arc::clone(&self.database),
            search: Arc::clone(&self.search),
            level: SkillLevel::new(self.settings.level as u8),
            seed: self.settings.seed.into(),
            drawn: self.settings.drawn(),
        }
    }

    fn go(&mut self, go: Go) -> io::Result<()> {
        let start = Instant::now();
        for sentence in &go.ignored {
            self.output.error(sentence)?;
        }
        let is_white = self.game.position().side_to_move() == Side::White;
        let has_limit = go.depth.is_some() || go.nodes.is_some() || go.infinite;
        let mut limits = Limits {
            depth: go.depth,
            nodes: go.nodes,
            time: match go.infinite {
                true => None,
                false => go
                    .time_for(is_white)
                    .or((!has_limit).then_some(DEFAULT_TIME)),
            },
            lines: self.settings.lines as usize,
            algorithm: self.settings.algorithm(),
        };
        let stop = Arc::new(AtomicBool::new(false));
        self.running = Some(Running {
            stop: Arc::clone(&stop),
            is_infinite: go.infinite,
            chosen: None,
        });
        if let Some(choice) = self.rest_of_turn() {
            return self.finish(choice);
        }
        let game = self.game.clone().with_draws(self.settings.draws);
        // The frontend decides whether a drawn game goes on.
        if let Some(ending) = game
            .ending()
            .filter(|_| !game.position().is_over(&self.rules))
        {
            self.output.line(&format!("info string {ending}"))?;
        }
        let (player, settings) = (self.player(), self.settings.clone());
        let (output, sender) = (self.output.clone(), self.sender.clone());
        let (position, rules) = (*game.position(), self.rules);
        thread::spawn(move || {
            limits.time = limits
                .time
                .map(|time| time.saturating_sub(MARGIN).saturating_sub(start.elapsed()));
            let chosen = player.choose(&game, &limits, &stop, &mut |variation| {
                if output
                    .line(&info::line(variation, &position, &rules, &settings))
                    .is_err()
                {
                    stop.store(true, Ordering::Relaxed);
                }
            });
            // The next command may need the only reference to the search.
            drop(player);
            // Sending fails only if the session has ended.
            let _ = sender.send(Event::Chosen(chosen));
        });
        Ok(())
    }

    /// The removals of the begun turn, if the position is the one after its first action.
    fn rest_of_turn(&self) -> Option<Choice> {
        let begun = self.begun.as_ref()?;
        (begun.after == *self.game.position()).then(|| Choice {
            turn: begun.rest,
            variation: begun.variation.clone(),
            failure: None,
        })
    }

    /// Ends a search that never began because its result is known.
    fn finish(&mut self, choice: Choice) -> io::Result<()> {
        let position = self.game.position();
        let info = info::line(&choice.variation, position, &self.rules, &self.settings);
        if let Some(running) = &mut self.running {
            running.chosen = Some(Some(choice));
        }
        self.output.line(&info)
    }

    /// Reports the chosen turn, or the first action of it.
    fn report(&mut self, chosen: Option<Choice>) -> io::Result<()> {
        let Some(choice) = chosen else {
            let result = self.game.position().result(&self.rules);
            let score = info::score_text(Score::from(result.unwrap_or(Value::LOST)));
            self.output.line(&format!("info depth 0 score {score}"))?;
            return self.output.line("bestmove none");
        };
        if let Some(failure) = choice.failure {
            self.output.error((self.sentence)(&failure))?;
        }
        let actions = self.game.position().actions(choice.turn, &self.rules);
        let first = actions.and_then(|actions| actions.into_iter().next());
        let Some((first, after)) = first else {
            return self.output.line(&format!("bestmove {}", choice.turn));
        };
        let rest = Turn::new(None, None, choice.turn.removed() - first.removed());
        if !rest.is_pass() {
            let mut variation = choice.variation;
            variation.turns[0] = rest;
            self.begun = Some(Begun {
                after,
                rest,
                variation,
            });
        }
        self.output.line(&format!("bestmove {first}"))
    }

    fn show(&self) -> io::Result<()> {
        let position = self.game.position();
        for line in draw(position, |_, _, letter| letter.to_string()).lines() {
            self.output.line(line)?;
        }
        self.output
            .line(&format!("Fen: {}", position.text(&self.rules)))?;
        self.output.line(&format!("Value: {}", self.value()))
    }

    /// The value, if it is known without a search.
    fn value(&self) -> String {
        match self.player().look_up(self.game.position()) {
            Ok(answer) => format!("{}, from the {}", answer.value, answer.source.name()),
            Err(error) if is_damage(&error) => error.to_string(),
            Err(_) => "not known without a search".to_string(),
        }
    }

    /// Reports the value or the evaluation from the configured perspective.
    fn evaluate(&self) -> io::Result<()> {
        let position = self.game.position();
        let known = self.player().look_up(position);
        let score = match &known {
            Ok(answer) => Score::from(answer.value),
            Err(_) => self.search.evaluate(position),
        };
        let score = match self.settings.is_white_view() && position.side_to_move() == Side::Black {
            true => -score,
            false => score,
        };
        let source = match known {
            Ok(Answer {
                source: Source::Rules,
                ..
            }) => "rules",
            Ok(_) => "databases",
            Err(_) => "evaluation",
        };
        let score = info::score_text(score);
        self.output
            .line(&format!("info string eval score {score} source {source}"))
    }
}
