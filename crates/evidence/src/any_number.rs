//! What a proof for any number of threads supposes of those that are not followed, in a certificate: conditions and counts by number, each with its words for whoever reads it.
//! The words are not read back.

use crate::certificate::BadCertificate;
use program::BinaryOp;
use serde_json::{Value, json};
use threads::{Condition, Fact, Operand, Tally};

/// What is supposed, and of how many threads it is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnyNumber {
    /// Threads of each class that are followed.
    pub followed: u32,
    /// The conditions, each in the program's words.
    pub conditions: Vec<(Condition, String)>,
    /// Counts of threads that they speak of.
    pub tallies: Vec<Tally>,
}

const COMPARISONS: [(&str, BinaryOp); 6] = [
    ("==", BinaryOp::Equal),
    ("!=", BinaryOp::NotEqual),
    ("<", BinaryOp::Less),
    ("<=", BinaryOp::LessEqual),
    (">", BinaryOp::Greater),
    (">=", BinaryOp::GreaterEqual),
];

impl AnyNumber {
    /// As a part of a certificate.
    pub fn to_json(&self) -> Value {
        let conditions: Vec<Value> = self
            .conditions
            .iter()
            .map(|(condition, words)| json!({ "at": condition.at, "fact": fact_json(&condition.fact), "words": words }))
            .collect();
        let tallies: Vec<Value> = self.tallies.iter().map(|tally| json!(tally.weights)).collect();
        json!({ "followed": self.followed, "conditions": conditions, "counts": tallies })
    }

    /// From a part of a certificate.
    pub fn read(value: &Value) -> Result<AnyNumber, BadCertificate> {
        let followed = value["followed"].as_u64().and_then(|number| u32::try_from(number).ok());
        let conditions = list(&value["conditions"], "conditions")?.iter().map(condition);
        let tallies = list(&value["counts"], "counts")?.iter().map(tally);
        Ok(AnyNumber {
            followed: followed.ok_or("`followed` is no number")?,
            conditions: conditions.collect::<Result<_, _>>()?,
            tallies: tallies.collect::<Result<_, _>>()?,
        })
    }
}

fn list<'v>(value: &'v Value, name: &str) -> Result<&'v [Value], BadCertificate> {
    Ok(value.as_array().ok_or_else(|| format!("`{name}` is no list"))?)
}

fn position(value: &Value, name: &str) -> Result<usize, BadCertificate> {
    let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
    Ok(number.ok_or_else(|| format!("`{name}` is no number"))?)
}

fn tally(value: &Value) -> Result<Tally, BadCertificate> {
    let weights = list(value, "counts")?.iter().map(|weight| {
        let number = weight[2].as_i64().ok_or("a weight is no number")?;
        Ok::<_, BadCertificate>((position(&weight[0], "counts")?, position(&weight[1], "counts")?, number))
    });
    Ok(Tally { weights: weights.collect::<Result<_, _>>()? })
}

fn condition(value: &Value) -> Result<(Condition, String), BadCertificate> {
    let at = list(&value["at"], "at")?
        .iter()
        .map(|pair| Ok::<_, BadCertificate>((position(&pair[0], "at")?, position(&pair[1], "at")?)));
    let condition = Condition { at: at.collect::<Result<_, _>>()?, fact: fact(&value["fact"])? };
    Ok((condition, value["words"].as_str().unwrap_or_default().to_owned()))
}

fn fact_json(fact: &Fact) -> Value {
    match fact {
        Fact::Never => json!("never"),
        Fact::Compare(op, left, right) => {
            let sign = COMPARISONS.iter().find(|(_, known)| known == op).map_or("?", |(sign, _)| sign);
            json!({ "compare": sign, "left": operand_json(left), "right": operand_json(right) })
        }
        Fact::Before { one, from, other } => {
            json!({ "before": operand_json(one), "from": operand_json(from), "other": operand_json(other) })
        }
        Fact::Reads { lock, times } => json!({ "reads": lock, "times": times }),
        Fact::While { free, is, op, left, right } => {
            let compared = fact_json(&Fact::Compare(*op, left.clone(), right.clone()));
            json!({ "while": free, "is": is.to_string(), "fact": compared })
        }
        Fact::Parity { of, is_odd } => json!({ "odd": is_odd, "of": operand_json(of) }),
        Fact::Counts { shared, tally, more } => json!({ "counts": shared, "count": tally, "more": more }),
    }
}

