//! Tests of builds that the server makes on request.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{FLYING, LARGER};
use crate::process::{self, has};
use crate::serve::{Reply, Server};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// The headers with which the server's own page asks for a build.
fn own_headers(server: &Server) -> String {
    format!("Host: {}\r\nX-Millbase: build\r\n", server.address)
}

/// Asks with these headers for a build of this, a query.
fn ask_to_build(server: &Server, headers: &str, what: &str) -> Reply {
    ask_about_build(server, "POST", headers, what)
}

fn ask_about_build(server: &Server, method: &str, headers: &str, what: &str) -> Reply {
    let request = format!("{method} /build?{what} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n");
    Reply::read(&server.exchange(request.as_bytes()))
}

/// Builds what a query says; returns the answers at the beginning and at the end.
pub fn build(server: &Server, what: &str) -> [Reply; 2] {
    let begun = ask_to_build(server, &own_headers(server), what);
    [begun, wait_for_build(server, "finished")]
}

/// Waits until the build has this state.
fn wait_for_build(server: &Server, wanted: &str) -> Reply {
    let start = Instant::now();
    loop {
        let state = server.get("/build");
        if state.json()["state"] == wanted {
            return state;
        }
        assert!(
            start.elapsed() < Duration::from_secs(240),
            "{}",
            state.json()
        );
        thread::sleep(Duration::from_millis(20));
    }
}

fn wait_for_file(path: &Path) {
    let start = Instant::now();
    while !path.exists() {
        assert!(start.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(20));
    }
}

fn assert_only_databases(folder: &Path) {
    for file in fs::read_dir(folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(name.ends_with(".mill"), "{name}");
    }
}

#[test]
fn a_build_is_the_one_that_was_asked_for() {
    let own = TempDir::new().unwrap();
    let folder = own.path().join("new").display().to_string();
    let server = Server::start(&["--db", &folder, "--quiet"]);
    let here = own_headers(&server);
    for (what, words) in [
        ("stone=6", "unknown field `stone`"),
        ("stones=5", "from 6 to 24"),
        ("stones=25", "from 6 to 24"),
        ("stones=7&placing=true", "leave out 'stones'"),
        ("placing=true&rules=lasker", "leave out 'placing'"),
    ] {
        ask_to_build(&server, &here, what).fails_with(400, "invalid", words);
    }
    let idle = server.get("/build").json();
    has!(idle, {"state": "idle", "rules": null});
    // All pairs take minutes. Another build has to wait for them.
    for _ in 0..2 {
        assert_eq!(ask_to_build(&server, &here, "rules=no-flying").status, 202);
    }
    for what in ["rules=no-flying&stones=6", "rules=twelve", ""] {
        ask_to_build(&server, &here, what).fails_with(503, "busy", "other databases");
    }
    for question in ["/build", "/build?rules=no-flying"] {
        let running = server.get(question).json();
        assert_eq!(
            (&running["state"], &running["rules"]["name"]),
            (&json!("pairs"), &json!("no-flying"))
        );
    }
    // A build stops on request; its finished files stay, nothing else does, and another one can begin.
    let first = Path::new(&folder).join("no-flying/3-3.mill");
    wait_for_file(&first);
    let elsewhere = format!("Host: {}\r\n", server.address);
    ask_about_build(&server, "DELETE", &elsewhere, "").fails_with(403, "forbidden", "");
    assert_eq!(ask_about_build(&server, "DELETE", &here, "").status, 202);
    let stopped = wait_for_build(&server, "stopped").json();
    assert_eq!(stopped["error"], Json::Null);
    assert_only_databases(first.parent().unwrap());
    assert_eq!(ask_to_build(&server, &here, "stones=6").status, 202);
    wait_for_build(&server, "finished");
    assert_eq!(ask_about_build(&server, "DELETE", &here, "").status, 202);
    assert_eq!(server.get("/build").json()["state"], "finished");
}

#[cfg(unix)]
#[test]
fn a_server_that_ends_leaves_only_finished_files_of_a_build() {
    let own = TempDir::new().unwrap();
    let folder = own.path().join("new");
    let mut server = Server::start(&["--db", &folder.display().to_string(), "--quiet"]);
    assert_eq!(ask_to_build(&server, &own_headers(&server), "").status, 202);
    wait_for_file(&folder.join("3-3.mill"));
    server.signal("TERM");
    assert_eq!(server.child.0.wait().unwrap().code(), Some(0));
    assert_only_databases(&folder);
}

