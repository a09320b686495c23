//! The page of `millbase serve`, used in a real browser as people use it: by mouse, by keyboard, on
//! a phone, in the dark.
//!
//! Needs Chromium and its driver (Debian: `apt-get install chromium-headless-shell chromium-driver`; any
//! Chromium or Chrome will do, but its shell without windows starts in half the time), and for the check of
//! accessibility `npm ci --prefix tests/program/browser`. Without these the tests are skipped with a message, or
//! fail if CI is set. With MILLBASE_SCREENSHOTS=FOLDER the tests write screenshots there.
//!
//! With MILLBASE_SITE=FOLDER they use the page of a folder that `tools/site` wrote with the databases of
//! `db/`, served by nginx: the same page with the module in place of the server. The ignored tests need
//! such a folder. `tools/test-bindings site` runs all of them.

use std::cell::RefCell;
use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use millbase::{Position, Rules};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::common::root;
use crate::process::{self, Guard};
use crate::webdriver::Browser;

/// White flies and wins in 21.
pub const FLYING: &str = "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 0 1";

/// White closes a mill with d1-a1 (or another stone) and removes one of three stones.
pub const MILL: &str = "********/@*****@*/*OO@O*OO w m s 5 0 3 0 0 0 -1 -1 -1 -1 0 0 1";

/// White flies and wins in 7.
pub const SHORT: &str = "*@O*****/***O****/O*@***@* w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1";

/// Six stones against four, which no embedded database has.
pub const LARGER: &str = "OOO*****/O*O**O**/*@*@*@*@ w m s 6 0 4 0 0 0 -1 -1 -1 -1 0 0 1";

/// Four stones on each side, without threats.
pub const WALKING: &str = "O*O*****/O*O*****/@@**@@** w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1";

/// The longest time to wait for a change of the page.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// The time between two looks at the page, each of which takes milliseconds of the browser's time.
const POLL: Duration = Duration::from_millis(30);

/// The browsers that show the page, the quickest first. Debian's script `chromium-headless-shell` is left
/// out: it starts the program as another process, which ChromeDriver does not end.
pub const BROWSERS: &[&str] = &[
    "/usr/lib/chromium/chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
];

/// Waits for the first line of a process that contains the word; `None` if it ends without one.
pub fn line_with(child: &mut Child, word: &str) -> Option<String> {
    let out = child.stdout.take().expect("a pipe");
    let mut lines = BufReader::new(out).lines();
    let line = lines.find(|line| line.as_ref().is_ok_and(|line| line.contains(word)));
    // The process may go on writing.
    thread::spawn(move || lines.for_each(drop));
    line?.ok()
}

/// Starts `millbase serve` with the built-in databases at an address; returns the actual address.
pub fn server(home: &Path, listen: &str) -> (Guard, String) {
    server_with(home, listen, &[])
}

/// [`server`] with further options.
pub fn server_with(home: &Path, listen: &str, options: &[&str]) -> (Guard, String) {
    let serve = ["serve", "--json", "--listen", listen];
    let mut command = process::program(home, &[&serve[..], options].concat());
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let line = line_with(&mut child, "listening").expect("a server");
    let ready: Json = serde_json::from_str(&line).unwrap();
    let address = ready["listening"].as_str().unwrap().to_owned();
    (Guard(child), address)
}

/// Serves a site with nginx as its README says, at a port and below `/mill/`; returns the address.
pub fn host(home: &Path, site: &Path, port: u16) -> (Guard, String) {
    let readme = fs::read_to_string(site.join("README.md")).expect("the README of the site");
    let block = readme.split("```nginx").nth(1).expect("a configuration");
    let block = block.split("```").next().unwrap_or_default();
    let site = site.canonicalize().expect("the site's folder");
    let block = block.replace("/srv/mill", &site.display().to_string());
    let block = block.replace("listen 8080", &format!("listen 127.0.0.1:{port}"));
    let home = home.display();
    let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let folders = folders.map(|name| format!("{name}_temp_path {home}/{name};"));
    let text = format!(
        "daemon off; master_process off; pid {home}/nginx.pid; error_log stderr crit;\n\
         events {{ worker_connections 256; }}\n\
         http {{ access_log off; {}\n{block} }}\n",
        folders.concat()
    );
    let file = format!("{home}/nginx.conf");
    fs::write(&file, text).expect("a file");
    let nginx = Command::new("nginx")
        .args(["-e", "stderr", "-c", &file])
        .spawn()
        .expect("nginx (Debian: apt-get install nginx)");
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(start.elapsed() < PATIENCE, "nginx does not listen");
        thread::sleep(Duration::from_millis(10));
    }
    (Guard(nginx), format!("http://127.0.0.1:{port}/mill/"))
}

