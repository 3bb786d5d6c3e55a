//! Fragments that random statements alone would hardly ever make: each is a small idiom of C around random parts.

mod control;
mod data;
mod library;
mod pointers;

use super::Generator;
use super::scope::Reads;
use super::value::Binding;

impl Generator {
    /// One fragment.
    pub(super) fn piece(&mut self) {
        self.free_effects = 0;
        match self.random.below(28) {
            0 => self.copy_by_switch_into_loop(),
            1 => self.retry_by_goto(),
            2 => self.leave_nested_loops(),
            3 => self.skip_forward(),
            4 => self.recursion(),
            5 => self.function_table(),
            6 => self.static_counter(),
            7 => self.state_machine(),
            8 => self.union_views(),
            9 => self.bit_field_header(),
            10 => self.nested_initializers(),
            11 => self.compound_literals(),
            12 => self.overflow_builtins(),
            13 => self.bit_builtins(),
            14 => self.wide_integers(),
            15 => self.record_choice(),
            16 => self.selection_by_type(),
            17 => self.linked_list(),
            18 => self.growing_vector(),
            19 => self.walk_array(),
            20 => self.rows_of_matrix(),
            21 => self.bytes_of_object(),
            22 => self.pointers_to_pointers(),
            23 => self.run_time_length(),
            24 => self.strings(),
            25 => self.characters(),
            26 => self.variable_arguments(),
            _ => self.formatted(),
        }
    }

    /// A random integer expression as text that can stand as an operand or argument anywhere.
    fn operand(&mut self) -> String {
        self.integer(1, Reads::Everything).at(Binding::Postfix)
    }

    /// Writes lines given as one text, with the current indent.
    fn lines(&mut self, text: &str) {
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            self.line(line.trim_end());
        }
    }

    /// Adds a function or type at file scope.
    fn helper(&mut self, text: &str) {
        self.helpers.push_str(text.trim_start_matches('\n'));
        if !text.ends_with('\n') {
            self.helpers.push('\n');
        }
    }

    /// Folds the parts of a text that are random: `{0}`, `{1}`, … become the given strings.
    fn filled(text: &str, parts: &[&str]) -> String {
        let mut filled = text.to_string();
        for (index, part) in parts.iter().enumerate() {
            filled = filled.replace(&format!("<{index}>"), part);
        }
        filled
    }
}
