//! Assume-guarantee reasoning with learned assumptions (AG sections 2-4): a property of many components is
//! proved from premises about one component each and what it may assume of the others. `guarded` answers the
//! teacher's questions about one component; `rule1` is the asymmetric rule, applied again to its own second
//! premise; `rule2` the symmetric one; `oracle` asks other engines about several components at once;
//! `assumption` is what was learned, as a structure and as FSP.

mod assumption;
mod guarded;
mod oracle;
mod property;
mod rule1;
mod rule2;

pub use assumption::{as_fsp, as_lks};
pub use rule1::by_rule_1;
pub use rule2::by_rule_2;
