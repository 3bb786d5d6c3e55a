//! Figures of a run, each with its unit, in the order they were recorded.

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Things, such as states.
    Count,
    /// Bytes of memory.
    Bytes,
    /// Microseconds of time.
    Microseconds,
}

/// One figure: what was counted, how much, in which unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistic {
    /// What it is, such as `states`.
    pub name: &'static str,
    /// The figure itself, in its unit.
    pub value: u64,
    /// In which unit.
    pub unit: Unit,
}

/// The figures of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// In the order of recording; a name appears once.
    pub figures: Vec<Statistic>,
}

impl Statistics {
    /// Sets a count.
    pub fn count(&mut self, name: &'static str, value: u64) {
        self.record(Statistic { name, value, unit: Unit::Count });
    }

    /// Sets a time.
    pub fn time(&mut self, name: &'static str, time: std::time::Duration) {
        let value = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.record(Statistic { name, value, unit: Unit::Microseconds });
    }

    /// Sets a figure, replacing an earlier one of that name.
    pub fn record(&mut self, figure: Statistic) {
        match self.figures.iter_mut().find(|known| known.name == figure.name) {
            Some(known) => *known = figure,
            None => self.figures.push(figure),
        }
    }

    /// The value under this name.
    pub fn value(&self, name: &str) -> Option<u64> {
        self.figures.iter().find(|figure| figure.name == name).map(|figure| figure.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_figure_replaces_the_earlier() {
        let mut statistics = Statistics::default();
        statistics.count("states", 3);
        statistics.count("states", 5);
        assert_eq!(statistics.value("states"), Some(5));
        assert_eq!(statistics.figures.len(), 1);
    }
}
