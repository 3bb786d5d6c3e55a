//! When are two states the same to everyone? Strong, branching and weak bisimulation, and the quotients by
//! them.

mod blocks;
mod branching;
mod cluster_graph;
mod clusters;
mod compare;
mod signature;
mod strong;
mod weak;

pub use branching::{Divergence, branching_partition, branching_partition_counted};
pub(crate) use compare::quotient_by;
pub use compare::{Equivalence, bisimilar, partition_by, smallest};
pub use strong::{strong_partition, strong_partition_counted};
pub use weak::weak_partition;
