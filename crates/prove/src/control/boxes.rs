//! Many combinations of values as few conditions: combinations that differ in one place only become boxes (a
//! set of values for each place), and what is said of the others depends on the values of one of them.

use super::dimensions::Column;
use logic::TermId;
use std::collections::{BTreeMap, BTreeSet};
use symbolic::Terms;

/// A set of values for every column.
pub type Sets = Vec<BTreeSet<u128>>;

/// Conditions that together say: the columns have the values of one of the rows.
pub fn conditions(terms: &mut Terms, columns: &[Column], rows: BTreeSet<Vec<u128>>) -> Vec<TermId> {
    if rows.is_empty() {
        return vec![terms.no()];
    }
    let all: Sets = (0..columns.len()).map(|column| rows.iter().map(|row| row[column]).collect()).collect();
    let boxes = joined(rows);
    let mut found: Vec<TermId> =
        columns.iter().zip(&all).map(|(column, values)| among(terms, column, values)).collect();
    if boxes.len() > 1 {
        let pivot = (0..columns.len()).max_by_key(|&column| all[column].len()).unwrap_or(0);
        // Values of the pivot of which the same is said, with the boxes that say it.
        let mut groups: BTreeMap<Vec<usize>, BTreeSet<u128>> = BTreeMap::new();
        for &value in &all[pivot] {
            let of_value = (0..boxes.len()).filter(|&at| boxes[at][pivot].contains(&value)).collect();
            groups.entry(of_value).or_default().insert(value);
        }
        for (members, values) in groups {
            let is_here = among(terms, &columns[pivot], &values);
            let elsewhere = terms.not(is_here);
            if let [only] = members[..] {
                for column in (0..columns.len()).filter(|&column| column != pivot) {
                    if boxes[only][column] != all[column] {
                        let inside = among(terms, &columns[column], &boxes[only][column]);
                        found.push(terms.or(elsewhere, inside));
                    }
                }
                continue;
            }
            let mut ways = vec![elsewhere];
            for &member in &members {
                let mut sides = Vec::new();
                for column in (0..columns.len()).filter(|&column| column != pivot) {
                    if boxes[member][column] != all[column] {
                        sides.push(among(terms, &columns[column], &boxes[member][column]));
                    }
                }
                ways.push(terms.pool.all_of(&sides));
            }
            found.push(terms.any(&ways));
        }
    }
    found.retain(|&condition| terms.truth(condition) != Some(true));
    found
}

/// That a column has one of these values.
pub fn among(terms: &mut Terms, column: &Column, values: &BTreeSet<u128>) -> TermId {
    let same: Vec<TermId> = values.iter().map(|&value| column.is(terms, value)).collect();
    terms.any(&same)
}

/// Rows as boxes; boxes that differ in one column only become one.
pub fn joined(rows: BTreeSet<Vec<u128>>) -> Vec<Sets> {
    let mut boxes: Vec<Sets> =
        rows.into_iter().map(|row| row.into_iter().map(|value| BTreeSet::from([value])).collect()).collect();
    let columns = boxes.first().map_or(0, Vec::len);
    loop {
        let before = boxes.len();
        for column in 0..columns {
            let mut by_rest: BTreeMap<Sets, BTreeSet<u128>> = BTreeMap::new();
            for mut sets in boxes {
                let own = std::mem::take(&mut sets[column]);
                by_rest.entry(sets).or_default().extend(own);
            }
            boxes = by_rest
                .into_iter()
                .map(|(mut sets, own)| {
                    sets[column] = own;
                    sets
                })
                .collect();
        }
        if boxes.len() == before {
            return boxes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Does a row satisfy the boxes?
    fn has(boxes: &[Sets], row: &[u128]) -> bool {
        boxes.iter().any(|sets| sets.iter().zip(row).all(|(set, value)| set.contains(value)))
    }

    #[test]
    fn boxes_hold_the_rows_and_nothing_else() {
        let mut seed = 7u64;
        for _ in 0..200 {
            let mut rows = BTreeSet::new();
            for number in 0..27u128 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                if seed >> 62 == 0 {
                    rows.insert(vec![number % 3, number / 3 % 3, number / 9]);
                }
            }
            let boxes = joined(rows.clone());
            assert!(boxes.len() <= rows.len());
            for number in 0..27u128 {
                let row = vec![number % 3, number / 3 % 3, number / 9];
                assert_eq!(has(&boxes, &row), rows.contains(&row), "{row:?} of {rows:?}");
            }
        }
    }

    #[test]
    fn conditions_say_exactly_the_rows() {
        use logic::evaluate::Evaluator;
        use logic::{Model, Sort, Value};
        let mut terms = Terms::default();
        let columns: Vec<Column> =
            (0..3).map(|_| Column::new(terms.fresh("column", Sort::BitVec(8)), (0..3).collect())).collect();
        let mut seed = 11u64;
        for _ in 0..60 {
            let mut rows = BTreeSet::new();
            for number in 0..27u128 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                if seed >> 62 == 0 {
                    rows.insert(vec![number % 3, number / 3 % 3, number / 9]);
                }
            }
            let conditions = conditions(&mut terms, &columns, rows.clone());
            for number in 0..64u128 {
                let row = vec![number % 4, number / 4 % 4, number / 16];
                let mut model = Model::default();
                for (column, &value) in columns.iter().zip(&row) {
                    model.set(column.term, Value::Bits(logic::Bits::from_u64(8, value as u64)));
                }
                let mut evaluator = Evaluator::new(&model);
                let holds = conditions
                    .iter()
                    .all(|&condition| evaluator.evaluate(&terms.pool, condition) == Ok(Value::Bool(true)));
                assert_eq!(holds, rows.contains(&row), "{row:?} of {rows:?}");
            }
        }
    }
}
