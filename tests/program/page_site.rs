//! Stories of the page on a static host: without the host, and with databases that are kept on the device.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::visit::{
    FLYING, LARGER, Page, Screen, first_visit_but_for, free_port, host, site, visit,
};

/// Serves the page's site again at the address where it was.
fn host_again(page: &Page, home: &TempDir) {
    let port = page.address.trim_end_matches("/mill/").rsplit(':').next();
    let port = port.and_then(|port| port.parse().ok()).expect("a port");
    let (again, _) = host(home.path(), &site().expect("a site"), port);
    *page.server.borrow_mut() = Some(again);
}

#[test]
#[ignore = "needs a site: tools/test-bindings site"]
fn a_site_plays_on_without_its_host() {
    visit(Screen::Desk, |page| {
        // The service worker has the page, and the module has the embedded databases.
        page.until("return navigator.serviceWorker.ready.then(() => true)");
        page.end_server();
        page.refresh();
        page.says("White to place");
        page.load(FLYING);
        page.element_says("value", "White wins in 21 turns");
        page.play("a1-e4");
        page.element_says("value", "White wins in 20 turns");
        page.tab("turns");
        page.click("stats-title");
        page.element_says("stats-words", "Of 760,398 positions");
        page.element_says("offline", "The databases cannot be reached.");
        // The reason names the file that cannot be read.
        page.element_says("offline", ".mill cannot be fetched from");
        // Where no database answers, a search plays.
        page.load(LARGER);
        page.tab("options");
        page.choose("black", "machine");
        page.script("document.querySelector('#turns button').click()");
        page.until("return document.querySelectorAll('#game button').length === 2");
        assert!(page.text("offline").contains("cannot be fetched"));
        // The host comes back, and everything answers as before.
        let home = TempDir::new().unwrap();
        host_again(page, &home);
        page.until("return document.getElementById('offline').hidden");
        page.load(FLYING);
        page.element_says("value", "White wins in 21 turns");
    });
}

/// A site whose list of files comes late.
#[test]
#[ignore = "needs a site: tools/test-bindings site"]
fn a_host_without_its_list_is_asked_again() {
    let (home, folder) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let list = "manifest.json";
    let link = |path: &Path| symlink(path, folder.path().join(path.file_name().unwrap())).unwrap();
    let all = site().expect("a site").canonicalize().unwrap();
    for entry in fs::read_dir(&all).unwrap() {
        let path = entry.unwrap().path();
        if !path.ends_with(list) {
            link(&path);
        }
    }
    let (_host, address) = host(home.path(), folder.path(), free_port());
    first_visit_but_for(&[list], Screen::Desk, |page| {
        page.browser.go_to(&format!("{address}#moves=d6"));
        page.element_says("offline", "manifest.json: 404");
        link(&all.join(list));
        page.until("return document.getElementById('offline').hidden");
        // The game of the address is opened.
        page.says("Black to place");
        page.click("new");
        page.click("start-analyse");
        page.says("White to place");
    });
}

/// A host that lacks a file that it lists is not asked for it again and again; a search plays without it.
#[test]
#[ignore = "needs a site: tools/test-bindings site"]
fn a_host_that_lacks_a_file_is_named_and_left_alone() {
    let (home, folder) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let copied = Command::new("cp")
        .arg("-r")
        .arg(site().expect("a site").join("."))
        .arg(folder.path())
        .status();
    assert!(copied.unwrap().success());
    let list = folder.path().join("manifest.json");
    let right = fs::read_to_string(&list).unwrap();
    let mut wrong: Value = serde_json::from_str(&right).unwrap();
    let files = wrong["files"].as_array_mut().unwrap();
    let mut lacking = files[0].clone();
    lacking["name"] = "6-4.mill".into();
    lacking["path"] = "db/standard/6-4.mill".into();
    files.push(lacking);
    fs::write(&list, wrong.to_string()).unwrap();
    let (_host, address) = host(home.path(), folder.path(), free_port());
    first_visit_but_for(&["6-4.mill"], Screen::Desk, |page| {
        page.browser.go_to(&address);
        page.click("start-analyse");
        page.says("White to place");
        page.load(LARGER);
        page.element_says("offline", "6-4.mill");
        // It is asked once more, and then not again; the value is estimated.
        std::thread::sleep(Duration::from_secs(3));
        page.script(
            "window.changes = 0; new MutationObserver(seen => { window.changes += seen.length; })
             .observe(document.getElementById('offline'), { attributes: true, childList: true });",
        );
        page.element_says("value", "estimated");
        std::thread::sleep(Duration::from_secs(3));
        page.until("return window.changes === 0");
        page.tab("options");
        page.choose("black", "machine");
        page.script("document.querySelector('#turns button').click()");
        page.until("return document.querySelectorAll('#game button').length === 2");
        assert!(page.text("offline").contains("6-4.mill"));
        // Once the list is right, the host is not blamed any more.
        fs::write(&list, right).unwrap();
        page.load(FLYING);
        page.element_says("value", "White wins in 21 turns");
        page.until("return document.getElementById('offline').hidden");
    });
}

#[test]
#[ignore = "needs a site: tools/test-bindings site"]
fn databases_are_kept_on_the_device() {
    visit(Screen::Phone, |page| {
        page.tab("options");
        page.until("return document.getElementById('keep-set').options.length > 0");
        assert!(page.text("keep-words").contains("without a network"));
        page.click("keep-start");
        page.element_says("keep-words", "are on this device");
        let kept = "(await (await caches.open('millbase-kept')).keys())";
        page.until(&format!("return {kept}.length >= 6"));
        // Another version of a file does not stay.
        page.script(
            "await (await caches.open('millbase-kept')).put('3-3.mill?old', new Response('old'))",
        );
        page.refresh();
        page.tab("options");
        page.element_says("keep-words", "are on this device");
        page.until(&format!(
            "return !{kept}.some(({{ url }}) => url.endsWith('old'))"
        ));
        page.end_server();
        page.refresh();
        page.says("White to place");
        page.load(FLYING);
        page.element_says("value", "White wins in 21 turns");
        assert_eq!(page.text("offline"), "");
        page.tab("options");
        page.click("keep-forget");
        page.element_says("keep-words", "Databases that you keep");
        page.until("return !await caches.has('millbase-kept')");
    });
}

#[test]
#[ignore = "needs a site: tools/test-bindings site"]
fn pages_of_other_origins_rank_turns_in_four_lines() {
    visit(Screen::Desk, |page| {
        // Another port is another origin.
        let home = TempDir::new().unwrap();
        let site = site().expect("a site");
        let other = TempDir::new().unwrap();
        let html = fs::read_to_string(site.join("example.html")).unwrap();
        let html = html.replace("./millbase.js", &format!("{}millbase.js", page.address));
        let html = html.replace("OOO*****/O*O**O**/*@*@*@*@ w m s 6 0 4 0 0 0", FLYING);
        fs::write(other.path().join("index.html"), html).unwrap();
        for name in ["README.md", "icon.svg"] {
            fs::copy(site.join(name), other.path().join(name)).unwrap();
        }
        let (_other, address) = host(home.path(), other.path(), free_port());
        page.browser.go_to(&address);
        page.until("return document.querySelectorAll('#turns li').length > 10");
        let first = page.script("return document.querySelector('#turns li').textContent");
        assert_eq!(first, "a1-e4: win in 21");
    });
}
