use millbase::placing::*;
use millbase::*;
struct R(u64);
impl R {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut m = self.0;
        m = (m ^ m >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        m = (m ^ m >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((m ^ m >> 31) % n as u64) as usize
    }
}
fn game(r: &Rules, ply: usize, rnd: &mut R, cap: bool) -> Position {
    'o: loop {
        let mut p = Position::start(r);
        for _ in 0..ply {
            if p.is_over(r) {
                continue 'o;
            }
            let t = p.turns(r);
            let c: Vec<_> = t.iter().filter(|t| t.removed.is_some()).copied().collect();
            p = p.after(if cap && !c.is_empty() && rnd.below(4) > 0 {
                c[rnd.below(c.len())]
            } else {
                t[rnd.below(t.len())]
            });
        }
        if !p.is_over(r) {
            return p;
        }
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let rules = Rules::STANDARD;
    let dir = std::path::Path::new(&a[1]);
    let n: usize = a[2].parse().unwrap();
    let t = std::time::Instant::now();
    let db = Database::open(std::path::Path::new("/tmp/v1db"), rules).unwrap();
    let t1 = t.elapsed();
    let pl = Placing::open(dir, rules).unwrap().unwrap();
    println!("open {t1:?} {:?}", t.elapsed());
    let mut rnd = R(5);
    for ply in 0..18 {
        for cap in [false, true] {
            let ps: Vec<Position> = (0..n).map(|_| game(&rules, ply, &mut rnd, cap)).collect();
            let mut c = vec![];
            let mut w = vec![];
            let mut none = 0;
            for p in &ps {
                let t = std::time::Instant::now();
                let x = pl.turns(&db, p).unwrap();
                c.push(t.elapsed());
                if x.is_none() {
                    none += 1;
                }
                let mut y = None;
                w.push(
                    (0..3)
                        .map(|_| {
                            let t = std::time::Instant::now();
                            y = pl.turns(&db, p).unwrap();
                            t.elapsed()
                        })
                        .min()
                        .unwrap(),
                );
                assert!(x == y);
                if let Some(x) = x {
                    if ply < 17 {
                        if let Some(v) = pl.value(&db, p).unwrap() {
                            assert_eq!(v, x[0].value);
                        }
                    }
                }
            }
            c.sort();
            w.sort();
            println!(
                "ply {ply} cap {cap}: none {none} cold p50 {:?} p99 {:?} max {:?} | warm p50 {:?} p99 {:?} max {:?}",
                c[n / 2],
                c[n * 99 / 100],
                c[n - 1],
                w[n / 2],
                w[n * 99 / 100],
                w[n - 1]
            );
        }
    }
}
