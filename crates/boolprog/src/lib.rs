//! Boolean programs, after Basler's thesis ("BOOM"): the language, graphs, and one engine per question.
