use millbase::placing::*;
use millbase::*;
use std::collections::HashMap;
// brute force small rules, then sample
fn brute(p: &Position, r: &Rules, db: &Database, memo: &mut HashMap<Position, Value>) -> Value {
    if !p.is_placing() {
        return db.probe(p).unwrap();
    }
    if p.is_over(r) {
        return Value::LOST;
    }
    // canonical
    let c = Symmetry::all()
        .map(|s| p.with_board_turned(s))
        .min_by_key(|q| (q.stones(Side::White).bits(), q.stones(Side::Black).bits()))
        .unwrap();
    if let Some(v) = memo.get(&c) {
        return *v;
    }
    let v = c
        .turns(r)
        .into_iter()
        .map(|t| brute(&c.after(t), r, db, memo).before())
        .max()
        .unwrap();
    memo.insert(c, v);
    v
}
fn main() {
    let n: u8 = std::env::args().nth(1).unwrap().parse().unwrap();
    let rules = Rules {
        stones: n,
        ..Rules::STANDARD
    };
    let dir = std::path::PathBuf::from(format!("/tmp/placing-run/small{n}"));
    std::fs::create_dir_all(&dir).unwrap();
    let f = millbase::retro::BuildFolder::lock(&dir).unwrap();
    let plan = millbase::retro::Plan::new(&index::Pair::all(n), |_| false);
    millbase::retro::build(&f, &rules, &plan, &()).unwrap();
    let keep: Vec<u8> = (0..2 * n).collect();
    for k in &keep {
        let _ = std::fs::remove_file(dir.join(file_name(*k)));
    }
    let plan = build::Plan::new(&rules, &keep, |_| false);
    build::build(&f, &rules, &plan, &|p| {
        if let build::Progress::Finished(r) = p {
            println!("{r:?}")
        }
    })
    .unwrap();
    let db = Database::open(&dir, rules).unwrap();
    let mut memo = HashMap::new();
    println!(
        "{:?}",
        brute(&Position::start(&rules), &rules, &db, &mut memo)
    );
    let pl = Placing::open(&dir, rules).unwrap().unwrap();
    let mut per = [0u64; 24];
    let mut bad = 0;
    for (p, v) in &memo {
        per[Stage::of(p, &rules).ply as usize] += 1;
        let got = pl.value(&db, p).unwrap();
        if got != Some(*v) {
            bad += 1;
            if bad < 10 {
                println!("BAD {} {:?} {:?}", p.text(&rules), v, got);
            }
        }
    }
    println!("{} positions {:?} bad {bad}", memo.len(), per);
}
