//! Makes the JavaScript beside a WebAssembly module: `millbase-bindgen MODULE.wasm FOLDER`.

use std::env::args_os;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let [module, folder] = [args_os().nth(1), args_os().nth(2)];
    let (Some(module), Some(folder)) = (module, folder) else {
        eprintln!("usage: millbase-bindgen MODULE.wasm FOLDER");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    let made = bindgen.input_path(module).out_name("core").web(true);
    let made = made.map(|bindgen| bindgen.typescript(true).remove_name_section(true));
    match made.and_then(|bindgen| bindgen.generate(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
