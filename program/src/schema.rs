//! The JSON Schema of all answers, generated from their types. The test compares it with
//! docs/millbase.schema.json; with `MILLBASE_WRITE_SCHEMA=1` it writes the file.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::{env, fs};

use millbase::internals::coach::archive::ArchiveReport;
use millbase::internals::coach::contest::{MatchReport, PlayedGame};
use millbase::internals::service::explain::ExplainAnswer;
use millbase::internals::service::failure::ErrorAnswer;
use millbase::internals::service::game::{GameAnswer, PlayAnswer, StepAnswer, TurnsAnswer};
use millbase::internals::service::position::{LineAnswer, ProbeAnswer, RankAnswer};
use millbase::internals::service::random::RandomAnswer;
use millbase::internals::service::record::{ReadAnswer, RecordAnswer};
use millbase::internals::service::rules::{RuleSet, RuleSetsAnswer};
use millbase::internals::service::stats::StatsAnswer;
use millbase::solve::BuildPlan;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value as Json, json};

use crate::malom::compare::CompareAnswer;
use crate::malom::export::ExportAnswer;
use crate::malom::mount::MountAnswer;
use crate::puzzles::check::CheckReport;
use crate::puzzles::make::PuzzlePack;
use crate::serve::building::ServerBuild;
use crate::serve::routes::Health;
use crate::serve::tablebase::TablebaseAnswer;
use crate::{
    bench, build, bundle, dataset, judge, list, matches, perft, prove, records, repack, review,
    serve, sums, verify,
};

/// The file that users read.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/millbase.schema.json");

/// Answers by name.
struct Answers {
    generator: SchemaGenerator,
    named: BTreeMap<&'static str, Json>,
}

impl Answers {
    /// Adds an answer, an object with the version.
    fn add<T: JsonSchema>(&mut self, name: &'static str) {
        self.part::<T>(name);
        let answer = self.named.get_mut(name).expect("the answer");
        answer["properties"]["version"] = json!({ "const": 1 });
        let required = answer["required"].as_array_mut().expect("required fields");
        required.insert(0, "version".into());
    }

    /// Adds an object without a version.
    fn part<T: JsonSchema>(&mut self, name: &'static str) {
        let schema = T::json_schema(&mut self.generator);
        self.named.insert(name, schema.to_value());
    }
}

/// The schema's text, a definition a line.
fn schema() -> String {
    let mut answers = Answers {
        generator: SchemaSettings::draft2020_12()
            .for_serialize()
            .into_generator(),
        named: BTreeMap::new(),
    };
    answers.add::<ErrorAnswer>("error");
    answers.add::<ProbeAnswer>("probe");
    answers.add::<LineAnswer>("line");
    answers.add::<RankAnswer>("rank");
    answers.add::<StepAnswer>("step");
    answers.add::<TurnsAnswer>("turns");
    answers.add::<GameAnswer>("game");
    answers.add::<PlayAnswer>("play");
    answers.add::<RandomAnswer>("random");
    answers.add::<ReadAnswer>("read");
    answers.add::<RecordAnswer>("record");
    answers.add::<RuleSet>("rules");
    answers.add::<RuleSetsAnswer>("rulesets");
    answers.add::<ExplainAnswer>("explain");
    answers.add::<perft::PerftAnswer>("perft");
    answers.add::<StatsAnswer>("stats");
    answers.add::<records::RecordsAnswer>("records");
    answers.add::<list::ListAnswer>("list");
    answers.add::<BuildPlan>("buildPlan");
    answers.add::<build::BuildAnswer>("build");
    answers.add::<verify::VerifyAnswer>("verify");
    answers.add::<sums::SumsAnswer>("verifySums");
    answers.add::<repack::RepackAnswer>("repack");
    answers.add::<bundle::BundleAnswer>("bundle");
    answers.add::<dataset::DatasetAnswer>("dataset");
    answers.add::<ExportAnswer>("exported");
    answers.add::<MountAnswer>("mounted");
    answers.add::<CompareAnswer>("compared");
    answers.add::<prove::ProofAnswer>("prove");
    answers.add::<bench::BenchAnswer>("bench");
    answers.add::<review::ReviewedGame>("reviewedGame");
    answers.add::<ArchiveReport>("reviewedArchive");
    answers.add::<MatchReport>("match");
    answers.part::<matches::LogHeader>("matchLog");
    answers.part::<PlayedGame>("matchLogGame");
    answers.add::<judge::Judgement>("judge");
    answers.add::<PuzzlePack>("puzzles");
    answers.add::<CheckReport>("puzzlesChecked");
    answers.add::<serve::Ready>("listening");
    answers.add::<TablebaseAnswer>("tablebase");
    answers.add::<Health>("health");
    answers.add::<ServerBuild>("buildState");
    let Answers {
        mut generator,
        named,
    } = answers;
    let any: Vec<Json> = named
        .keys()
        .map(|name| json!({ "$ref": format!("#/$defs/{name}") }))
        .collect();
    let parts: Map<String, Json> = generator.take_definitions(true);
    let answers = named
        .into_iter()
        .map(|(name, part)| (name.to_owned(), part));
    let definitions: BTreeMap<String, Json> = parts.into_iter().chain(answers).collect();
    let mut text =
        String::from("{\n\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n");
    text += "\"title\": \"The JSON answers of millbase\",\n";
    text += "\"description\": \"One definition for each answer and for each part of one; JSON.md says what the fields mean. The schema itself accepts every answer, and '#/$defs/probe' that of probe.\",\n";
    writeln!(text, "\"anyOf\": {},\n\"$defs\": {{", Json::from(any)).expect("memory");
    let lines: Vec<String> = (definitions.into_iter())
        .map(|(name, mut definition)| {
            if name == "ReviewedTurn" {
                allow_nulls(&mut definition);
            }
            strict(&mut definition);
            format!("\"{name}\": {definition}")
        })
        .collect();
    text + &lines.join(",\n") + "\n}\n}\n"
}

