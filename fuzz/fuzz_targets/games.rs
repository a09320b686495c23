//! Fuzzes texts of games: reading never fails, and what was read survives writing and reading again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use millbase::Rules;
use millbase::notation::{GameForm, PointNaming, Record, RecordReader, game_text};

const RULES: Rules = Rules::STANDARD;

fn read(text: &[u8]) -> Vec<Record> {
    RecordReader::new(RULES, text).map(Result::unwrap).collect()
}

fuzz_target!(|text: &[u8]| {
    for record in read(text) {
        let played = record.game.turns();
        assert!(played.len() - record.line.turns.len() <= 1);
        let text = game_text(&record, GameForm::Text(PointNaming::Names));
        let again = read(text.as_bytes());
        assert_eq!(again.len(), 1, "{text}");
        assert_eq!(again[0].line, record.line, "{text}");
        assert_eq!(again[0].tags, record.tags, "{text}");
        assert_eq!(again[0].result, record.result, "{text}");
    }
});
