//! `millbase serve`: answers over HTTP, and a page to play on.
//!
//! - this file: the options, starting and stopping
//! - `connections`: accepting connections, and their limits
//! - `guard`: refusing requests that pages of other origins make
//! - `routes`: the paths and their answers, most of which the service of the library makes
//! - `tablebase`: answers in the form of the best-known tablebase server
//! - `tag`: answers that clients have already
//! - `building`: builds that the page starts
//! - `services`: the services, and the limits on the number and the time of questions
//! - `api_error`: errors with their status codes and bodies
//! - `page`: the page at `/` and its files

mod api_error;
pub mod building;
mod connections;
mod guard;
mod page;
mod reply;
pub mod routes;
mod services;
pub mod tablebase;
mod tag;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::net::SocketAddr;
use std::process;

use anyhow::{Context, Result};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use millbase::internals::Temporary;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::net::TcpListener;
use tokio::runtime::{self, Runtime};
use tokio::sync::watch;
use tracing::level_filters::LevelFilter;

use crate::input;
use crate::options::{DrawOptions, Options};
use crate::output;
use crate::signals;
use crate::status::{Status, refuse};
use building::Builder;
use guard::Guard;
use services::Services;

/// Serve answers over HTTP, and a page to play on in the browser
///
/// The page is at '/'. Programs ask GET /probe?fen=POSITION, /line?fen=POSITION,
/// /turns?fen=POSITION, /play?fen=POSITION&moves=TURNS, /databases and others, and get the JSON
/// objects of the commands; docs/FRONTENDS.md has all paths, docs/JSON.md all fields. Only
/// programs of this machine can connect, unless --public and another address are given. The page can
/// build missing databases if only this machine can connect, or with --allow-build. Ctrl-C finishes the running questions
/// and ends the server; a second one ends it immediately.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase serve
  millbase serve --listen 0.0.0.0:8024 --public --cors")]
pub struct Serve {
    /// Address and port to listen on; port 0 chooses a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8024", value_parser = address)]
    listen: SocketAddr,

    /// Allow an address that other machines can reach, and requests under any host name. Otherwise
    /// the server answers only at IP addresses and as localhost, and no page of another origin
    #[arg(long)]
    public: bool,

    /// Let everybody who can connect to an IP address of the server, or to localhost, start builds of
    /// missing databases on this machine
    #[arg(long)]
    allow_build: bool,

    /// Let pages of all origins read the answers (Access-Control-Allow-Origin: *)
    #[arg(long)]
    cors: bool,

    /// Most look-ups in progress or waiting at a time, and as many searches; others are refused with
    /// status 503
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = input::number::<u16>(1..=4096))]
    in_flight: u16,

    #[command(flatten)]
    draws: DrawOptions,

    /// Level of the log on stderr; 'info' logs one line for each request
    #[arg(long, value_name = "LEVEL", default_value = "warn", value_parser = level())]
    log: LevelFilter,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let address = text.parse();
    address.map_err(|_| "expected an address with a port, like 127.0.0.1:8024".to_owned())
}

/// Parses the level of the log.
fn level() -> impl TypedValueParser<Value = LevelFilter> {
    PossibleValuesParser::new(["off", "error", "warn", "info", "debug"])
        .try_map(|level| level.parse::<LevelFilter>())
}

/// The announcement that the server is ready, for JSON answers.
#[derive(Serialize, JsonSchema)]
pub struct Ready<'a> {
    listening: &'a str,
}

impl Serve {
    /// Answers until the user or the system asks to stop.
    pub fn run(&self, options: &Options) -> Result<Status> {
        if !self.listen.ip().is_loopback() && !self.public {
            return refuse(format!(
                "other machines could reach {}; add --public to allow that, or listen on 127.0.0.1",
                self.listen
            ));
        }
        let threads = options.threads();
        tracing_subscriber::fmt()
            .with_max_level(self.log)
            .with_writer(io::stderr)
            .with_ansi(false)
            .log_internal_errors(false)
            .init();
        let stop = stop_on_signals()?;
        let runtime = start(threads)?;
        let services = Services::new(options, self.draws.into(), self.in_flight.into(), threads)?;
        let is_local = self.listen.ip().is_loopback() && !self.public;
        let builder = Builder::new(self.allow_build || is_local, &services);
        let guard = Guard {
            any_name: self.public,
            any_origin: self.public || self.cors,
        };
        let app = routes::all(services, builder.clone(), guard, self.cors);
        let ended = runtime.block_on(async {
            let cannot = || format!("cannot listen on {}", self.listen);
            let listener = TcpListener::bind(self.listen).await.with_context(cannot)?;
            let address = listener.local_addr().with_context(cannot)?;
            let listening = &format!("http://{address}/");
            let announced = output::answer(options, &Ready { listening }, |out| {
                writeln!(out, "listening on {listening}, Ctrl-C stops")
            })?;
            connections::serve(listener, app, stop).await;
            Ok(announced)
        });
        // Every question still in progress has been answered, or its client is gone.
        runtime.shutdown_background();
        // A build goes on until the process ends, so it must begin no other file after this.
        Temporary::remove_all();
        builder.tidy();
        ended
    }
}

/// Starts the runtime: `threads` threads for the connections, as many for searches, and as many for
/// lookups.
fn start(threads: usize) -> Result<Runtime> {
    runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .max_blocking_threads(2 * threads)
        .enable_all()
        .build()
        .context("cannot start the threads of the server")
}

/// A flag that turns true when the user or the system asks to stop; a second request ends the
/// program immediately.
fn stop_on_signals() -> Result<watch::Receiver<bool>> {
    let (sender, receiver) = watch::channel(false);
    let stop = move || {
        if sender.send_replace(true) {
            process::exit(Status::Stopped as i32);
        }
    };
    signals::on_stop(stop)?;
    Ok(receiver)
}
