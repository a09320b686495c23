use millbase::placing::build::*;
use millbase::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let rules = Rules::STANDARD;
    let dir = std::path::Path::new(&a[1]);
    let keep: Vec<u8> = a[2].split(',').map(|x| x.parse().unwrap()).collect();
    let f = millbase::retro::BuildFolder::lock(dir).unwrap();
    let plan = Plan::new(&rules, &keep, |p| {
        dir.join(format!("placing-{p:02}.mill")).exists()
    });
    println!("{plan:?}");
    let t = std::time::Instant::now();
    build(&f,&rules,&plan,&|p| match p { Progress::Finished(r)=>println!("{:.1}s ply {} bytes {} load {:.1} solve {:.1} write {:.1} pos {} w {} d {} l {} mw {:?} ml {:?}",t.elapsed().as_secs_f64(),r.ply,r.bytes,r.load.as_secs_f64(),r.solve.as_secs_f64(),r.write.as_secs_f64(),r.histogram.positions(),r.histogram.wins(),r.histogram.draws(),r.histogram.losses(),r.histogram.deepest_win(),r.histogram.deepest_loss()), Progress::Solved(s,d)=>println!("  {:.1} {s:?} {d}",t.elapsed().as_secs_f64()) }).unwrap();
}
