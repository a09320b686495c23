//! The page of `millbase serve`, used in a real browser as people use it: by mouse, by keyboard, on
//! a phone, in the dark.
//!
//! Needs Chromium and its driver (Debian: `apt-get install chromium chromium-driver`), and for the
//! check of accessibility `npm ci --prefix tests/browser`. Without these the tests are skipped with
//! a message, or fail if CI is set. With MILLBASE_SCREENSHOTS=FOLDER the tests write screenshots
//! there.
#![cfg(feature = "cli")]

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::panic::resume_unwind;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::key::Key;
use fantoccini::wd::{Capabilities, WebDriverCompatibleCommand};
use fantoccini::{Client, ClientBuilder, Locator};
use http::Method;
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value as Json, json};
use tempfile::TempDir;
use url::Url;

/// White flies and wins in 21.
const FLYING: &str = "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 0 1";
/// White closes a mill with d1-a1 (or another stone) and removes one of three stones.
const MILL: &str = "********/@*****@*/*OO@O*OO w m s 5 0 3 0 0 0 -1 -1 -1 -1 0 0 1";

/// White flies and wins in 7.
const SHORT: &str = "*@O*****/***O****/O*@***@* w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1";

/// Four stones on each side, without threats.
const WALKING: &str = "O*O*****/O*O*****/@@**@@** w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1";

/// The longest time to wait for a change of the page.
const PATIENCE: Duration = Duration::from_secs(20);

/// A process that ends with the test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits for the first line of a process that contains the word.
fn line_with(child: &mut Child, word: &str) -> String {
    let out = child.stdout.take().expect("a pipe");
    let mut lines = BufReader::new(out).lines();
    let line = lines.find(|line| line.as_ref().is_ok_and(|line| line.contains(word)));
    // The process may go on writing.
    std::thread::spawn(move || lines.for_each(drop));
    line.expect("a line with the word").expect("text")
}

/// Starts `millbase serve` with the built-in databases at an address; returns the actual address.
fn server(home: &Path, listen: &str) -> (Process, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_millbase"))
        .args(["serve", "--json", "--listen", listen])
        .current_dir(home)
        .env("HOME", home)
        .env_remove("MILLBASE_DB")
        .env_remove("XDG_DATA_HOME")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let line = line_with(&mut child, "listening");
    let ready: Json = serde_json::from_str(&line).unwrap();
    let address = ready["listening"].as_str().unwrap().to_owned();
    (Process(child), address)
}

/// The driver of the browser; `None` if it is missing.
fn driver() -> Option<(Process, String)> {
    let is_there = |program: &str| {
        let paths = env::var_os("PATH").unwrap_or_default();
        env::split_paths(&paths).any(|folder| folder.join(program).is_file())
    };
    let browsers = ["chromium", "chromium-browser", "google-chrome"];
    if !is_there("chromedriver") || !browsers.into_iter().any(is_there) {
        return None;
    }
    let mut child = Command::new("chromedriver")
        .arg("--port=0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let line = line_with(&mut child, "started successfully on port");
    let port = line.trim_end_matches('.').rsplit(' ').next().unwrap();
    Some((Process(child), format!("http://127.0.0.1:{port}")))
}
/// How the browser shows the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Screen {
    Desk,
    Dark,
    Phone,
    Lying,
    Small,
}

impl Screen {
    /// Width and height.
    fn size(self) -> (u32, u32) {
        match self {
            Screen::Desk | Screen::Dark => (1280, 800),
            Screen::Phone => (390, 844),
            Screen::Lying => (844, 390),
            Screen::Small => (320, 640),
        }
    }

    fn is_phone(self) -> bool {
        !matches!(self, Screen::Desk | Screen::Dark)
    }
}

/// The page in a browser of its own.
#[derive(Clone)]
struct Page {
    client: Client,
    address: String,
    /// The server, which a story may end.
    server: Arc<Mutex<Option<Process>>>,
}

/// A command of the browser's driver that is not in the standard.
#[derive(Debug)]
struct Logs;

