//! What `--format json` writes is what `docs/schema` promises: real outputs are checked against the schema,
//! and the schema is shown to refuse what it should. The part of JSON Schema that is used is checked here,
//! and a keyword that is not understood fails the test instead of being passed over.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace").to_owned()
}

fn schema() -> Value {
    let path = workspace().join("docs/schema/concord-1.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).expect("the schema")).expect("JSON")
}

fn written_by(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(arguments)
        .args(["--format", "json"])
        .current_dir(workspace())
        .output()
        .expect("concord can be run");
    // What `run` runs writes to standard output itself; its report is on standard error.
    let json = if arguments[0] == "run" { &output.stderr } else { &output.stdout };
    serde_json::from_slice(json)
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{}", String::from_utf8_lossy(&output.stderr)))
}

/// What is wrong with the value, with the path to it; nothing if it is as the schema says.
fn objection(root: &Value, schema: &Value, value: &Value, at: &str) -> Option<String> {
    let keywords = schema.as_object().unwrap_or_else(|| panic!("{at}: a schema is an object"));
    keywords.iter().find_map(|(keyword, rule)| violated(root, keywords, keyword, rule, value, at))
}

fn violated(
    root: &Value,
    keywords: &serde_json::Map<String, Value>,
    keyword: &str,
    rule: &Value,
    value: &Value,
    at: &str,
) -> Option<String> {
    let list = |value: &Value| value.as_array().cloned().expect("a list");
    let fails = |is_wrong: bool| is_wrong.then(|| format!("{at}: {keyword} {rule}, but it is {value}"));
    match keyword {
        "$schema" | "title" | "description" | "$defs" => None,
        "$ref" => {
            let pointer = rule.as_str().and_then(|text| text.strip_prefix('#')).expect("a reference inside");
            let target = root.pointer(pointer).unwrap_or_else(|| panic!("{pointer} is not there"));
            objection(root, target, value, at)
        }
        "const" => fails(rule != value),
        "enum" => fails(!list(rule).contains(value)),
        "type" => {
            let types = if rule.is_array() { list(rule) } else { vec![rule.clone()] };
            fails(!types.iter().any(|name| has_type(value, name.as_str().expect("a type"))))
        }
        "minimum" => fails(value.as_i64().zip(rule.as_i64()).is_some_and(|(value, least)| value < least)),
        "minItems" => fails(value.as_array().zip(rule.as_u64()).is_some_and(|(v, n)| (v.len() as u64) < n)),
        "required" => {
            let object = value.as_object()?;
            let missing =
                list(rule).into_iter().find(|name| !object.contains_key(name.as_str().expect("a name")));
            missing.map(|name| format!("{at}: {name} is missing"))
        }
        "properties" => rule
            .as_object()
            .expect("properties")
            .iter()
            .find_map(|(name, inner)| objection(root, inner, value.get(name)?, &format!("{at}/{name}"))),
        "additionalProperties" => {
            let listed = keywords.get("properties").and_then(Value::as_object);
            value.as_object()?.iter().find_map(|(name, inner)| {
                let is_listed = listed.is_some_and(|listed| listed.contains_key(name));
                if is_listed { None } else { objection(root, rule, inner, &format!("{at}/{name}")) }
            })
        }
        "items" => value
            .as_array()?
            .iter()
            .enumerate()
            .find_map(|(index, item)| objection(root, rule, item, &format!("{at}/{index}"))),
        "oneOf" => {
            let objections: Vec<Option<String>> =
                list(rule).iter().map(|choice| objection(root, choice, value, at)).collect();
            match objections.iter().filter(|objection| objection.is_none()).count() {
                1 => None,
                0 => Some(objections.into_iter().flatten().collect::<Vec<_>>().join("; or ")),
                count => Some(format!("{at}: fits {count} of the choices")),
            }
        }
        other => panic!("{at}: the keyword {other} is not checked here"),
    }
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the type {other} is not checked here"),
    }
}

fn assert_fits(arguments: &[&str]) -> Value {
    let (schema, document) = (schema(), written_by(arguments));
    if let Some(objection) = objection(&schema, &schema, &document, "") {
        panic!("{arguments:?}: {objection}");
    }
    document
}

#[test]
fn every_kind_of_result_is_as_the_schema_says() {
    let kinds = |document: &Value| -> Vec<String> {
        let results = document["results"].as_array().expect("results");
        let kind = |result: &Value| result["counterexample"]["kind"].as_str().map(str::to_owned);
        results.iter().filter_map(kind).collect()
    };
    let models = "examples/models";
    let diners = format!("{models}/dining_philosophers.lts");
    let deadlock = assert_fits(&["model", &diners]);
    assert_eq!(kinds(&deadlock), ["deadlock"]);
    let surge = assert_fits(&["model", &format!("{models}/surge_protector.lts"), "--formula", "F(x & !x)"]);
    assert!(["lasso", "maximal_path"].contains(&kinds(&surge)[0].as_str()));
    let buffer = format!("{models}/bounded_buffer.lts");
    assert_eq!(assert_fits(&["model", &buffer])["results"].as_array().expect("results").len(), 5);
    let tree =
        assert_fits(&["model", &diners, "--simulates", "HASTY", "FORK", "--unknown-actions", "forbidden"]);
    assert_eq!(kinds(&tree), ["tree"]);
    let path =
        assert_fits(&["model", &diners, "--traces", "HASTY", "FORK", "--unknown-actions", "forbidden"]);
    assert_eq!(kinds(&path), ["path"]);
    let learned = assert_fits(&[
        "model",
        &diners,
        "--process",
        "DINERS(2)",
        "--check",
        "property",
        "--engine",
        "learn1",
    ]);
    assert_eq!(learned["results"][0]["certificate"]["kind"], "assume_guarantee");
    let undecided = assert_fits(&[
        "model",
        &diners,
        "--process",
        "DINERS(2)",
        "--check",
        "deadlock",
        "--engine",
        "learn1",
    ]);
    assert_eq!(undecided["results"][0]["verdict"], "undecided");
}