/// A port that was free a moment ago.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("its number").port()
}

/// The folder of the site to test; `None` if the page of `serve` is tested.
pub fn site() -> Option<PathBuf> {
    env::var_os("MILLBASE_SITE").map(PathBuf::from)
}

/// The first of these programs that is installed: a path, or a name in a folder of PATH.
pub fn installed(names: &[&str]) -> Option<PathBuf> {
    let folders = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&folders).collect();
    let files = |name| folders.iter().map(move |folder| folder.join(name));
    names.iter().flat_map(files).find(|file| file.is_file())
}

/// Starts the driver of the browser, with its files in a folder; returns its address.
pub fn driver(home: &Path) -> (Guard, String) {
    // It takes a port of IPv4 and ends if the same one of IPv6 is not free.
    for _ in 0..5 {
        let mut child = Command::new("chromedriver")
            .arg("--port=0")
            .env("TMPDIR", home)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let line = line_with(&mut child, "started successfully on port");
        let driver = Guard(child);
        if let Some(line) = line {
            let port = line.trim_end_matches('.').rsplit(' ').next().unwrap();
            return (driver, format!("127.0.0.1:{port}"));
        }
    }
    panic!("chromedriver does not start");
}

/// How the browser shows the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Screen {
    Desk,
    Dark,
    Phone,
    Lying,
    Small,
    Short,
    Large,
}

impl Screen {
    /// Width and height.
    pub fn size(self) -> (u32, u32) {
        match self {
            Screen::Desk | Screen::Dark => (1280, 800),
            Screen::Phone => (390, 844),
            Screen::Lying => (844, 390),
            Screen::Small => (320, 640),
            Screen::Short => (480, 320),
            Screen::Large => (1920, 1080),
        }
    }

    pub fn is_phone(self) -> bool {
        !matches!(self, Screen::Desk | Screen::Dark | Screen::Large)
    }
}

/// The page in a browser of its own.
pub struct Page {
    pub browser: Browser,
    pub address: String,
    /// The server, which a story may end.
    pub server: RefCell<Option<Guard>>,
}

/// Runs the story in a fresh browser, after choosing to analyse.
pub fn visit(screen: Screen, story: impl FnOnce(&Page)) {
    first_visit(screen, |page| {
        page.click("start-analyse");
        page.until("return document.getElementById('home').hidden");
        page.tab("game");
        story(page);
    });
}

/// [`visit`] for stories that are no other on a static host, where they do not run again.
pub fn visit_served(screen: Screen, story: impl FnOnce(&Page)) {
    if site().is_none() {
        visit(screen, story);
    }
}

/// Runs the story in a fresh browser; afterwards the browser must have logged no error.
pub fn first_visit(screen: Screen, story: impl FnOnce(&Page)) {
    first_visit_but_for(&[], screen, story);
}

/// [`first_visit`] with errors about what these words name, which the story causes.
pub fn first_visit_but_for(caused: &[&str], screen: Screen, story: impl FnOnce(&Page)) {
    let home = TempDir::new().unwrap();
    let (Some(chromium), Some(_)) = (installed(BROWSERS), installed(&["chromedriver"])) else {
        return crate::process::skip("chromium or chromedriver is missing");
    };
    // Dropped after the browser.
    let (_driver, driver_address) = driver(home.path());
    let light = u8::from(screen != Screen::Dark);
    let args = format!(
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
         --disable-background-networking --disable-component-update --disable-sync \
         --hide-scrollbars --force-prefers-reduced-motion --lang=en \
         --blink-settings=preferredColorScheme={light}"
    );
    let mut options = json!({ "binary": chromium, "args": process::split(&args) });
    // On a desktop, the emulation only sets the size of the page, which differs from the window's.
    let (width, height) = screen.size();
    let phone = screen.is_phone();
    let metrics = json!({
        "width": width, "height": height, "pixelRatio": 1.0, "touch": phone, "mobile": phone,
    });
    options["mobileEmulation"] = json!({ "deviceMetrics": metrics });
    let wishes = json!({
        "goog:chromeOptions": options,
        "goog:loggingPrefs": { "browser": "ALL" },
    });
    let page = Page::open(home.path(), Browser::start(driver_address, &wishes));
    story(&page);
    // The browser also logs each answer 404 (for positions without a value), answers to illegal
    // positions, and a server that is gone.
    let mut complaints = page.browser.logs();
    complaints.retain(|entry| {
        let message = entry["message"].as_str().unwrap();
        let expected = [
            "/rank?",
            "/explain?",
            "status of 400",
            "ERR_CONNECTION_",
            "ERR_EMPTY_RESPONSE",
            // Words of another language than the browser's.
            "was preloaded using link preload",
        ];
        let mut expected = expected.iter().chain(caused);
        !expected.any(|words| message.contains(words))
    });
    assert!(complaints.is_empty(), "{complaints:?}");
}

