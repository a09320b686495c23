use millbase::index::*;
use millbase::placing::reachable::*;
use millbase::*;
fn main() {
    let rules = Rules::STANDARD;
    let t = std::time::Instant::now();
    let r = Reachable::new(&rules, 14);
    println!("{:?}", t.elapsed());
    let t = std::time::Instant::now();
    let r = Reachable::new(&rules, 18);
    println!("{:?}", t.elapsed());
    let mut tot = [0f64; 2];
    for ply in (0..19u8).rev() {
        let mut s = [0f64; 3];
        let mut detail = vec![];
        let mut nt = 0;
        for st in r.stages_of(ply) {
            nt += 1;
            let (mv, wt) = (st.mover(), st.mover().other());
            let (m, k) = (st.stones(mv), st.stones(wt));
            let rows = Rows::of(m);
            let good: Vec<_> = r.rows(st, mv).iter_ones().map(|x| rows.set(x)).collect();
            let full = rows.len() as f64 * binomial(24 - m as u32, k as u32) as f64;
            let ks: Vec<u32> = Subsets::new(24, k as u32)
                .iter()
                .filter(|&x| r.contains(st, wt, PointSet::from_bits(x)))
                .collect();
            let step = (good.len() / 200).max(1);
            let mut n = 0u64;
            let mut c = 0f64;
            for g in good.iter().step_by(step) {
                n += 1;
                c += ks.iter().filter(|&&x| x & g.bits() == 0).count() as f64;
            }
            let est = if n > 0 {
                c / n as f64 * good.len() as f64
            } else {
                0.
            };
            s[0] += full;
            s[1] += est;
            s[2] += good.len() as f64 * binomial(24 - m as u32, k as u32) as f64;
            if est > 1e6 {
                detail.push((
                    est,
                    format!(
                        "m{m}w{k} rows {}/{} cols/row {:.0}/{} full {:.0}M est {:.1}M",
                        good.len(),
                        rows.len(),
                        est / good.len() as f64,
                        binomial(24 - m as u32, k as u32),
                        full / 1e6,
                        est / 1e6
                    ),
                ));
            }
        }
        println!(
            "ply {ply}: tables {nt} full {:.1}M rows-reach {:.1}M reach {:.1}M",
            s[0] / 1e6,
            s[2] / 1e6,
            s[1] / 1e6
        );
        if ply < 18 {
            tot[0] += s[0];
            tot[1] += s[1];
        }
        detail.sort_by(|a, b| b.0.total_cmp(&a.0));
        if ply >= 12 {
            for d in detail.iter().take(30) {
                println!("    {}", d.1);
            }
        }
    }
    println!("{:?}", tot);
}