impl WebDriverCompatibleCommand for Logs {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, url::ParseError> {
        base.join(&format!("session/{}/se/log", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(json!({ "type": "browser" }).to_string()))
    }
}

/// Runs the story in a fresh browser, after choosing to analyse.
async fn visit<S>(screen: Screen, story: impl FnOnce(Page) -> S + Send + 'static)
where
    S: Future<Output = ()> + Send + 'static,
{
    first_visit(screen, async move |page: Page| {
        page.click("start-analyse").await;
        page.until("return document.querySelectorAll('.point.open').length === 24")
            .await;
        story(page).await;
    })
    .await;
}

/// Runs the story in a fresh browser; afterwards the browser must have logged no error.
async fn first_visit<S>(screen: Screen, story: impl FnOnce(Page) -> S)
where
    S: Future<Output = ()> + Send + 'static,
{
    let home = TempDir::new().unwrap();
    let Some((driver, driver_address)) = driver() else {
        return crate::process::skip("chromium or chromedriver is missing");
    };
    let (server, address) = server(home.path(), "127.0.0.1:0");
    let mut args = vec![
        "--headless".to_owned(),
        "--no-sandbox".to_owned(),
        "--disable-gpu".to_owned(),
        "--disable-quic".to_owned(),
        "--no-first-run".to_owned(),
        "--disable-background-networking".to_owned(),
        "--disable-component-update".to_owned(),
        "--disable-sync".to_owned(),
        "--hide-scrollbars".to_owned(),
        "--lang=en".to_owned(),
        format!("--user-data-dir={}", home.path().join("browser").display()),
    ];
    let dark = matches!(screen, Screen::Dark);
    args.push(format!(
        "--blink-settings=preferredColorScheme={}",
        u8::from(!dark)
    ));
    let mut options = json!({ "args": args });
    // On a desktop, the emulation only sets the size of the page, which differs from the window's.
    let (width, height) = screen.size();
    let phone = screen.is_phone();
    let metrics = json!({
        "width": width, "height": height, "pixelRatio": 1.0, "touch": phone, "mobile": phone,
    });
    options["mobileEmulation"] = json!({ "deviceMetrics": metrics });
    let mut wishes = Capabilities::new();
    wishes.insert("goog:chromeOptions".to_owned(), options);
    wishes.insert("goog:loggingPrefs".to_owned(), json!({ "browser": "ALL" }));
    let client = ClientBuilder::new(HttpConnector::new())
        .capabilities(wishes)
        .connect(&driver_address)
        .await
        .expect("a browser");
    let page = Page {
        client,
        address,
        server: Arc::new(Mutex::new(Some(server))),
    };
    page.client.goto(&page.address).await.unwrap();
    page.says("White to place").await;
    let story = tokio::spawn(story(page.clone())).await;
    let logs = page.client.issue_cmd(Logs).await.unwrap();
    // The browser also logs each answer 404 (for positions without a value), answers to illegal
    // positions, and a server that is gone.
    let complaints: Vec<&Json> = logs.as_array().unwrap().iter().collect();
    let complaints: Vec<&&Json> = complaints
        .iter()
        .filter(|entry| {
            let message = entry["message"].as_str().unwrap();
            let expected = ["/probe?", "/rank?", "status of 400", "ERR_CONNECTION_"];
            !expected.iter().any(|words| message.contains(words))
        })
        .collect();
    page.client.close().await.unwrap();
    drop(driver);
    if let Err(failure) = story {
        resume_unwind(failure.into_panic());
    }
    assert!(complaints.is_empty(), "{complaints:?}");
}

impl Page {
    /// Runs a script and returns what it returns.
    async fn script(&self, script: &str) -> Json {
        self.client.execute(script, Vec::new()).await.unwrap()
    }

    async fn text(&self, id: &str) -> String {
        let element = self.client.find(Locator::Id(id)).await.unwrap();
        element.text().await.unwrap()
    }

    async fn attribute(&self, id: &str, name: &str) -> String {
        let element = self.client.find(Locator::Id(id)).await.unwrap();
        element.attr(name).await.unwrap().unwrap_or_default()
    }

    /// The text of a screen reader for a point.
    async fn label(&self, point: &str) -> String {
        self.attribute(point, "aria-label").await
    }

    /// Whether a point is drawn in this way.
    async fn is(&self, point: &str, class: &str) -> bool {
        let classes = self.attribute(point, "class").await;
        classes.split(' ').any(|one| one == class)
    }

    /// Waits until the line below the board says so.
    async fn says(&self, words: &str) {
        self.element_says("status", words).await;
    }

    async fn element_says(&self, id: &str, words: &str) {
        let start = Instant::now();
        loop {
            let text = self.text(id).await;
            if text.contains(words) {
                return;
            }
            assert!(
                start.elapsed() < PATIENCE,
                "'{words}' does not come, but '{text}'"
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn click(&self, id: &str) {
        let element = self.client.find(Locator::Id(id)).await.unwrap();
        element.click().await.unwrap();
    }

    async fn write(&self, id: &str, text: &str) {
        let element = self.client.find(Locator::Id(id)).await.unwrap();
        element.clear().await.unwrap();
        element.send_keys(text).await.unwrap();
    }

    async fn choose(&self, id: &str, option: &str) {
        let element = self.client.find(Locator::Id(id)).await.unwrap();
        element.select_by_value(option).await.unwrap();
    }

    /// Presses keys where the focus is.
    async fn press(&self, keys: &[Key]) {
        let mut actions = KeyActions::new("keyboard".to_owned());
        for &key in keys {
            let value = key.into();
            actions = actions
                .then(KeyAction::Down { value })
                .then(KeyAction::Up { value });
        }
        self.client.perform_actions(actions).await.unwrap();
    }

    async fn focused(&self) -> String {
        let id = self.script("return document.activeElement.id").await;
        id.as_str().unwrap().to_owned()
    }

    /// Opens the tab with this name.
    async fn tab(&self, name: &str) {
        self.click(&format!("tab-{name}")).await;
    }

    /// Waits until a script returns true.
    async fn until(&self, script: &str) {
        let start = Instant::now();
        while self.script(script).await != true {
            assert!(start.elapsed() < PATIENCE, "never true: {script}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Opens the address of a position.
    async fn load(&self, position: &str) {
        self.script("document.activeElement.blur()").await;
        let short: Vec<&str> = position.split(' ').take(10).collect();
        let short = short.join(" ");
        self.script(&format!(
            "location.hash = 'fen=' + encodeURIComponent('{short}')"
        ))
        .await;
        self.until(&format!(
            "return document.getElementById('position-text').value.startsWith('{short}') \
             && document.getElementById('game').hidden \
             && document.getElementById('turns').children.length > 0"
        ))
        .await;
    }

    /// The turns that are offered, as they are listed.
    async fn turns(&self) -> Vec<String> {
        let script =
            "return [...document.querySelectorAll('#turns .turn')].map(turn => turn.textContent)";
        serde_json::from_value(self.script(script).await).unwrap()
    }

    /// The labels of the turns played.
    async fn game(&self) -> Vec<String> {
        let script =
            "return [...document.querySelectorAll('#game button')].map(button => button.ariaLabel)";
        serde_json::from_value(self.script(script).await).unwrap()
    }

    /// Clicks the points of a turn, one after the other.
    async fn play(&self, turn: &str) {
        for point in turn.split(['-', 'x']) {
            self.click(point).await;
        }
    }

    /// Saves a screenshot if the user wants them.
    async fn picture(&self, name: &str) {
        if let Some(folder) = env::var_os("MILLBASE_SCREENSHOTS") {
            // The bar takes a moment to reach its position.
            tokio::time::sleep(Duration::from_millis(500)).await;
            let picture = self.client.screenshot().await.unwrap();
            fs::write(Path::new(&folder).join(name), picture).unwrap();
        }
    }
}

#[tokio::test]
async fn the_first_minute_has_an_opponent() {
    first_visit(Screen::Desk, async |page: Page| {
        assert_eq!(page.focused().await, "start-white");
        page.choose("start-level", "0").await;
        page.click("start-black").await;
        // The machine begins, though no database answers, and answers again.
        page.says("White played").await;
        page.until("return document.querySelectorAll('.point.white').length === 1")
            .await;
        assert!(page.focused().await.len() == 2, "the board has the focus");
        assert_eq!(page.text("value").await, "");
        let free = "return document.querySelector('.point.open:not(.white)').id";
        let point = page.script(free).await;
        page.click(point.as_str().unwrap()).await;
        page.until("return document.querySelectorAll('.point.white').length === 2")
            .await;
        page.until("return document.querySelectorAll('#game button').length === 3")
            .await;
        // One notice says what is missing, and stays away once it is closed.
        page.element_says("notice-command", "millbase build --placing")
            .await;
        assert!(
            page.text("notice-words")
                .await
                .contains("more than 9 stones")
        );
        page.element_says("build-start", "Build them now").await;
        page.click("notice-close").await;
        assert_eq!(page.text("notice-words").await, "");
        page.client.refresh().await.unwrap();
        page.says("White played").await;
        page.until("return document.querySelectorAll('#game button').length === 3")
            .await;
        assert_eq!(page.text("notice-words").await, "");
        assert_eq!(
            page.script("return document.getElementById('start').open")
                .await,
            false
        );
    })
    .await;
}

#[tokio::test]
async fn a_won_game_is_clicked_to_its_end() {
    visit(Screen::Desk, async |page: Page| {
        page.load(FLYING).await;
        page.says("White to move, any empty point is free: win in 21.")
            .await;
        assert_eq!(page.text("value").await, "White wins in 21 turns");
        // Marks on the stones, then on the targets of the chosen stone.
        assert!(page.is("f6", "win").await && !page.is("f6", "best").await);
        assert_eq!(
            page.label("f6").await,
            "f6, white stone, move this stone, win in 21"
        );
        assert_eq!(page.label("f4").await, "f4, black stone");
        page.tab("turns").await;
        page.until("return !document.getElementById('best-line').hidden")
            .await;
        assert!(
            page.text("best-line")
                .await
                .starts_with("Best line: a1-e4 ")
        );
        page.click("f6").await;
        assert_eq!(page.label("a4").await, "a4, empty, move here, win in 21");
        assert_eq!(page.label("a7").await, "a7, empty, move here, win in 23");
        assert!(page.is("a4", "best").await && page.is("a7", "win").await);
        assert!(!page.is("a7", "best").await && page.is("f6", "chosen").await);
        // The list follows the chosen points; a row contains turns that are equal up to symmetry.
        let turns = page.turns().await;
        assert!(
            turns.iter().all(|turn| turn.starts_with("f6-")),
            "{turns:?}"
        );
        let row = "return document.querySelector('#turns li').innerText";
        let row = page.script(row).await;
        let words: Vec<&str> = row.as_str().unwrap().split_whitespace().collect();
        assert_eq!(words[..5], ["f6-a4", "f6-e4", "win", "in", "21"], "{row}");
        // A preview while the pointer is over a turn.
        let ghost = "return document.querySelectorAll('.ghost > *').length";
        page.script("document.querySelector('#turns .turn').focus()")
            .await;
        assert_eq!(page.script(ghost).await, 2);
        page.script("document.querySelector('#turns .turn').blur()")
            .await;
        assert_eq!(page.script(ghost).await, 0);
        page.click("f6").await;
        // Each side makes its best turn; the winner needs as many turns as were announced.
        for left in (0..21).rev() {
            let turn = page.turns().await.remove(0);
            page.play(&turn).await;
            page.says(&format!("played {turn}.")).await;
            let value = match left {
                0 => break,
                1 => "White wins in 1 turn".to_owned(),
                _ => format!("White wins in {left} turns"),
            };
            page.element_says("value", &value).await;
        }
        page.element_says("over-result", "White wins").await;
        page.element_says("over-reason", "Black has fewer than three stones.")
            .await;
        assert!(page.turns().await.is_empty());
        let game = page.game().await;
        assert_eq!(game.len(), 21);
        assert!(
            game.iter().all(|turn| !turn.contains("blunder")),
            "{game:?}"
        );
        assert!(game[20].contains('x'), "{}", game[20]);
        page.click("review").await;
        page.element_says("review-words", "No mistake was found.")
            .await;
        assert_eq!(
            page.script("return document.querySelectorAll('.graph-line').length")
                .await,
            21
        );
    })
    .await;
}

#[tokio::test]
async fn mistakes_are_found_one_after_the_other() {
    visit(Screen::Desk, async |page: Page| {
        page.load(MILL).await;
        page.says("win in 1").await;
        page.play("d1-d2").await;
        page.says("played d1-d2, a blunder").await;
        page.tab("game").await;
        let shown = "return !document.getElementById('next-mistake').hidden";
        page.until(shown).await;
        page.click("find-mistakes").await;
        page.element_says("review-words", "Mistakes: 1.").await;
        page.click("first").await;
        page.says("win in 1").await;
        page.click("next-mistake").await;
        page.says("played d1-d2, a blunder").await;
        // After the last one comes the first.
        page.click("next-mistake").await;
        page.says("played d1-d2, a blunder").await;
        page.load(FLYING).await;
        page.until("return document.getElementById('next-mistake').hidden")
            .await;
    })
    .await;
}

#[tokio::test]
async fn stones_are_removed_and_turns_taken_back() {
    visit(Screen::Desk, async |page: Page| {
        page.load(MILL).await;
        page.says("win in 1").await;
        // Choosing and changing one's mind.
        page.click("d1").await;
        page.says("White moves the stone on d1").await;
        page.click("g7").await;
        page.says("White moves the stone on g7").await;
        page.click("b4").await;
        page.element_says("problem", "There is a stone on b4 already.")
            .await;
        page.click("d1").await;
        page.click("a1").await;
        page.says("White closed a mill: choose the stone to remove.")
            .await;
        assert!(page.is("a1", "white").await && !page.is("d1", "white").await);
        assert!(page.is("b4", "removable").await && page.is("a4", "in-mill").await);
        assert_eq!(page.label("b4").await, "b4, black stone, remove, win in 1");
        assert!(!page.is("a4", "open").await);
        let turns = page.turns().await;
        assert_eq!(turns, ["d1-a1xb4", "d1-a1xd6", "d1-a1xg1"]);
        page.click("a4").await;
        page.element_says("problem", "That is White’s own stone")
            .await;
        page.click("b4").await;
        page.element_says("over-result", "White wins").await;
        assert!(!page.is("b4", "black").await && page.is("b4", "taken").await);
        assert!(page.text("game").await.contains("d1-a1xb4"));

        // Taking back goes back; the turn stays, and another one is a variation.
        page.click("back").await;
        page.says("White to move: win in 1.").await;
        assert!(page.is("b4", "black").await && page.is("d1", "white").await);
        assert_eq!(page.attribute("back", "aria-disabled").await, "true");
        assert_eq!(page.game().await.len(), 1);
        page.play("d1-d2").await;
        page.says("White played d1-d2, a blunder: win in 1 given away, now draw.")
            .await;
        assert_eq!(page.text("value").await, "Draw");
        let game = page.game().await;
        assert_eq!(game.len(), 2);
        assert!(game[1].contains("blunder"), "{game:?}");
        assert!(page.is("d2", "last").await);
        // A variation becomes the main line, and is deleted only after confirmation.
        page.click("promote").await;
        assert!(page.game().await[0].starts_with("White d1-d2"));
        page.click("remove").await;
        page.says("White to move: win in 1.").await;
        assert_eq!(page.game().await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_game_viewed_in_the_middle_loses_nothing() {
    visit(Screen::Desk, async |page: Page| {
        let turns = ["d6", "f4", "d2", "b4", "f6", "b6", "f2", "b2xf2", "f2"];
        for turn in turns {
            page.play(turn).await;
            page.says(&format!("played {turn}.")).await;
        }
        for id in ["first", "next", "next", "previous"] {
            page.click(id).await;
        }
        page.says("White played d6.").await;
        page.script("document.activeElement.blur()").await;
        page.press(&[Key::Right, Key::Right, Key::End, Key::Left]).await;
        page.says("Black played b2xf2.").await;
        page.click("back").await;
        page.says("White played f2.").await;
        page.play("a1").await;
        page.says("Black played a1.").await;
        page.write("comment", "also possible").await;
        assert_eq!(page.game().await.len(), turns.len() + 1);

        // All of it survives a reload, and the address shows the line in another browser.
        let text = "return document.getElementById('game-text').value";
        let before = page.script(text).await;
        let address = page.client.current_url().await.unwrap();
        page.client.refresh().await.unwrap();
        page.says("Black played a1.").await;
        assert_eq!(page.script(text).await, before);
        assert_eq!(
            before,
            "[Rules \"standard\"]\n\n1. d6 f4 2. d2 b4 3. f6 b6 4. f2 b2xf2 (4... a1 {also possible}) 5. f2\n"
        );
        // The page would store the game again when it draws next.
        page.script("Storage.prototype.setItem = () => {}; localStorage.clear()")
            .await;
        page.client.refresh().await.unwrap();
        page.says("Black played a1.").await;
        assert_eq!(page.game().await.len(), 8);
        assert_eq!(page.client.current_url().await.unwrap(), address);
    })
    .await;
}

#[tokio::test]
async fn drawn_games_end_by_the_one_rule() {
    visit(Screen::Desk, async |page: Page| {
        page.load(WALKING).await;
        let turns = ["d6-b6", "d7-a7", "b6-d6", "a7-d7"];
        for (number, turn) in turns.iter().cycle().take(8).enumerate() {
            page.play(turn).await;
            page.says(&format!("played {turn}.")).await;
            if number == 3 {
                page.says("The position has occurred twice.").await;
            }
        }
        page.element_says("over-result", "The game is drawn").await;
        page.element_says("over-reason", "The position has occurred 3 times.")
            .await;
        page.click("d6").await;
        page.element_says("problem", "The game is over").await;
    })
    .await;
}

#[tokio::test]
async fn presses_that_do_nothing_have_a_reason() {
    visit(Screen::Desk, async |page: Page| {
        page.load(WALKING).await;
        for (point, words) in [
            ("d7", "The stone on d7 is not White’s."),
            ("a4", "Choose the stone to move first."),
        ] {
            page.click(point).await;
            page.element_says("problem", words).await;
        }
        page.click("d6").await;
        assert_eq!(page.text("problem").await, "");
        page.click("a7").await;
        page.element_says("problem", "The stone on d6 reaches only b6, f6.")
            .await;
        // While placing, too.
        page.script("location.hash = 'moves=d6'").await;
        page.says("White played d6.").await;
        page.click("d6").await;
        page.element_says("problem", "There is a stone on d6 already.")
            .await;
    })
    .await;
}

#[tokio::test]
async fn the_perfect_player_plays_either_side_or_both() {
    visit(Screen::Desk, async |page: Page| {
        page.load(SHORT).await;
        page.tab("options").await;
        page.choose("white", "machine").await;
        for left in [6, 4, 2] {
            page.says(&format!(
                "Black to move, any empty point is free: loss in {left}."
            ))
            .await;
            let turn = page.turns().await.remove(0);
            page.play(&turn).await;
        }
        page.element_says("over-result", "The machine wins").await;
        // Taking back leads to a position with the person to move, and keeps the turns.
        page.click("back").await;
        page.says("Black to move, any empty point is free: loss in 2.")
            .await;
        assert_eq!(page.game().await.len(), 7);

        // Two machines play from where the line ends, and can be stopped at any moment.
        page.load(SHORT).await;
        page.choose("white", "machine").await;
        page.choose("black", "machine").await;
        page.says("White played").await;
        page.click("pause").await;
        page.says("The machine waits.").await;
        let stopped = page.game().await.len();
        tokio::time::sleep(Duration::from_millis(900)).await;
        assert_eq!(page.game().await.len(), stopped);
        page.click("pause").await;
        page.element_says("over-result", "White wins").await;
    })
    .await;
}

#[tokio::test]
async fn everything_works_by_keyboard() {
    visit(Screen::Desk, async |page: Page| {
        // The board is one stop of the tab key; arrows go along the lines.
        page.script("document.getElementById('d7').focus()").await;
        for (key, point) in [
            (Key::Down, "d6"),
            (Key::Down, "d5"),
            (Key::Down, "d5"),
            (Key::Left, "c5"),
            (Key::Down, "c4"),
            (Key::Right, "c4"),
            (Key::Left, "b4"),
            (Key::Left, "a4"),
            (Key::Up, "a7"),
        ] {
            page.press(&[key]).await;
            assert_eq!(page.focused().await, point);
        }
        let ring = "return getComputedStyle(document.querySelector('#a7 .focus')).display";
        assert_eq!(page.script(ring).await, "inline");
        page.press(&[Key::Enter]).await;
        page.says("White played a7.").await;
        page.press(&[Key::Down, Key::Right]).await;
        page.client
            .perform_actions(
                KeyActions::new("keyboard".to_owned())
                    .then(KeyAction::Down { value: ' ' })
                    .then(KeyAction::Up { value: ' ' }),
            )
            .await
            .unwrap();
        page.says("Black played b4.").await;
        assert_eq!(page.focused().await, "b4");
        page.press(&[Key::Tab]).await;
        assert_eq!(page.focused().await, "first");

        page.load(MILL).await;
        page.script("document.getElementById('d1').focus()").await;
        page.press(&[Key::Enter]).await;
        page.says("White moves the stone on d1").await;
        page.press(&[Key::Escape]).await;
        page.says("White to move").await;
        page.press(&[Key::Enter, Key::Left, Key::Enter]).await;
        page.says("White closed a mill").await;
        page.press(&[Key::Up, Key::Right, Key::Enter]).await;
        page.says("White played d1-a1xb4.").await;

        // A list that is drawn again keeps the focus, and so does a button that goes.
        page.load(FLYING).await;
        page.says("win in 21").await;
        page.tab("turns").await;
        page.script("document.querySelector('#turns .turn').focus()")
            .await;
        page.press(&[Key::Enter]).await;
        page.says("White played").await;
        page.says("loss in 20").await;
        let focused = "return document.activeElement.className";
        assert_eq!(page.script(focused).await, "turn");
        page.tab("game").await;
        page.script("document.getElementById('remove').focus()")
            .await;
        page.press(&[Key::Enter]).await;
        page.says("White to move").await;
        assert_eq!(page.focused().await, "new");
    })
    .await;
}

#[tokio::test]
async fn positions_and_games_are_loaded_from_texts() {
    visit(Screen::Desk, async |page: Page| {
        page.tab("setup").await;
        page.write("position-text", "nonsense").await;
        page.click("position-load").await;
        page.element_says("position-problem", "The board has 8 characters")
            .await;
        page.write("position-text", &format!("{FLYING} ids:nodes"))
            .await;
        page.click("position-load").await;
        page.says("win in 21").await;
        assert_eq!(page.text("position-problem").await, "");

        // Games as people paste them.
        for text in [
            "D6 F4 D2",
            "d6, f4, d2",
            "1. d6 f4 2. d2",
            "1.d6 f4! 2.d2?",
            "position startpos moves d6 f4 d2",
            "d6 {centre} f4 (a1 d7) d2 *",
        ] {
            page.write("game-text", text).await;
            page.click("game-load").await;
            page.says("White played d2.").await;
            let turns = if text.contains('(') { 5 } else { 3 };
            assert_eq!(page.game().await.len(), turns, "{text}");
            page.load(FLYING).await;
        }
        page.write("game-text", "1. d6 a1 2. f6 a4 3. b6 x a1")
            .await;
        page.click("game-load").await;
        page.says("White played b6xa1.").await;
        assert_eq!(page.game().await.len(), 5);
        page.write("game-text", "d6 a1 d6 a4").await;
        page.click("game-load").await;
        page.element_says("game-problem", "Turn 3, d6, is not legal there")
            .await;
        assert_eq!(page.game().await.len(), 2);

        // A game that does not begin with the empty board carries its first position.
        for text in [
            format!("{FLYING}\\na1-e4"),
            format!("position fen {FLYING} ids:nodes moves a1-e4"),
        ] {
            let script = format!("document.getElementById('game-text').value = '{text}'");
            page.script(&script).await;
            page.click("game-load").await;
            page.says("White played a1-e4.").await;
            page.load(WALKING).await;
        }
        page.script("navigator.clipboard.writeText = async text => { document.title = text }")
            .await;
        page.load(FLYING).await;
        page.click("position-copy").await;
        page.element_says("copied", "Copied.").await;
        assert_eq!(
            page.script("return document.title.startsWith('***O**@*/')")
                .await,
            true
        );

        // The game before is not lost.
        page.choose("earlier", "0").await;
        page.click("earlier-open").await;
        page.says("played").await;
    })
    .await;
}

#[tokio::test]
async fn a_position_is_set_up_by_hand() {
    visit(Screen::Desk, async |page: Page| {
        page.tab("setup").await;
        page.click("edit").await;
        page.click("edit-clear").await;
        page.element_says("edit-state", "The position is legal")
            .await;
        for point in ["d7", "a7", "g7"] {
            page.click(point).await;
        }
        page.script("document.getElementsByName('brush')[1].click()")
            .await;
        for point in ["d1", "a1", "b2"] {
            page.click(point).await;
        }
        for hand in ["edit-white-hand", "edit-black-hand"] {
            page.write(hand, "0").await;
        }
        page.write("edit-white-hand", "9").await;
        page.press(&[Key::Tab]).await;
        page.element_says(
            "edit-problem",
            "White has 3 stones on the board and 9 in hand, more than the 9",
        )
        .await;
        page.write("edit-white-hand", "0").await;
        page.choose("edit-side", "black").await;
        page.element_says("edit-state", "The position is legal")
            .await;
        page.click("edit-use").await;
        page.says("Black to move, any empty point is free").await;
        assert!(page.is("b2", "black").await && page.is("g7", "white").await);
    })
    .await;
}

#[tokio::test]
async fn hints_come_in_three_steps() {
    visit(Screen::Desk, async |page: Page| {
        page.load(FLYING).await;
        page.says("win in 21").await;
        page.click("hint").await;
        page.element_says("hint-words", "Hint: move the stone on a1.")
            .await;
        assert!(page.is("a1", "hinted").await && !page.is("e4", "hinted").await);
        page.click("hint").await;
        page.element_says("hint-words", "Hint: a1-e4.").await;
        assert!(page.is("e4", "hinted").await);
        page.click("hint").await;
        page.element_says("hint-words", "Otherwise, ").await;
        let words = page.text("hint-words").await;
        assert!(
            words.contains("a1-e4 ") && words.contains(": win in 21."),
            "{words}"
        );
        // Where no database answers, the search gives the hint.
        page.script("location.hash = 'moves=d6'").await;
        page.says("White played d6.").await;
        assert_eq!(page.text("hint-words").await, "");
        page.click("hint").await;
        page.element_says("hint-words", "Hint: place on the ").await;
    })
    .await;
}

#[tokio::test]
async fn endgames_are_practised_with_a_tally() {
    visit(Screen::Desk, async |page: Page| {
        page.tab("learn").await;
        assert!(
            page.text("rules-text")
                .await
                .contains("Each side has 9 stones.")
        );
        page.until("return document.getElementById('train-pair').value === '3-3'")
            .await;
        page.click("train-start").await;
        page.element_says("hint-words", "White is to win.").await;
        page.element_says("train-tally", "Solved 0, failed 0").await;
        // The last turn of the list is the worst, if any gives the win away.
        let ask = async |place: i32| {
            let script = format!(
                "
                const position = document.getElementById('position-text').value;
                const answer = await fetch('/probe?fen=' + encodeURIComponent(position));
                return (await answer.json()).turns.at({place});"
            );
            page.script(&script).await
        };
        let worst = ask(-1).await;
        assert_ne!(worst["wdl"], "win");
        page.play(worst["turn"].as_str().unwrap()).await;
        page.element_says("hint-words", "That gave it away: win in")
            .await;
        page.element_says("train-tally", "Solved 0, failed 1, 0 in a row.")
            .await;
        page.click("train-again").await;
        page.element_says("hint-words", "White is to win.").await;
        // With best turns it is solved.
        loop {
            page.until(
                "return document.getElementById('status').textContent.includes('White to') \
                        || !document.getElementById('over').hidden",
            )
            .await;
            if page
                .script("return document.getElementById('over').hidden")
                .await
                == false
            {
                break;
            }
            let position = page
                .script("return document.getElementById('position-text').value")
                .await;
            let best = ask(0).await;
            page.play(best["turn"].as_str().unwrap()).await;
            let position = position.as_str().unwrap();
            page.until(&format!(
                "return document.getElementById('position-text').value !== '{position}'"
            ))
            .await;
        }
        page.element_says("hint-words", "Solved.").await;
        page.element_says("train-tally", "Solved 1, failed 1, 1 in a row.")
            .await;
    })
    .await;
}

#[tokio::test]
async fn puzzles_are_solved_with_hints_and_a_tally() {
    visit(Screen::Phone, async |page: Page| {
        let text = include_str!("../src/bin/millbase/serve/page/puzzles.json");
        let puzzles: Json = serde_json::from_str(text).unwrap();
        let solution = |puzzle: &Json| -> Vec<String> {
            let steps = puzzle[3].as_str().unwrap().split(' ');
            steps.map(str::to_owned).collect()
        };
        let puzzles = puzzles["puzzles"].as_array().unwrap().iter();
        let puzzles: Vec<Vec<String>> = puzzles.map(solution).collect();
        page.tab("learn").await;
        page.element_says("puzzle-tally", "Solved 0, failed 0.").await;
        page.click("puzzle-start").await;
        page.element_says("hint-words", "Level: Beginner.").await;
        // The first puzzle, with the wrong turn first.
        let solution = &puzzles[0];
        assert_eq!(solution.len(), 1);
        let wrong = page
            .script(&format!(
                "const position = document.getElementById('position-text').value;
                 const answer = await fetch('/turns?fen=' + encodeURIComponent(position));
                 return (await answer.json()).turns.map(({{ turn }}) => turn).find(turn => turn !== '{}')",
                solution[0]
            ))
            .await;
        page.play(wrong.as_str().unwrap()).await;
        page.element_says("hint-words", "is not the solution").await;
        page.element_says("puzzle-tally", "Solved 0, failed 1.").await;
        page.click("puzzle-again").await;
        page.click("puzzle-hint").await;
        page.element_says("hint-words", &format!("Move the stone on {}.", &solution[0][..2]))
            .await;
        page.click("puzzle-hint").await;
        page.element_says("hint-words", &format!("The solution is {}.", solution[0]))
            .await;
        page.play(&solution[0]).await;
        page.element_says("hint-words", "Solved with a hint").await;
        page.click("puzzle-again").await;
        page.play(&solution[0]).await;
        page.element_says("hint-words", "Solved.").await;
        page.element_says("puzzle-tally", "Solved 1, failed 1.").await;
        assert_eq!(page.game().await.len(), 1);

        // A longer one, with replies and turns that are as good as that of the solution; none of it is
        // in the databases of this server.
        let long = |solution: &Vec<String>| {
            let mut own = solution[..solution.len() - 1].iter().step_by(2);
            solution.len() > 3 && own.any(|step| step.contains('|'))
        };
        let number = puzzles.iter().position(long).unwrap();
        let solved = format!(
            "localStorage.setItem('millbase.puzzles', JSON.stringify({{ failed: 2, solved: \
             (await (await fetch(document.querySelector('script[src]').src.replace('app.js', 'puzzles.json'))).json()) \
             .puzzles.slice(0, {number}).map(([position]) => position.split(' ')[0]) }}))"
        );
        page.script(&solved).await;
        page.client.refresh().await.unwrap();
        page.tab("learn").await;
        page.element_says("puzzle-tally", &format!("Solved {number}, failed 2."))
            .await;
        page.click("puzzle-start").await;
        page.element_says("hint-words", "Turns of its own").await;
        for (place, step) in puzzles[number].iter().enumerate().step_by(2) {
            page.play(step.rsplit('|').next().unwrap()).await;
            if place + 1 < puzzles[number].len() {
                page.element_says("hint-words", "Right. Go on.").await;
                page.says(&format!("played {}.", puzzles[number][place + 1])).await;
            }
        }
        page.element_says("hint-words", "Solved.").await;
        page.element_says("puzzle-tally", &format!("Solved {}, failed 2.", number + 1))
            .await;
    })
    .await;
}

#[tokio::test]
async fn a_server_that_is_gone_is_waited_for() {
    visit(Screen::Phone, async |page: Page| {
        page.load(FLYING).await;
        page.says("win in 21").await;
        *page.server.lock().unwrap() = None;
        page.play("a1-e4").await;
        page.element_says("offline", "The server does not answer.")
            .await;
        let listen = page
            .address
            .trim_start_matches("http://")
            .trim_end_matches('/');
        let home = TempDir::new().unwrap();
        let (again, _) = server(home.path(), listen);
        *page.server.lock().unwrap() = Some(again);
        page.says("White played a1-e4.").await;
        page.element_says("value", "White wins in 20 turns").await;
        assert_eq!(page.text("offline").await, "");
    })
    .await;
}

#[tokio::test]
async fn other_games_have_their_board_and_their_name() {
    visit(Screen::Desk, async |page: Page| {
        assert_eq!(page.text("title").await, "Nine Men’s Morris");
        let lines = "return document.querySelectorAll('.board .grid').length";
        assert_eq!(page.script(lines).await, 16);
        page.click("new").await;
        page.choose("start-rules", "morabaraba").await;
        page.click("start-two").await;
        page.element_says("title", "Morabaraba").await;
        assert_eq!(page.script(lines).await, 20);
        assert!(page.text("hand-bottom").await.contains("12 in hand"));
        page.element_says("notice-command", "--rules morabaraba")
            .await;
        page.click("a7").await;
        page.says("White played a7.").await;
        page.client.refresh().await.unwrap();
        page.element_says("title", "Morabaraba").await;
        page.says("White played a7.").await;
    })
    .await;
}

#[tokio::test]
async fn all_words_are_there_in_every_language() {
    visit(Screen::Desk, async |page: Page| {
        let script = "
            const folder = new URL(document.querySelector('script').src);
            const { STRINGS } = await import(new URL('strings.js', folder));
            const holes = text => (text.match(/\\{\\w+\\}/g) ?? []).sort().join();
            const [first, ...others] = Object.values(STRINGS);
            return others.flatMap(other => [...Object.keys(first), ...Object.keys(other)]
                .filter(key => !first[key] || !other[key] || holes(first[key]) !== holes(other[key])));";
        assert_eq!(page.script(script).await, json!([]));
        // The server's failures are said in the page's own words.
        let schema: Json = serde_json::from_str(include_str!("../docs/millbase.schema.json")).unwrap();
        let words = |name: &str| schema["$defs"][name]["enum"].as_array().unwrap().clone();
        let failures = [words("code"), words("failureReason")].concat();
        assert_eq!(failures.len(), 31);
        let script = format!(
            "const folder = new URL(document.querySelector('script').src);
            const {{ STRINGS }} = await import(new URL('strings.js', folder));
            return {}.filter(name => !(`problem.${{name}}` in STRINGS.en));",
            Json::from(failures)
        );
        assert_eq!(page.script(&script).await, json!([]));
        page.choose("language", "de").await;
        page.says("Weiß setzt einen Stein").await;
        assert_eq!(page.text("title").await, "Mühle");
        let language = "return document.documentElement.lang";
        assert_eq!(page.script(language).await, "de");
        page.client.refresh().await.unwrap();
        page.says("Weiß setzt einen Stein").await;
    })
    .await;
}

#[tokio::test]
async fn failures_and_endings_are_said_in_the_chosen_language() {
    visit(Screen::Desk, async |page: Page| {
        page.choose("language", "de").await;
        page.tab("setup").await;
        for (position, words) in [
            ("nichts", "Das Brett hat 6 Zeichen"),
            (
                "********/********/OOO@@@** w m s 4 0 3 0 0 0",
                "Laut Text hat Weiß 4 Steine auf dem Brett, aber das Brett zeigt 3.",
            ),
            (
                "********/********/******** w p p 0 9 0 7 0 0",
                "Weiß kann nicht 9 und Schwarz 7 Steine zu setzen haben, wenn Weiß am Zug ist.",
            ),
        ] {
            page.write("position-text", position).await;
            page.click("position-load").await;
            page.element_says("position-problem", words).await;
        }
        let long = "document.getElementById('game-text').value = 'd6 '.repeat(4200)";
        page.script(long).await;
        page.click("game-load").await;
        page.element_says("game-problem", "Der Text ist länger als 12288 Bytes.")
            .await;
        page.click("edit").await;
        page.write("edit-black-hand", "2").await;
        page.press(&[Key::Tab]).await;
        page.element_says("edit-problem", "Weiß kann nicht 9 und Schwarz 2").await;
        page.click("edit-stop").await;
        // A build that another program prevents, and an answer that only the server's words explain.
        let failures = "
            const folder = new URL(document.querySelector('script').src);
            const { problemWords } = await import(new URL('strings.js', folder));
            return [{ code: 'system', reason: 'other_build', fields: {}, message: 'x' },
                { code: 'corrupt', message: '3-3.mill, byte 7' }, { code: 'new', message: 'a new failure' }]
                .map(problemWords);";
        let expected = [
            "Ein anderes Programm erzeugt gerade Datenbanken im Ordner des Servers.",
            "Eine Datenbank des Servers ist beschädigt: 3-3.mill, byte 7.",
            "A new failure.",
        ];
        assert_eq!(page.script(failures).await, json!(expected));

        for (position, result, reason) in [
            (
                "********/********/OO*@@@** w o ? 2 0 3 0 0 0",
                "Schwarz gewinnt",
                "Weiß hat weniger als drei Steine.",
            ),
            (
                "********/@*****@*/OO@**@OO w m s 4 0 4 0 0 0",
                "Schwarz gewinnt",
                "Weiß kann nicht ziehen.",
            ),
        ] {
            page.write("position-text", position).await;
            page.click("position-load").await;
            page.element_says("over-result", result).await;
            page.element_says("over-reason", reason).await;
        }
        page.load(WALKING).await;
        for turn in ["d6-b6", "d7-a7", "b6-d6", "a7-d7"].repeat(2) {
            page.play(turn).await;
            page.says(&format!("zog {turn}.")).await;
        }
        page.element_says("over-result", "Remis").await;
        page.element_says("over-reason", "Die Stellung kam 3-mal vor.")
            .await;
    })
    .await;
}

/// The contrast of the page's colours, by the formula of the Web Content Accessibility Guidelines:
/// 4.5:1 for text, 3:1 for stones, rings, marks and the edges of controls.
const CONTRASTS: &str = "
    const style = getComputedStyle(document.documentElement);
    const light = name => {
        const hex = name.startsWith('#') ? name : style.getPropertyValue('--' + name).trim();
        const [r, g, b] = [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16) / 255)
            .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const text = ['ink page', 'ink card', 'muted card', 'muted page', 'ink button', 'on-accent accent',
        'on-mark win', 'on-mark draw', 'on-mark loss', 'label board', 'fault card'];
    // Stones stand out by their fill or their edge; marks on stones by their edge.
    const parts = ['grid board', 'win board', 'draw board', 'loss board', 'accent board', 'last board',
        'mill board', 'best board', 'accent card', 'control card', 'control button', 'control page',
        'white/white-edge board', 'black/black-edge board', '#1b1712 white', '#f7f2e8 black',
        'white black', '#ff9d92 black', '#ad2a22 white'];
    const ratio = pair => {
        const [first, second] = pair.split(' ');
        return Math.max(...first.split('/').map(name => {
            const [dark, bright] = [light(name), light(second)].sort((x, y) => x - y);
            return (bright + 0.05) / (dark + 0.05);
        }));
    };
    return [...text.map(pair => [pair, 4.5, ratio(pair)]), ...parts.map(pair => [pair, 3, ratio(pair)])];";

async fn has_contrast(page: &Page) {
    let contrasts = page.script(CONTRASTS).await;
    let contrasts: Vec<(String, f64, f64)> = serde_json::from_value(contrasts).unwrap();
    for (colours, least, contrast) in contrasts {
        assert!(contrast >= least, "{colours}: {contrast}");
    }
}

#[tokio::test]
async fn the_page_follows_the_colours_of_the_system() {
    let background = "return getComputedStyle(document.body).backgroundColor";
    visit(Screen::Dark, async move |page: Page| {
        assert_eq!(page.script(background).await, "rgb(22, 20, 18)");
        has_contrast(&page).await;
    })
    .await;
    visit(Screen::Desk, async move |page: Page| {
        assert_eq!(page.script(background).await, "rgb(243, 239, 231)");
        has_contrast(&page).await;
    })
    .await;
}

/// The rules of axe-core that the page breaks now, in words.
async fn broken_rules(page: &Page, axe: &str) -> Vec<String> {
    page.script(axe).await;
    let script = "
        const { violations } = await axe.run();
        return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0].html}`);";
    serde_json::from_value(page.script(script).await).unwrap()
}

/// Shows and checks a state of the page.
async fn check(page: &Page, screen: Screen, axe: Option<&str>, state: &str) {
    page.script("scrollTo(0, 0)").await;
    let name = format!("{screen:?}-{state}.png").to_lowercase();
    page.picture(&name).await;
    let width = "return document.documentElement.scrollWidth";
    assert_eq!(page.script(width).await, screen.size().0, "{name}");
    if let Some(axe) = axe {
        let broken = broken_rules(page, axe).await;
        assert!(broken.is_empty(), "{name}: {broken:?}");
    }
}

/// Twelve states of the page on a screen: nothing sticks out, and axe-core finds nothing on screens of
/// the usual sizes, in both themes.
async fn is_accessible(screen: Screen) {
    let axe = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/browser/node_modules/axe-core/axe.min.js"
    );
    let wanted = !matches!(screen, Screen::Small | Screen::Lying);
    let axe = fs::read_to_string(axe).ok().filter(|_| wanted);
    if wanted && axe.is_none() {
        crate::process::skip("axe-core is not there; 'npm ci --prefix tests/browser' fetches it");
    }
    first_visit(screen, async move |page: Page| {
        let check = async |state: &str| check(&page, screen, axe.as_deref(), state).await;
        check("start").await;
        page.click("start-analyse").await;
        page.says("White to place").await;
        check("board").await;
        page.load(FLYING).await;
        page.says("win in 21").await;
        // All of the board is on the screen, and a finger finds its points.
        let board = page.script("scrollTo(0, 0); return document.getElementById('board').getBoundingClientRect().bottom").await;
        assert!(board.as_f64().unwrap() <= f64::from(screen.size().1), "{screen:?}: {board}");
        let point = "return document.querySelector('#a1 .hit').getBoundingClientRect().width";
        let least = if screen == Screen::Lying { 30.0 } else { 36.0 };
        assert!(page.script(point).await.as_f64().unwrap() >= least);
        page.tab("turns").await;
        page.until("return !document.getElementById('best-line').hidden").await;
        page.script("document.getElementById('f6').dispatchEvent(new MouseEvent('click', { bubbles: true }))").await;
        check("values").await;
        page.click("hint").await;
        page.element_says("hint-words", "Hint").await;
        check("hint").await;
        page.load(MILL).await;
        page.says("win in 1").await;
        page.play("d1-a1").await;
        page.says("closed a mill").await;
        check("removal").await;
        page.play("b4").await;
        page.element_says("over-result", "White wins").await;
        check("over").await;
        page.click("back").await;
        page.play("d1-d2").await;
        page.says("blunder").await;
        page.tab("game").await;
        check("tree").await;
        page.load(WALKING).await;
        page.click("d7").await;
        page.element_says("problem", "not White’s").await;
        // The words stand where they can be seen without scrolling.
        let bottom = "return document.getElementById('problem').getBoundingClientRect().bottom - innerHeight";
        assert!(page.script(bottom).await.as_f64().unwrap() < 0.0 || screen == Screen::Small);
        check("reason").await;
        page.tab("setup").await;
        page.click("edit").await;
        page.element_says("edit-state", "legal").await;
        check("editor").await;
        page.click("edit-stop").await;
        page.tab("learn").await;
        check("learn").await;
        page.tab("options").await;
        check("options").await;
        page.choose("language", "de").await;
        page.tab("turns").await;
        page.says("Weiß zieht").await;
        check("german").await;
    })
    .await;
}

#[tokio::test]
async fn everybody_can_use_the_page_on_a_desk() {
    is_accessible(Screen::Desk).await;
}

#[tokio::test]
async fn everybody_can_use_the_page_in_the_dark() {
    is_accessible(Screen::Dark).await;
}

#[tokio::test]
async fn everybody_can_use_the_page_on_a_phone() {
    is_accessible(Screen::Phone).await;
    is_accessible(Screen::Small).await;
}

#[tokio::test]
async fn everybody_can_use_the_page_on_a_phone_that_lies() {
    is_accessible(Screen::Lying).await;
}
