//! A client of a browser's driver: the commands of the WebDriver protocol
//! (<https://www.w3.org/TR/webdriver2/>) that the tests of the page need. A command that fails ends
//! the test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value as Json, json};

/// The longest time to wait for an answer of the driver.
const PATIENCE: Duration = Duration::from_secs(60);

/// The name of the field with an element's number, a constant of the protocol.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Keys without a character of their own.
pub mod key {
    pub const TAB: char = '\u{e004}';
    pub const ENTER: char = '\u{e007}';
    pub const ESCAPE: char = '\u{e00c}';
    pub const END: char = '\u{e010}';
    pub const LEFT: char = '\u{e012}';
    pub const RIGHT: char = '\u{e014}';
}

/// A browser, until this is dropped.
pub struct Browser {
    /// Host and port of the driver.
    driver: String,
    session: String,
}

impl Browser {
    /// Starts a browser with these capabilities.
    pub fn start(driver: String, wishes: &Json) -> Browser {
        let wishes = json!({ "capabilities": { "alwaysMatch": wishes } });
        let answer = ask(&driver, "POST", "/session", Some(&wishes));
        let session = answer["sessionId"].as_str().expect("a session");
        let session = format!("/session/{session}");
        Browser { driver, session }
    }

    fn get(&self, path: &str) -> Json {
        let path = format!("{}/{path}", self.session);
        ask(&self.driver, "GET", &path, None)
    }

    fn post(&self, path: &str, body: Json) -> Json {
        let path = format!("{}/{path}", self.session);
        ask(&self.driver, "POST", &path, Some(&body))
    }

    pub fn go_to(&self, address: &str) {
        self.post("url", json!({ "url": address }));
    }

    pub fn refresh(&self) {
        self.post("refresh", json!({}));
    }

    pub fn address(&self) -> String {
        text(self.get("url"))
    }

    /// Runs a script and returns what it returns.
    pub fn script(&self, script: &str) -> Json {
        self.post("execute/sync", json!({ "script": script, "args": [] }))
    }

    /// Runs a script in each page that is opened from now on, before its own scripts.
    pub fn script_first(&self, script: &str) {
        let params = json!({ "source": script });
        self.tool("Page.addScriptToEvaluateOnNewDocument", params);
    }

    /// Lets the page show motion, which the tests otherwise do without: drawing it takes a third of their time.
    pub fn show_motion(&self) {
        let motion = json!({ "name": "prefers-reduced-motion", "value": "no-preference" });
        self.tool(
            "Emulation.setEmulatedMedia",
            json!({ "features": [motion] }),
        );
    }

    /// Runs a command of Chromium's developer tools.
    fn tool(&self, command: &str, params: Json) {
        let body = json!({ "cmd": command, "params": params });
        self.post("goog/cdp/execute", body);
    }

    /// The path of the element with this selector.
    fn element(&self, selector: &str) -> String {
        let wish = json!({ "using": "css selector", "value": selector });
        let found = self.post("element", wish);
        format!("element/{}", found[ELEMENT].as_str().expect("an element"))
    }

    fn with_id(&self, id: &str) -> String {
        self.element(&format!("[id='{id}']"))
    }

    /// The visible text of an element.
    pub fn text(&self, id: &str) -> String {
        text(self.get(&format!("{}/text", self.with_id(id))))
    }

    /// An attribute of an element; empty if it has none.
    pub fn attribute(&self, id: &str, name: &str) -> String {
        let path = format!("{}/attribute/{name}", self.with_id(id));
        self.get(&path).as_str().unwrap_or_default().to_owned()
    }

    /// Clicks on an element, also if the page draws it anew at this moment.
    pub fn click(&self, id: &str) {
        let path = format!("{}/{}/click", self.session, self.with_id(id));
        let answer = try_ask(&self.driver, "POST", &path, Some(&json!({})));
        if !answer.is_ok_and(|answer| answer["value"].is_null()) {
            self.post(&format!("{}/click", self.with_id(id)), json!({}));
        }
    }