#[test]
fn databases_are_built_on_request_and_used_at_once() {
    let own = TempDir::new().unwrap();
    let folder = own.path().join("new").display().to_string();
    let server = Server::start(&["--db", &folder, "--quiet"]);
    let before = server.get("/build").json();
    has!(before, {"allowed": true, "state": "idle"});
    assert_eq!(before["plan"]["pairs"], 28);
    let [begun, _] = build(&server, "stones=6");
    assert_eq!(begun.status, 202);
    assert!(Path::new(&folder).join("3-3.mill").exists());
    // The file counts as one of the folder without a restart.
    let listed = server.get("/databases").json();
    let built: Vec<&Json> = listed["databases"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|pair| pair["present"] == true && pair["built_in"] == false)
        .collect();
    assert_eq!(built.len(), 1);
    assert_eq!(server.ask("/probe", FLYING).json()["dtw"], 26);
    assert_eq!(server.get("/build").json()["plan"]["pairs"], 27);
}

/// As for the command, files with other contents and files that cannot be used prevent a build. The
/// state has no plan then, and the reason does not name the folder.
#[test]
fn no_build_replaces_other_files() {
    let own = TempDir::new().unwrap();
    let folder = |name: &str| own.path().join(name).display().to_string();
    let (without_depths, damaged) = (folder("wdl"), folder("damaged"));
    let args = ["build", "--quiet", "--profile", "wdl", "--max-stones", "6"];
    let args = [&args[..], &["--db", &without_depths]].concat();
    let built = process::program(own.path(), &args).output().unwrap();
    assert!(built.status.success());
    let file = Path::new(&damaged).join("3-3.mill");
    fs::create_dir(&damaged).unwrap();
    fs::write(&file, b"no database").unwrap();
    for (folder, status, code, words) in [
        (&without_depths, 400, "invalid", "3-3 here has no depths"),
        (&damaged, 500, "corrupt", "delete the file"),
    ] {
        let server = Server::start(&["--db", folder, "--quiet", "--log", "off"]);
        let here = format!("Host: {}\r\nX-Millbase: build\r\n", server.address);
        let refused = ask_to_build(&server, &here, "stones=7");
        refused.fails_with(status, code, words);
        assert!(!refused.body.contains(folder), "{}", refused.body);
        let idle = server.get("/build").json();
        has!(idle, {"state": "idle", "plan": null});
    }
    assert_eq!(fs::read(file).unwrap(), b"no database");
    // Nothing is built into a bundle.
    let bundle = folder("small.mdb");
    let args = ["bundle", &bundle, "--db", &without_depths];
    let made = process::program(own.path(), &args).output().unwrap();
    assert!(made.status.success());
    let server = Server::start(&["--db", &bundle, "--quiet"]);
    let here = own_headers(&server);
    ask_to_build(&server, &here, "stones=7").fails_with(400, "invalid", "not a folder");
    has!(server.get("/build").json(), {"state": "idle", "plan": null});
    let missing = server.ask("/probe", LARGER);
    missing.fails_with(404, "missing", "make the bundle again");
    assert!(!missing.body.contains("small.mdb"), "{}", missing.body);
}

#[test]
fn builds_are_started_only_from_here() {
    let server = Server::start(&[]);
    // Pages of other origins cannot send the header.
    let without = format!("Host: {}\r\n", server.address);
    ask_to_build(&server, &without, "stones=6").fails_with(403, "forbidden", "--allow-build");
    assert_eq!(server.get("/build").json()["state"], "idle");
    for address in ["0.0.0.0:0", "127.0.0.1:0"] {
        let public = Server::start_at(address, TempDir::new().unwrap(), &["--public"]);
        assert_eq!(public.get("/build").json()["allowed"], false);
        let refused = ask_to_build(&public, &own_headers(&public), "stones=6");
        refused.fails_with(403, "forbidden", "--allow-build");
    }
    // Everybody may ask, but not a page whose host name leads here.
    let args = ["--public", "--allow-build", "--quiet"];
    let open = Server::start_at("0.0.0.0:0", TempDir::new().unwrap(), &args);
    let named = "Host: other.example:8024\r\nX-Millbase: build\r\n";
    ask_to_build(&open, named, "stones=6").fails_with(403, "forbidden", "IP address");
    let [begun, _] = build(&open, "stones=6");
    assert_eq!(begun.status, 202);
}
