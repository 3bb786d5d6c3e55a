//! Times and sizes as people write them on a command line.

use std::time::Duration;

/// `90`, `90s`, `5m`, `1h`, `250ms`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let factor = match unit {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("`{unit}` is not a unit of time; write for example 90s, 5m or 1h")),
    };
    let number: f64 = number.parse().map_err(|_| "write for example 90s, 5m or 1h".to_string())?;
    Duration::try_from_secs_f64(number * factor).map_err(|error| error.to_string())
}

/// `500M`, `2G`, `1048576`: bytes, with powers of 1024.
pub fn bytes(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let shift = match unit.trim_end_matches(['B', 'b']).trim_end_matches('i') {
        "" => 0,
        "k" | "K" => 10,
        "m" | "M" => 20,
        "g" | "G" => 30,
        _ => return Err(format!("`{unit}` is not a unit of memory; write for example 500M or 2G")),
    };
    let number: f64 = number.parse().map_err(|_| "write for example 500M or 2G".to_string())?;
    let bytes = number * (1u64 << shift) as f64;
    if bytes.is_finite() && (0.0..1e18).contains(&bytes) {
        Ok(bytes as u64)
    } else {
        Err("out of range".to_string())
    }
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert!(duration("5x").is_err());
        assert!(duration("fast").is_err());
        assert!(duration("-3").is_err());
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes("2G"), Ok(2 << 30));
        assert_eq!(bytes("500MiB"), Ok(500 << 20));
        assert_eq!(bytes("12"), Ok(12));
        assert!(bytes("2 parsecs").is_err());
        assert!(bytes("").is_err());
    }
}
