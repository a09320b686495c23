//! `millbase find`: the positions of whole tables that satisfy conditions.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use millbase::internals::service::position::ProbeAnswer;
use millbase::internals::service::words::Fen;
use millbase::sample::Family;
use millbase::survey::rows::{DataRow, RowFilter, table_rows};
use millbase::{Database, DbError, Metric, Point, PointSet, Position, Symmetry, Value, Wdl};

use crate::databases;
use crate::matches::wdl;
use crate::options::Options;
use crate::output;
use crate::status::{Status, refuse};

/// List the positions of a pair, or after a number of placements, that satisfy conditions
///
/// All conditions must hold. Positions that are equal under the 16 symmetries of the board count once, whether or not a
/// game can reach them. Of a pair, White is to move; with unequal sides, White has the more stones in the first part of
/// the list and the fewer in the second. A position is turned so that the named points have the stones, if it can be.
///
/// Each line has a position and its value, with --json the object of 'probe --turns none'.
#[derive(Args)]
#[command(after_help = "\
Examples:
  millbase find 4-3 --value win --depth 20.. --limit 10
  millbase find 5-4 --value draw --good 1 --blocked 2 --limit 5
  millbase find placed-8 --value win --own d6,d5 --limit 10")]
pub struct Find {
    /// A pair like 6-4, or placed-N for the positions after N placements, which needs their file
    family: Family,

    /// The value for the side to move: win, draw or loss
    #[arg(long, value_parser = wdl)]
    value: Option<Wdl>,

    /// The depth in turns: a number, or a range like 10..20, 10.. or ..20
    #[arg(long, value_name = "RANGE", value_parser = range)]
    depth: Option<(u16, u16)>,

    /// Points on which the side to move has stones, like a1,d1
    #[arg(long, value_name = "POINTS", value_parser = points)]
    own: Option<PointSet>,

    /// Points on which the other side has stones
    #[arg(long, value_name = "POINTS", value_parser = points)]
    other: Option<PointSet>,

    /// The least number of stones of the side to move that have no empty point beside them
    #[arg(long, value_name = "N", default_value_t = 0)]
    blocked: u32,

    /// The number of turns that keep the value's result; 1 for an only turn. This needs the pairs that captures lead to
    #[arg(long, value_name = "N")]
    good: Option<u16>,

    /// The most positions to list
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    limit: u64,
}

fn range(text: &str) -> Result<(u16, u16), String> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str, open: u16| match text {
        "" => Some(open),
        _ => text.parse().ok(),
    };
    let range = number(from, 0).zip(number(to, u16::MAX));
    let range = range.filter(|(from, to)| from <= to && !text.is_empty());
    range.ok_or_else(|| "expected a number, or a range like 10..20, 10.. or ..20".to_owned())
}

fn points(text: &str) -> Result<PointSet, String> {
    let point = |name: &str| {
        Point::named(name)
            .ok_or_else(|| format!("'{name}' is not a point; expected points like a1,d1"))
    };
    text.split(',').map(point).collect()
}

impl Find {
    /// Lists the positions.
    pub fn run(&self, options: &Options) -> Result<Status> {
        let db = databases::open(options)?;
        let families = databases::families(&db, &[self.family])?;
        databases::check_tables(&families, db.rules())?;
        self.check(&db)?;
        let mut out = output::stdout();
        let (mut left, mut failure) = (self.limit, None);
        let wanted = RowFilter {
            value: &|value| self.wants(value),
            stones: &|position| self.fits(position, &db),
        };
        table_rows(&db, &families, wanted, self.good.is_some(), |rows| {
            let has_good = |row: &DataRow| row.turns.map(|worth| worth.good) == self.good;
            let rows = rows.iter().filter(|row| has_good(row));
            let rows = rows.take(usize::try_from(left).unwrap_or(usize::MAX));
            for row in rows {
                left -= 1;
                failure = self.write(row, &db, options, &mut out).err();
                if failure.is_some() {
                    return false;
                }
            }
            left > 0
        })?;
        failure.map_or(Ok(()), Err)?;
        out.flush()?;
        Ok(Status::Done)
    }

    /// Refuses conditions that no position can satisfy.
    fn check(&self, db: &Database) -> Result<()> {
        let (own, other) = (self.own.unwrap_or_default(), self.other.unwrap_or_default());
        if let Some(point) = (own & other).into_iter().next() {
            return refuse(format!(
                "{point} cannot have stones of both sides; --own and --other name it"
            ));
        }
        if self.depth.is_none() {
            return Ok(());
        }
        if self.value == Some(Wdl::Draw) {
            return refuse("a draw has no depth; leave out --depth, or choose --value win or loss");
        }
        match self.family {
            Family::Pair(pair) if db.file(pair)?.metric() == Metric::Wdl => {
                let rules = *db.rules();
                Err(DbError::NoDepths { pair, rules }.into())
            }
            Family::Placed(ply)
                if (db.plies()).any(|file| (file.ply(), file.metric()) == (ply, Metric::Wdl)) =>
            {
                let sentence = format!("the file of {} holds results without depths", self.family);
                Err(DbError::NotStored(sentence).into())
            }
            _ => Ok(()),
        }
    }

    fn wants(&self, value: Value) -> bool {
        self.value.is_none_or(|wdl| value.wdl() == wdl)
            && self.depth.is_none_or(|(from, to)| {
                value.dtw().is_some_and(|dtw| (from..=to).contains(&dtw.0))
            })
    }

    fn fits(&self, position: &Position, db: &Database) -> bool {
        let (board, empty) = (db.rules().board(), position.empty());
        let is_blocked = |&point: &Point| (board.neighbours(point) & empty).is_empty();
        let blocked = || position.mover().into_iter().filter(is_blocked).count();
        self.turned(position).is_some() && (self.blocked == 0 || blocked() >= self.blocked as usize)
    }

    /// The position turned so that the points of the conditions have stones; `None` if no symmetry
    /// does this.
    fn turned(&self, position: &Position) -> Option<Position> {
        let (own, other) = (self.own.unwrap_or_default(), self.other.unwrap_or_default());
        if own.is_empty() && other.is_empty() {
            return Some(*position);
        }
        let mut turned = Symmetry::all().map(|symmetry| position.with_board_turned(symmetry));
        turned.find(|turned| own.is_subset(turned.mover()) && other.is_subset(turned.waiting()))
    }

    /// Writes a position.
    fn write(
        &self,
        row: &DataRow,
        db: &Database,
        options: &Options,
        out: &mut output::Stdout,
    ) -> Result<()> {
        let turned = self.turned(&row.position).unwrap_or(row.position);
        let position = Fen::new(&turned, db.rules());
        match options.json {
            true => output::json(&mut out.0, &ProbeAnswer::find(db, &position, None)?)?,
            false => writeln!(out, "{position}  {}", output::painted(row.value))?,
        }
        Ok(())
    }
}