/// Runs the story in a fresh Firefox.
pub fn visit_in_firefox(story: impl FnOnce(&Page)) {
    let home = TempDir::new().unwrap();
    let programs = [&["firefox-esr", "firefox"][..], &["geckodriver"]];
    let [Some(firefox), Some(geckodriver)] = programs.map(installed) else {
        return crate::process::skip("firefox or geckodriver is missing");
    };
    let port = free_port();
    let driver = Command::new(geckodriver)
        .args(["--port", &port.to_string()])
        .envs([("TMPDIR", home.path()), ("HOME", home.path())])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    // Dropped after the browser.
    let _driver = Guard(driver.unwrap());
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(start.elapsed() < PATIENCE, "geckodriver does not listen");
        thread::sleep(Duration::from_millis(10));
    }
    let options = json!({
        "binary": firefox, "args": ["-headless", "--width=1200", "--height=900"], "prefs": { "intl.accept_languages": "en" },
    });
    let wishes = json!({ "moz:firefoxOptions": options });
    let browser = Browser::start(format!("127.0.0.1:{port}"), &wishes);
    story(&Page::open(home.path(), browser));
}

impl Deref for Page {
    type Target = Browser;

    fn deref(&self) -> &Browser {
        &self.browser
    }
}

impl Page {
    /// Starts a server, and opens its page in a browser.
    pub fn open(home: &Path, browser: Browser) -> Page {
        let (server, address) = match site() {
            Some(site) => host(home, &site, free_port()),
            None => server(home, "127.0.0.1:0"),
        };
        let page = Page {
            browser,
            address,
            server: RefCell::new(Some(server)),
        };
        page.browser.go_to(&page.address);
        // The board is drawn behind the start screen as soon as the rules are known.
        page.until(
            "return !document.getElementById('home').hidden \
             && document.querySelectorAll('.point.open').length === 24",
        );
        page
    }

    /// The text of a screen reader for a point.
    pub fn label(&self, point: &str) -> String {
        self.attribute(point, "aria-label")
    }

    /// Whether a point is drawn in this way.
    pub fn is(&self, point: &str, class: &str) -> bool {
        let classes = self.attribute(point, "class");
        classes.split(' ').any(|one| one == class)
    }

    /// Waits until the line below the board says so.
    pub fn says(&self, words: &str) {
        self.element_says("status", words);
    }

    pub fn element_says(&self, id: &str, words: &str) {
        let start = Instant::now();
        loop {
            let text = self.text(id);
            if text.contains(words) {
                return;
            }
            let is_late = start.elapsed() >= PATIENCE;
            assert!(!is_late, "'{words}' does not come, but '{text}'");
            thread::sleep(POLL);
        }
    }

    pub fn focused(&self) -> String {
        let id = self.script("return document.activeElement.id");
        id.as_str().unwrap().to_owned()
    }

    /// Ends the server, which then does not answer.
    pub fn end_server(&self) {
        *self.server.borrow_mut() = None;
    }

    /// Loads the page again and waits until it has drawn the game.
    pub fn refresh(&self) {
        self.browser.refresh();
        self.until("return document.getElementById('status').textContent !== ''");
    }

    /// Opens the tab with this name.
    pub fn tab(&self, name: &str) {
        self.click(&format!("tab-{name}"));
    }

    /// Waits until a script returns true.
    pub fn until(&self, script: &str) {
        let start = Instant::now();
        while self.script(script) != true {
            assert!(start.elapsed() < PATIENCE, "never true: {script}");
            thread::sleep(POLL);
        }
    }

    /// The position that is shown.
    pub fn position(&self) -> Position {
        let text = self.script("return document.getElementById('position-text').value");
        Position::parse(text.as_str().unwrap(), &Rules::STANDARD).unwrap()
    }

    /// Opens the address of a position.
    pub fn load(&self, position: &str) {
        self.script("document.activeElement.blur()");
        let short: Vec<&str> = position.split(' ').take(10).collect();
        let short = short.join(" ");
        let address = format!("location.hash = 'fen=' + encodeURIComponent('{short}')");
        self.script(&address);
        self.until(&format!(
            "return document.getElementById('position-text').value.startsWith('{short}') \
             && document.getElementById('game').hidden \
             && document.getElementById('turns').children.length > 0"
        ));
    }

    /// The paths asked since the last call.
    pub fn asked(&self) -> Vec<String> {
        let script = "const asked = performance.getEntriesByType('resource'); \
                      performance.clearResourceTimings(); \
                      const paths = asked.map(({ name }) => new URL(name).pathname); \
                      return paths.filter(path => !path.startsWith('/page/'))";
        serde_json::from_value(self.script(script)).unwrap()
    }