/// Refuses unknown fields, negative measures, and depths of draws.
fn strict(definition: &mut Json) {
    measures(definition);
    let Some(properties) = definition.get("properties") else {
        return;
    };
    if properties.get("wdl").is_some() && properties.get("dtw").is_some() {
        definition["allOf"] = json!([
            { "if": { "properties": { "wdl": { "enum": ["draw", null] } } },
              "then": { "properties": { "dtw": { "type": "null" } } } },
        ]);
    }
    definition["unevaluatedProperties"] = false.into();
}

/// The fields of a verdict are null where there is none.
fn allow_nulls(turn: &mut Json) {
    const ALWAYS: [&str; 5] = ["number", "side", "phase", "position", "turn"];
    let properties = turn["properties"].as_object_mut().expect("fields");
    for (name, field) in properties.iter_mut() {
        if !ALWAYS.contains(&name.as_str()) {
            *field = json!({ "anyOf": [field.take(), { "type": "null" }] });
        }
    }
    turn["required"] = properties.keys().cloned().collect();
}

/// Numbers without a range are counts, sizes and times, from 0; only a skill may be negative.
fn measures(schema: &mut Json) {
    match schema {
        Json::Object(fields) => {
            let is_number = fields.get("type").is_some_and(|kind| {
                kind == "number"
                    || kind
                        .as_array()
                        .is_some_and(|kinds| kinds.contains(&"number".into()))
            });
            if is_number && !fields.contains_key("minimum") && !fields.contains_key("maximum") {
                fields.insert("minimum".to_owned(), 0.into());
            }
            let fields = fields
                .iter_mut()
                .filter(|(name, _)| !name.starts_with("skill"));
            fields.for_each(|(_, field)| measures(field));
        }
        Json::Array(items) => items.iter_mut().for_each(measures),
        _ => {}
    }
}

#[test]
fn the_schema_is_that_of_the_answers() {
    let text = schema();
    assert!(
        !text.contains("[`"),
        "its readers cannot follow the links of rustdoc"
    );
    if env::var_os("MILLBASE_WRITE_SCHEMA").is_some() {
        fs::write(FILE, &text).unwrap();
    }
    let file = fs::read_to_string(FILE).unwrap();
    assert!(
        file == text,
        "the answers have changed: describe them in docs/JSON.md, and write the schema with \
         MILLBASE_WRITE_SCHEMA=1 cargo test -p millbase-program --bin millbase schema"
    );
}