    /// Replaces the text of a field.
    pub fn write(&self, id: &str, text: &str) {
        let element = self.with_id(id);
        self.post(&format!("{element}/clear"), json!({}));
        self.post(&format!("{element}/value"), json!({ "text": text }));
    }

    /// Chooses an option of a list by its value.
    pub fn choose(&self, id: &str, option: &str) {
        let element = self.element(&format!("[id='{id}'] option[value='{option}']"));
        self.post(&format!("{element}/click"), json!({}));
    }

    /// Presses and releases keys where the focus is, one after the other.
    pub fn press(&self, keys: &[char]) {
        let strokes = keys.iter().flat_map(|key| {
            ["keyDown", "keyUp"].map(|action| json!({ "type": action, "value": key }))
        });
        let strokes: Vec<Json> = strokes.collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": strokes });
        self.post("actions", json!({ "actions": [keyboard] }));
    }

    /// Presses at the centre of the element with this selector, moves by this distance in pixels in two steps, and releases.
    pub fn drag(&self, selector: &str, x: i32, y: i32) {
        let centre = self.script(&format!(
            "const {{ x, y, width, height }} = document.querySelector('{selector}').getBoundingClientRect();
             return [x + width / 2, y + height / 2].map(Math.round)"
        ));
        let [from_x, from_y] = [0, 1].map(|at| centre[at].as_i64().expect("a number") as i32);
        // Not from the element, which the page may draw again meanwhile.
        let to = |x: i32, y: i32| json!({ "type": "pointerMove", "duration": 50, "x": from_x + x, "y": from_y + y });
        let actions = json!([
            to(0, 0), { "type": "pointerDown", "button": 0 }, to(x / 2, y / 2), to(x, y), { "type": "pointerUp", "button": 0 },
        ]);
        let mouse = json!({ "type": "pointer", "id": "mouse", "actions": actions });
        self.post("actions", json!({ "actions": [mouse] }));
    }

    /// The page as a PNG file.
    pub fn picture(&self) -> Vec<u8> {
        from_base64(&text(self.get("screenshot")))
    }

    /// The messages that the browser has logged since the last call.
    pub fn logs(&self) -> Vec<Json> {
        let logs = self.post("se/log", json!({ "type": "browser" }));
        logs.as_array().expect("a list").clone()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = try_ask(&self.driver, "DELETE", &self.session, None);
    }
}

fn text(json: Json) -> String {
    json.as_str().expect("a text").to_owned()
}

fn ask(driver: &str, method: &str, path: &str, body: Option<&Json>) -> Json {
    let answer = try_ask(driver, method, path, body);
    let answer = answer.unwrap_or_else(|error| panic!("{method} {path}: {error}"));
    let value = &answer["value"];
    assert!(
        value.get("error").is_none(),
        "{method} {path}, {body:?}: {value}"
    );
    value.clone()
}

fn try_ask(driver: &str, method: &str, path: &str, body: Option<&Json>) -> std::io::Result<Json> {
    let mut stream = TcpStream::connect(driver)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let body = body.map(Json::to_string).unwrap_or_default();
    let length = body.len();
    let head =
        format!("{method} {path} HTTP/1.1\r\nHost: {driver}\r\nContent-Length: {length}\r\n");
    stream.write_all(format!("{head}Connection: close\r\n\r\n{body}").as_bytes())?;
    let mut answer = BufReader::new(stream);
    let mut length = 0;
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        if answer.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        if let Some(number) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = number.trim().parse().expect("a length");
        }
    }
    let mut body = vec![0; length];
    answer.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}

/// The bytes of a text in Base64, which is well formed.
fn from_base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text
        .bytes()
        .filter_map(|byte| DIGITS.iter().position(|&digit| digit == byte));
    let digits: Vec<usize> = digits.collect();
    let bytes = digits.chunks(4).flat_map(|digits| {
        let number = (0..4).fold(0, |sum, place| sum << 6 | digits.get(place).unwrap_or(&0));
        let bytes = [number >> 16, number >> 8, number].map(|byte| byte as u8);
        bytes.into_iter().take(digits.len() - 1)
    });
    bytes.collect()
}
