//! The header of the C library is the one that cbindgen makes of the source.

use crate::common::root;

#[test]
fn the_header_is_up_to_date() {
    let crate_folder = root().join("bindings/c");
    let mut config = cbindgen::Config::from_file(crate_folder.join("cbindgen.toml")).unwrap();
    config.after_includes = Some(format!(
        "\n/**\n * The version of this header; `millbase_version` has that of the library.\n */\n\
         #define MILLBASE_VERSION \"{}\"\n#define MILLBASE_VERSION_MAJOR {}\n#define MILLBASE_VERSION_MINOR {}\n\
         #define MILLBASE_VERSION_PATCH {}",
        env!("CARGO_PKG_VERSION"),
        env!("CARGO_PKG_VERSION_MAJOR"),
        env!("CARGO_PKG_VERSION_MINOR"),
        env!("CARGO_PKG_VERSION_PATCH")
    ));
    let rooms = [
        "border",
        "types",
        "open",
        "positions",
        "bulk",
        "choose",
        "engine",
        "games",
    ];
    let builder = rooms.into_iter().fold(
        cbindgen::Builder::new().with_config(config),
        |builder, room| builder.with_src(crate_folder.join(format!("src/{room}.rs"))),
    );
    let mut header = Vec::new();
    builder.generate().unwrap().write(&mut header);
    let header = String::from_utf8(header).unwrap();
    let path = crate_folder.join("include/millbase.h");
    if std::env::var_os("MILLBASE_WRITE_HEADER").is_some() {
        std::fs::write(&path, &header).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        header == committed,
        "bindings/c/include/millbase.h is out of date; `MILLBASE_WRITE_HEADER=1 cargo test c_header` makes it"
    );
}