#[test]
fn other_verbs_are_as_the_schema_says() {
    assert_fits(&["doctor"]);
    if Command::new("cc").arg("--version").output().is_ok_and(|output| output.status.success()) {
        let run = assert_fits(&["run", "examples/ring_buffer/ring_buffer.c"]);
        assert!(run["run"]["outcome"].is_string());
        let tasks = assert_fits(&["verify", "examples/crossing", "--time-limit", "20s"]);
        assert_eq!(tasks["tasks"].as_array().map(Vec::len), Some(2));
    }
}

/// Each verb with a result that holds, or none, and one that is violated.
#[test]
fn verbs_for_programs_are_as_the_schema_says() {
    let verdicts = |document: &Value| -> Vec<String> {
        let results = document["results"].as_array().expect("results");
        results.iter().map(|result| result["verdict"].as_str().expect("a word").to_owned()).collect()
    };
    let session = |server: &str| {
        let parts = [server, "server.spec", "client.c", "client.spec", "session.spec"]
            .map(|file| format!("examples/session/{file}"));
        let [server, server_spec, client, client_spec, session] = parts;
        let (server, client) = (format!("{server}+{server_spec}"), format!("{client}+{client_spec}"));
        assert_fits(&["check", &server, &client, &session])
    };
    assert!(verdicts(&session("server.c")).iter().all(|verdict| verdict == "holds"));
    assert!(verdicts(&session("server_bug.c")).contains(&"violated".to_owned()));
    let programs = "crates/boolprog/tests/programs";
    let update = |name: &str| {
        let file = format!("{programs}/{name}_update.bp");
        verdicts(&assert_fits(&["bool", &file, "--threads", "2"]))
    };
    assert_eq!((update("atomic")[0].as_str(), update("lost")[0].as_str()), ("holds", "violated"));
    let tank = ["analyze", "examples/tank/tank.c"];
    let formulas = assert_fits(&[&tank[..], &["--ctl", "examples/tank/tank.ctl"]].concat());
    assert!(verdicts(&formulas).contains(&"holds".to_owned()));
    assert_fits(&[&tank[..], &["--at", "15", "--variable", "level"]].concat());
    let folder = std::env::temp_dir().join(format!("concord-schema-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the programs");
    for (value, verdict) in [(1, "violated"), (0, "holds")] {
        let file = folder.join(format!("fails_{value}.c"));
        let text = format!(
            "void reach_error(void) {{}}\nint main(void) {{ if ({value}) reach_error(); return 0; }}\n"
        );
        std::fs::write(&file, text).expect("the program can be written");
        assert_eq!(verdicts(&assert_fits(&["verify", &file.to_string_lossy()])), [verdict]);
    }
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
}

#[test]
fn the_schema_refuses_what_it_should() {
    let schema = schema();
    let good = written_by(&["model", "examples/models/surge_protector.lts", "--check", "exactly"]);
    assert_eq!(objection(&schema, &schema, &good, ""), None);
    let spoiled: [(&str, Value); 6] = [
        ("/concord", json!(2)),
        ("/results", json!({})),
        ("/results/0/verdict", json!("maybe")),
        ("/results/0/statistics/states", json!("many")),
        ("/results/0/counterexample/kind", json!("poem")),
        ("/results/0/at/line", json!(0)),
    ];
    for (pointer, value) in spoiled {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer} is there")) = value;
        assert!(objection(&schema, &schema, &bad, "").is_some(), "{pointer}");
    }
    let mut bad = good.clone();
    bad["verb"] = json!("bool");
    bad["results"][0].as_object_mut().expect("an object").remove("reason");
    assert!(objection(&schema, &schema, &bad, "").is_some(), "a Boolean program's result has a reason");
    let mut bad = good.clone();
    bad["results"][0].as_object_mut().expect("an object").remove("engine");
    assert_eq!(
        objection(&schema, &schema, &bad, "").as_deref().map(|text| text.contains("\"engine\" is missing")),
        Some(true)
    );
}

#[test]
fn kinds_of_reasons_are_those_that_the_schema_lists() {
    let schema = schema();
    let listed = schema["$defs"]["reason_kind"]["enum"].as_array().expect("a list").clone();
    let kinds = verdict::Reason::KINDS.iter().map(|kind| json!(kind));
    assert_eq!(listed, std::iter::once(Value::Null).chain(kinds).collect::<Vec<_>>());
}

#[test]
fn an_open_answer_has_its_kind_beside_the_sentence() {
    let open =
        written_by(&["verify", "crates/concord/tests/suite/open_kind.c", "--engine", "bmc", "--unwind", "2"]);
    assert_eq!(open["results"][0]["reason_kind"], "size-limit", "{open}");
    let missing = written_by(&["verify", "crates/concord/tests/suite/missing_kind.c"]);
    assert_eq!(missing["results"][0]["reason_kind"], "missing-body", "{missing}");
}
