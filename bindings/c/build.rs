//! Gives the shared library of a plain build a name of its own, so that programs find it by that name wherever it
//! lies. cargo-c, which sets the feature `capi`, does so with the version.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if env::var_os("CARGO_FEATURE_CAPI").is_some() || !is("CARGO_CFG_TARGET_FAMILY", "unix") {
        return;
    }
    let name = match is("CARGO_CFG_TARGET_VENDOR", "apple") {
        true => "-install_name,@rpath/libmillbase_c.dylib",
        false => "-soname,libmillbase_c.so",
    };
    println!("cargo::rustc-cdylib-link-arg=-Wl,{name}");
}
