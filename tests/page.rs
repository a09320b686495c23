//! The page of `millbase serve`, used in a real browser as people use it: by mouse, by keyboard, on
//! a phone, in the dark.
//!
//! Needs Chromium and its driver (Debian: `apt-get install chromium chromium-driver`); without them
//! the test says so and passes. With MILLBASE_SCREENSHOTS=FOLDER it leaves pictures there.
#![cfg(feature = "cli")]

use std::env;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::panic::resume_unwind;
use std::path::Path;
use std::process::{Child, Command, Stdio};
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

/// How long the page may take for what it is waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// A process that ends with the test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The first line of a process that contains the word, waited for.
fn line_with(child: &mut Child, word: &str) -> String {
    let out = child.stdout.take().expect("a pipe");
    let mut lines = BufReader::new(out).lines();
    let line = lines.find(|line| line.as_ref().is_ok_and(|line| line.contains(word)));
    // The process may go on writing.
    std::thread::spawn(move || lines.for_each(drop));
    line.expect("a line with the word").expect("text")
}

/// `millbase serve` with the built-in databases; its address.
fn server(home: &Path) -> (Process, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_millbase"))
        .args(["serve", "--json", "--listen", "127.0.0.1:0"])
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

/// The driver of the browser, `None` where there is none.
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
#[derive(Clone, Copy)]
enum Screen {
    Desk,
    Dark,
    Phone,
}

/// The page in a browser of its own.
#[derive(Clone)]
struct Page {
    client: Client,
    address: String,
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

/// Runs the story in a fresh browser; afterwards the browser must have had nothing to complain of.
async fn visit<S>(screen: Screen, story: impl FnOnce(Page) -> S)
where
    S: Future<Output = ()> + Send + 'static,
{
    let home = TempDir::new().unwrap();
    let Some((driver, driver_address)) = driver() else {
        // Not by a macro, whose text the test harness would hold back.
        let line = "skipped, because there is no chromium with chromedriver\n";
        let _ = io::stderr().write_all(line.as_bytes());
        return;
    };
    let (server, address) = server(home.path());
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
        "--window-size=1200,1100".to_owned(),
        format!("--user-data-dir={}", home.path().join("browser").display()),
    ];
    let dark = matches!(screen, Screen::Dark);
    args.push(format!(
        "--blink-settings=preferredColorScheme={}",
        u8::from(!dark)
    ));
    let mut options = json!({ "args": args });
    if let Screen::Phone = screen {
        let metrics = json!({ "width": 360, "height": 740, "pixelRatio": 2.0, "touch": true });
        options["mobileEmulation"] = json!({ "deviceMetrics": metrics });
    }
    let mut wishes = Capabilities::new();
    wishes.insert("goog:chromeOptions".to_owned(), options);
    wishes.insert("goog:loggingPrefs".to_owned(), json!({ "browser": "ALL" }));
    let client = ClientBuilder::new(HttpConnector::new())
        .capabilities(wishes)
        .connect(&driver_address)
        .await
        .expect("a browser");
    let page = Page { client, address };
    page.client.goto(&page.address).await.unwrap();
    page.says("White to place").await;
    let story = tokio::spawn(story(page.clone())).await;
    let logs = page.client.issue_cmd(Logs).await.unwrap();
    // The browser also notes each answer 404, which is how positions without a value are answered.
    let complaints: Vec<&Json> = logs.as_array().unwrap().iter().collect();
    let complaints: Vec<&&Json> = complaints
        .iter()
        .filter(|entry| !entry["message"].as_str().unwrap().contains("/probe?fen="))
        .collect();
    page.client.close().await.unwrap();
    drop((driver, server));
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

    /// What a screen reader says about a point.
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

    /// Loads a position by its text.
    async fn load(&self, position: &str) {
        self.write("position-text", position).await;
        self.click("position-load").await;
        let shown = format!(
            "return document.getElementById('turns').children.length && game[0].position === '{position}' && game.length === 1"
        );
        let start = Instant::now();
        while self.script(&shown).await != true {
            assert!(start.elapsed() < PATIENCE, "{position} is not loaded");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// The texts of the turns offered, best first where they have values.
    async fn turns(&self) -> Vec<String> {
        let script = "return [...document.querySelectorAll('#turns button span:first-of-type')].map(span => span.textContent)";
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

    /// Leaves a picture where the user wants them.
    async fn picture(&self, name: &str) {
        if let Some(folder) = env::var_os("MILLBASE_SCREENSHOTS") {
            // The bar takes a moment to come to its place.
            tokio::time::sleep(Duration::from_millis(500)).await;
            let picture = self.client.screenshot().await.unwrap();
            fs::write(Path::new(&folder).join(name), picture).unwrap();
        }
    }
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
        page.click("f6").await;
        assert_eq!(page.label("a4").await, "a4, empty, move here, win in 21");
        assert_eq!(page.label("a7").await, "a7, empty, move here, win in 23");
        assert!(page.is("a4", "best").await && page.is("a7", "win").await);
        assert!(!page.is("a7", "best").await && page.is("f6", "chosen").await);
        page.click("f6").await;
        // Each side makes its best turn; the winner needs as many turns as were announced.
        for left in (0..21).rev() {
            let turn = page.turns().await.remove(0);
            page.play(&turn).await;
            page.says(&format!("played {turn}.")).await;
            let value = page.text("value").await;
            match left {
                0 => assert_eq!(value, "White has won"),
                1 => assert_eq!(value, "White wins in 1 turn"),
                _ => assert_eq!(value, format!("White wins in {left} turns")),
            }
        }
        page.says("Black has lost: White wins the game.").await;
        assert!(page.turns().await.is_empty());
        let game = page.game().await;
        assert_eq!(game.len(), 21);
        assert!(
            game.iter().all(|turn| !turn.contains("blunder")),
            "{game:?}"
        );
        assert!(game[20].contains('x'), "{}", game[20]);
    })
    .await;
}

#[tokio::test]
async fn stones_are_removed_and_turns_taken_back() {
    visit(Screen::Desk, async |page: Page| {
        page.load(MILL).await;
        // Choosing and changing one's mind.
        page.click("d1").await;
        page.says("White moves the stone on d1").await;
        page.click("g7").await;
        page.says("White moves the stone on g7").await;
        page.click("b4").await;
        page.says("White to move: win in 1.").await;
        page.click("d1").await;
        page.click("a1").await;
        page.says("White closed a mill: choose the stone to remove.")
            .await;
        assert!(page.is("a1", "white").await && !page.is("d1", "white").await);
        assert_eq!(page.label("b4").await, "b4, black stone, remove, win in 1");
        assert!(!page.is("a4", "open").await);
        page.click("b4").await;
        page.says("Black has lost: White wins the game.").await;
        assert!(!page.is("b4", "black").await && page.is("b4", "taken").await);
        assert!(page.text("game").await.contains("d1-a1xb4"));

        page.click("back").await;
        page.says("White to move: win in 1.").await;
        assert!(page.is("b4", "black").await && page.is("d1", "white").await);
        assert_eq!(page.attribute("back", "disabled").await, "true");
        assert!(page.game().await.is_empty());

        // A turn that gives the win away is marked, and the game can be looked through.
        page.play("d1-d2").await;
        page.says("White played d1-d2, a blunder: win given away, now draw.")
            .await;
        assert!(page.game().await[0].contains("blunder"));
        assert_eq!(page.text("value").await, "Draw");
        let turn = page.turns().await.remove(0);
        page.play(&turn).await;
        page.says(&format!("Black played {turn}.")).await;
        page.script("document.querySelector('#game button').click()")
            .await;
        page.says("White played d1-d2").await;
        assert_eq!(page.game().await.len(), 2);
        assert!(page.is("d2", "last").await);
    })
    .await;
}

#[tokio::test]
async fn stones_are_placed_where_no_database_answers() {
    visit(Screen::Desk, async |page: Page| {
        page.element_says("value", "The value is not known here")
            .await;
        assert_eq!(page.label("d6").await, "d6, empty, place here");
        for turn in ["d6", "a1", "f6", "a4", "b6xa1"] {
            page.play(turn).await;
            page.says(&format!("played {turn}.")).await;
        }
        assert_eq!(page.label("a1").await, "a1, empty, place here");
        assert!(page.text("hand-white").await.contains("6 in hand"));
        assert!(page.text("hand-black").await.contains("7 in hand"));
        // The whole placing phase, and a turn of the moving phase.
        for _ in 5..19 {
            let turn = page.turns().await.remove(0);
            page.play(&turn).await;
            page.says(&format!("played {turn}.")).await;
        }
        assert_eq!(page.game().await.len(), 19);
        let turns = page.attribute("game-text", "value").await;
        assert!(turns.is_empty());
        let text = page
            .script("return document.getElementById('game-text').value")
            .await;
        assert!(
            text.as_str().unwrap().starts_with("d6 a1 f6 a4 b6xa1 "),
            "{text}"
        );
        // The perfect player cannot move without values, and says so.
        page.choose("black", "machine").await;
        page.says("The perfect player has no answer here").await;
    })
    .await;
}

#[tokio::test]
async fn the_perfect_player_plays_either_side_or_both() {
    visit(Screen::Desk, async |page: Page| {
        page.load(SHORT).await;
        page.choose("white", "machine").await;
        for left in [6, 4, 2] {
            page.says(&format!(
                "Black to move, any empty point is free: loss in {left}."
            ))
            .await;
            let turn = page.turns().await.remove(0);
            page.play(&turn).await;
        }
        page.says("Black has lost: White wins the game.").await;
        // Taking back leads to a position where the hand is to move.
        page.click("back").await;
        page.says("Black to move, any empty point is free: loss in 2.")
            .await;
        assert_eq!(page.game().await.len(), 5);

        page.choose("white", "hand").await;
        page.choose("black", "machine").await;
        page.says("White to move").await;
        page.choose("white", "machine").await;
        page.says("Black has lost: White wins the game.").await;
        assert_eq!(page.game().await.len(), 7);

        // Between two machines the game can be stopped at any moment.
        page.click("pause").await;
        page.load(SHORT).await;
        tokio::time::sleep(Duration::from_millis(900)).await;
        assert!(page.game().await.is_empty());
        assert_eq!(page.text("pause").await, "Go on");
        page.click("pause").await;
        page.says("White played").await;
    })
    .await;
}

#[tokio::test]
async fn everything_works_by_keyboard() {
    visit(Screen::Desk, async |page: Page| {
        // The board is one stop of the tab key; arrows go along the lines.
        page.press(&[Key::Tab]).await;
        assert_eq!(page.focused().await, "d7");
        let ring = "return getComputedStyle(document.querySelector('#d7 .focus')).display";
        assert_eq!(page.script(ring).await, "inline");
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
        assert_eq!(page.focused().await, "new");

        page.load(MILL).await;
        page.script("document.getElementById('d1').focus()").await;
        page.press(&[Key::Enter]).await;
        page.says("White moves the stone on d1").await;
        page.press(&[Key::Escape]).await;
        page.says("White to move").await;
        page.press(&[Key::Enter, Key::Left, Key::Enter]).await;
        page.says("White closed a mill").await;
        page.press(&[Key::Up, Key::Right, Key::Enter]).await;
        page.says("White played d1-a1xb4. Black has lost").await;
    })
    .await;
}

#[tokio::test]
async fn positions_and_games_are_loaded_from_texts() {
    visit(Screen::Desk, async |page: Page| {
        page.write("position-text", "nonsense").await;
        page.click("position-load").await;
        page.element_says("problem", "The board has 8 characters")
            .await;
        page.load(FLYING).await;
        assert_eq!(page.text("problem").await, "");

        // Numbers are skipped, a removal may stand alone, and a wrong turn is named.
        page.write("game-text", "1. d6 a1 2. f6 a4 3. b6 xa1").await;
        page.click("game-load").await;
        page.says("White played b6xa1.").await;
        assert_eq!(page.game().await.len(), 5);
        page.write("game-text", "d6 a1 d6 a4").await;
        page.click("game-load").await;
        page.element_says("problem", "Turn 3, 'd6', is not legal there")
            .await;
        assert_eq!(page.game().await.len(), 2);

        // A game that does not begin with the empty board carries its first position.
        let text = format!("{FLYING}\na1-e4");
        let script = format!(
            "document.getElementById('game-text').value = {}",
            json!(text)
        );
        page.script(&script).await;
        page.click("game-load").await;
        page.says("White played a1-e4.").await;
        let shown = page
            .script("return document.getElementById('game-text').value")
            .await;
        assert_eq!(shown, text);
        page.script("document.execCommand = what => document.title = what")
            .await;
        page.script("navigator.clipboard.writeText = text => { document.title = text }")
            .await;
        page.click("game-copy").await;
        let title = page
            .script("return document.title.replace(/ a1-e4$/, '\\na1-e4')")
            .await;
        assert_eq!(title, text);

        // An address can name a position.
        let address = format!("{}#fen={}", page.address, MILL.replace(' ', "%20"));
        page.client.goto(&address).await.unwrap();
        page.says("White to move: win in 1.").await;
    })
    .await;
}

/// The contrast of the page's colours, by the formula of the Web Content Accessibility Guidelines.
const CONTRASTS: &str = "
    const style = getComputedStyle(document.documentElement);
    const light = name => {
        const hex = style.getPropertyValue('--' + name).trim();
        const [r, g, b] = [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16) / 255)
            .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    return [['ink', 'page'], ['ink', 'card'], ['muted', 'card'], ['muted', 'page'], ['ink', 'button'],
        ['on-accent', 'accent'], ['on-badge', 'win'], ['on-badge', 'draw'], ['on-badge', 'loss'],
        ['label', 'board'], ['grid', 'board']].map(([a, b]) => {
        const [dark, bright] = [light(a), light(b)].sort((x, y) => x - y);
        return [a + ' on ' + b, (bright + 0.05) / (dark + 0.05)];
    });";

async fn has_contrast(page: &Page) {
    let contrasts = page.script(CONTRASTS).await;
    let contrasts: Vec<(String, f64)> = serde_json::from_value(contrasts).unwrap();
    for (colours, contrast) in contrasts {
        assert!(contrast >= 4.5, "{colours}: {contrast}");
    }
}

#[tokio::test]
async fn the_page_follows_the_colours_of_the_system() {
    let background = "return getComputedStyle(document.body).backgroundColor";
    visit(Screen::Dark, async move |page: Page| {
        assert_eq!(page.script(background).await, "rgb(22, 20, 18)");
        has_contrast(&page).await;
        page.load(FLYING).await;
        page.play("a1-a4").await;
        page.says("Black to move").await;
        page.picture("page-dark.png").await;
    })
    .await;
    visit(Screen::Desk, async move |page: Page| {
        assert_eq!(page.script(background).await, "rgb(243, 239, 231)");
        has_contrast(&page).await;
        page.load(FLYING).await;
        for turn in ["a1-e4", "f4-f2", "e4-a1", "b4-b2"] {
            page.play(turn).await;
            page.says(&format!("played {turn}")).await;
        }
        page.click("e3").await;
        page.picture("page.png").await;
    })
    .await;
}

#[tokio::test]
async fn the_page_fits_a_phone() {
    visit(Screen::Phone, async |page: Page| {
        page.load(FLYING).await;
        let width = "return [innerWidth, document.documentElement.scrollWidth]";
        assert_eq!(page.script(width).await, json!([360, 360]));
        // All of the board is on the screen, and a finger finds its points.
        let point = "return document.querySelector('#a1 .hit').getBoundingClientRect().width";
        assert!(page.script(point).await.as_f64().unwrap() >= 40.0);
        page.script("scrollTo(0, 0)").await;
        page.picture("page-phone.png").await;
        page.play("a1-e4").await;
        page.says("White played a1-e4.").await;
        page.click("back").await;
        page.says("White to move").await;
    })
    .await;
}