    /// The turns that are offered, as they are listed.
    pub fn turns(&self) -> Vec<String> {
        let script =
            "return [...document.querySelectorAll('#turns .turn')].map(turn => turn.textContent)";
        serde_json::from_value(self.script(script)).unwrap()
    }

    /// The labels of the turns played.
    pub fn game(&self) -> Vec<String> {
        let script =
            "return [...document.querySelectorAll('#game button')].map(button => button.ariaLabel)";
        serde_json::from_value(self.script(script)).unwrap()
    }

    /// Plays a turn, and waits until the page says so.
    pub fn make(&self, turn: &str) {
        self.play(turn);
        self.says(&format!("played {turn}."));
    }

    /// Loads a text as a game.
    pub fn load_game(&self, text: &str) {
        self.write("game-text", text);
        self.click("game-load");
    }

    /// [`Page::load_game`] with a text that is pasted, not typed.
    pub fn paste_game(&self, text: &str) {
        let field = "document.getElementById('game-text')";
        self.script(&format!("{field}.value = {}", json!(text)));
        self.click("game-load");
    }

    /// Loads a text as a position.
    pub fn load_position(&self, text: &str) {
        self.write("position-text", text);
        self.click("position-load");
    }

    /// The text of the game.
    pub fn game_text(&self) -> Json {
        self.script("return document.getElementById('game-text').value")
    }

    /// Opens the fragment of an address on the page.
    pub fn follow(&self, address: &str) {
        self.script(&format!("location.hash = '{address}'"));
    }

    /// Whether a condition holds on the page.
    pub fn holds(&self, condition: &str) -> bool {
        self.script(&format!("return {condition}")) == true
    }

    /// How many elements of the page this selector finds.
    pub fn count(&self, selector: &str) -> u64 {
        let script = format!("return document.querySelectorAll(\"{selector}\").length");
        self.script(&script).as_u64().unwrap()
    }

    /// Keeps the file that the page saves, and its name, in its window.
    pub fn keep_saved_file(&self) {
        self.script(
            "URL.createObjectURL = blob => { window.saved = blob; return 'blob:'; };
             HTMLAnchorElement.prototype.click = function () { window.savedName = this.download; }",
        );
    }

    /// Clicks the points of a turn, one after the other.
    pub fn play(&self, turn: &str) {
        for point in turn.split(['-', 'x']) {
            // A point is open once the answer to the question for the turns has arrived.
            self.opens(point);
            self.click(point);
        }
    }

    /// Waits until a point may be chosen.
    pub fn opens(&self, point: &str) {
        let is_open = format!("document.getElementById('{point}').classList.contains('open')");
        self.until(&format!("return {is_open}"));
    }

    /// Saves a screenshot if the user wants them.
    pub fn picture(&self, name: &str) {
        if let Some(folder) = env::var_os("MILLBASE_SCREENSHOTS") {
            // The bar takes a moment to reach its position.
            thread::sleep(Duration::from_millis(500));
            let picture = self.browser.picture();
            fs::write(Path::new(&folder).join(name), picture).unwrap();
        }
    }
}

/// The rules of axe-core that the page breaks now, in words.
pub fn broken_rules(page: &Page, axe: &str) -> Vec<String> {
    if page.script("return window.axe === undefined") == true {
        page.script(axe);
    }
    let script = "
        const { violations } = await axe.run({ resultTypes: ['violations'] });
        return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0].html}`);";
    serde_json::from_value(page.script(script)).unwrap()
}

/// Shows and checks a state of the page.
pub fn check(page: &Page, screen: Screen, axe: Option<&str>, state: &str) {
    page.script("scrollTo(0, 0)");
    let name = format!("{screen:?}-{state}.png").to_lowercase();
    page.picture(&name);
    let width = "return document.documentElement.scrollWidth";
    assert_eq!(page.script(width), screen.size().0, "{name}");
    if let Some(axe) = axe {
        let broken = broken_rules(page, axe);
        assert!(broken.is_empty(), "{name}: {broken:?}");
    }
}

/// The text of axe-core, for screens of the usual sizes.
pub fn axe(screen: Screen) -> Option<String> {
    let file = root().join("tests/program/browser/node_modules/axe-core/axe.min.js");
    let wanted = !matches!(screen, Screen::Small | Screen::Lying);
    let axe = fs::read_to_string(file).ok().filter(|_| wanted);
    if wanted && axe.is_none() {
        process::skip("axe-core is missing; 'npm ci --prefix tests/program/browser' fetches it");
    }
    axe
}
