//! The page for everybody: contrast, the rules of accessibility, small and lying screens.

use crate::visit::{FLYING, MILL, Page, Screen, WALKING, axe, check, first_visit, visit};

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
        'on-mark win', 'on-mark draw', 'on-mark loss', 'label board', 'fault card', 'on-first first', 'good card', 'bad card'];
    // Stones stand out by their fill or their edge; marks on stones by their edge.
    const parts = ['grid board', 'win board', 'draw board', 'loss board', 'pick board', 'last board',
        'mill board', 'best board', 'accent card', 'control card', 'control button', 'control page',
        'white/white-edge board', 'black/black-edge board', '#1b1712 white', '#f7f2e8 black',
        'white black', '#ff9d92 black', '#ad2a22 white', '#d9362b white', '#d9362b black'];
    const ratio = pair => {
        const [first, second] = pair.split(' ');
        return Math.max(...first.split('/').map(name => {
            const [dark, bright] = [light(name), light(second)].sort((x, y) => x - y);
            return (bright + 0.05) / (dark + 0.05);
        }));
    };
    return [...text.map(pair => [pair, 4.5, ratio(pair)]), ...parts.map(pair => [pair, 3, ratio(pair)])];";

fn has_contrast(page: &Page) {
    let contrasts = page.script(CONTRASTS);
    let contrasts: Vec<(String, f64, f64)> = serde_json::from_value(contrasts).unwrap();
    for (colours, least, contrast) in contrasts {
        assert!(contrast >= least, "{colours}: {contrast}");
    }
}

#[test]
fn the_page_follows_the_colours_of_the_system() {
    let background = "return getComputedStyle(document.body).backgroundColor";
    let (light, dark) = ("rgb(243, 239, 231)", "rgb(22, 20, 18)");
    for (screen, own, scheme, other) in [
        (Screen::Dark, dark, "light", light),
        (Screen::Desk, light, "dark", dark),
    ] {
        visit(screen, |page| {
            assert_eq!(page.script(background), own);
            page.tab("options");
            for theme in ["wood", "slate", "paper"] {
                page.choose("theme", theme);
                has_contrast(page);
            }
            // What the user chooses goes before the system, and stays.
            page.choose("scheme", scheme);
            assert_eq!(page.script(background), other);
            page.refresh();
            assert_eq!(page.script(background), other);
            let chosen = "return document.documentElement.dataset.theme";
            assert_eq!(page.script(chosen), "paper");
        });
    }
}

/// Twelve states of the page on a screen: nothing sticks out, and axe-core finds nothing on screens of
/// the usual sizes, in both themes.
fn is_accessible(screen: Screen) {
    let axe = axe(screen);
    first_visit(screen, |page| {
        let check = |state: &str| check(page, screen, axe.as_deref(), state);
        check("start");
        page.click("start-analyse");
        page.says("White to place");
        check("board");
        page.load(FLYING);
        page.says("win in 21");
        // All of the board is on the screen, and a finger finds its points.
        let board = page.script("scrollTo(0, 0); return document.getElementById('board').getBoundingClientRect().bottom");
        let height = f64::from(screen.size().1);
        assert!(board.as_f64().unwrap() <= height, "{screen:?}: {board}");
        let point = "return document.querySelector('#a1 .hit').getBoundingClientRect().width";
        let least = if screen == Screen::Lying { 30.0 } else { 36.0 };
        assert!(page.script(point).as_f64().unwrap() >= least);
        page.tab("turns");
        page.until("return !document.getElementById('best-line').hidden");
        page.script("document.getElementById('f6').dispatchEvent(new MouseEvent('click', { bubbles: true }))");
        check("values");
        page.click("hint");
        page.element_says("hint-words", "Hint");
        check("hint");
        page.load(MILL);
        page.says("win in 1");
        page.play("d1-a1");
        page.says("closed a mill");
        check("removal");
        page.play("b4");
        page.element_says("over-result", "White wins");
        check("over");
        page.click("back");
        page.play("d1-d2");
        page.says("blunder");
        page.tab("game");
        check("tree");
        page.load(WALKING);
        page.click("d7");
        page.element_says("problem", "not White’s");
        // The words stand where they can be seen without scrolling.
        let bottom = "return document.getElementById('problem').getBoundingClientRect().bottom - innerHeight";
        assert!(page.script(bottom).as_f64().unwrap() < 0.0 || screen == Screen::Small);
        check("reason");
        page.tab("setup");
        page.click("edit");
        page.element_says("edit-state", "legal");
        check("editor");
        page.click("edit-stop");
        page.tab("learn");
        check("learn");
        page.tab("options");
        check("options");
        page.choose("language", "de");
        page.tab("turns");
        page.says("Weiß zieht");
        check("german");
    });
}

#[test]
fn everybody_can_use_the_page_on_a_desk() {
    is_accessible(Screen::Desk);
}

#[test]
#[ignore = "see the part `screens` of tools/slow-tests"]
fn everybody_can_use_the_page_in_the_dark() {
    is_accessible(Screen::Dark);
}

#[test]
fn everybody_can_use_the_page_on_a_phone() {
    is_accessible(Screen::Phone);
}

#[test]
#[ignore = "see the part `screens` of tools/slow-tests"]
fn everybody_can_use_the_page_on_a_small_phone() {
    is_accessible(Screen::Small);
}

#[test]
fn everybody_can_use_the_page_on_a_phone_that_lies() {
    is_accessible(Screen::Lying);
}

#[test]
fn nothing_covers_the_buttons_on_a_short_screen() {
    visit(Screen::Short, |page| {
        page.load(FLYING);
        page.says("win in 21");
        for id in ["back", "hint", "flip", "new", "tab-game", "tab-options"] {
            let hit = format!(
                "const button = document.getElementById('{id}');
                button.scrollIntoView({{ block: 'center' }});
                const {{ x, y, width, height }} = button.getBoundingClientRect();
                return button.contains(document.elementFromPoint(x + width / 2, y + height / 2));"
            );
            assert_eq!(page.script(&hit), true, "{id}");
        }
        page.click("hint");
        page.element_says("hint-words", "Hint: move the stone on a1.");
    });
}