fn fact(value: &Value) -> Result<Fact, BadCertificate> {
    if value == "never" {
        return Ok(Fact::Never);
    }
    if let Some(sign) = value["compare"].as_str() {
        let op = COMPARISONS.iter().find(|(known, _)| *known == sign).map(|(_, op)| *op);
        let op = op.ok_or_else(|| format!("there is no comparison `{sign}`"))?;
        return Ok(Fact::Compare(op, operand(&value["left"])?, operand(&value["right"])?));
    }
    if !value["reads"].is_null() {
        let times = value["times"].as_u64().and_then(|times| u8::try_from(times).ok());
        let times = times.ok_or("`times` is no small number")?;
        return Ok(Fact::Reads { lock: position(&value["reads"], "reads")?, times });
    }
    if !value["while"].is_null() {
        let free = position(&value["while"], "while")?;
        let is = value["is"].as_str().and_then(|number| number.parse().ok());
        let is = is.ok_or("`is` is no number")?;
        let Fact::Compare(op, left, right) = fact(&value["fact"])? else {
            return Err("what holds for a while is no comparison".into());
        };
        return Ok(Fact::While { free, is, op, left, right });
    }
    if let Some(is_odd) = value["odd"].as_bool() {
        return Ok(Fact::Parity { of: operand(&value["of"])?, is_odd });
    }
    if !value["before"].is_null() {
        let (one, from) = (operand(&value["before"])?, operand(&value["from"])?);
        return Ok(Fact::Before { one, from, other: operand(&value["other"])? });
    }
    let (shared, tally) = (position(&value["counts"], "counts")?, position(&value["count"], "count")?);
    let more = value["more"].as_i64().ok_or("`more` is no number")?;
    Ok(Fact::Counts { shared, tally, more })
}

fn operand_json(operand: &Operand) -> Value {
    match operand {
        Operand::Shared(number) => json!({ "shared": number }),
        Operand::Own(thread, local) => json!({ "own": local, "of": thread }),
        Operand::Number(number) => json!({ "number": number.to_string() }),
        Operand::Itself(thread) => json!({ "itself": thread }),
    }
}

fn operand(value: &Value) -> Result<Operand, BadCertificate> {
    if !value["shared"].is_null() {
        return Ok(Operand::Shared(position(&value["shared"], "shared")?));
    }
    if !value["own"].is_null() {
        return Ok(Operand::Own(position(&value["of"], "of")?, position(&value["own"], "own")?));
    }
    if let Some(number) = value["number"].as_str() {
        return Ok(Operand::Number(number.parse().map_err(|_| format!("`{number}` is no number"))?));
    }
    Ok(Operand::Itself(position(&value["itself"], "itself")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let (own, shared) = (Operand::Own(1, 3), Operand::Shared(2));
        let facts = [
            Fact::Never,
            Fact::Compare(BinaryOp::LessEqual, own.clone(), Operand::Number(-(1 << 70))),
            Fact::Compare(BinaryOp::Equal, shared.clone(), Operand::Itself(0)),
            Fact::Parity { of: own.clone(), is_odd: true },
            Fact::Before { one: own, from: shared, other: Operand::Shared(0) },
            Fact::Counts { shared: 1, tally: 0, more: -2 },
            Fact::Reads { lock: 3, times: 1 },
            Fact::While {
                free: 1,
                is: -3,
                op: BinaryOp::Less,
                left: Operand::Shared(0),
                right: Operand::Shared(2),
            },
        ];
        let conditions =
            facts.into_iter().map(|fact| (Condition { at: vec![(0, 4), (1, 2)], fact }, "so".to_owned()));
        let tallies = vec![Tally { weights: vec![(0, 4, 1), (1, 2, 3)] }];
        let all = AnyNumber { followed: 2, conditions: conditions.collect(), tallies };
        assert_eq!(AnyNumber::read(&all.to_json()), Ok(all.clone()));
        for name in ["followed", "conditions", "counts"] {
            let mut broken = all.to_json();
            broken[name] = json!("x");
            assert!(AnyNumber::read(&broken).is_err(), "{name}");
        }
    }
}
