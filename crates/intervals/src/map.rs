//! Maps from small numbers that are cheap to copy and to join: Patricia trees after Okasaki and Gill 1998,
//! whose equal parts are shared, so that joining two states that differ in few variables looks at those only
//! (as Astrée does). Every tree knows a hash of what is in it, so different maps are told apart at once (Merkle).

use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A map from `u32`.
#[derive(Clone, Debug)]
pub struct Map<V> {
    root: Option<Arc<Node<V>>>,
}

#[derive(Debug)]
enum Node<V> {
    Leaf {
        key: u32,
        value: V,
        hash: u64,
    },
    /// Keys agree below the bit; those without it are on the left.
    Branch {
        prefix: u32,
        bit: u32,
        left: Arc<Node<V>>,
        right: Arc<Node<V>>,
        hash: u64,
    },
}

impl<V> Default for Map<V> {
    fn default() -> Map<V> {
        Map { root: None }
    }
}

/// What becomes of keys that only one of two maps has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lone {
    /// What only one side has is kept.
    Keep,
    /// What only one side has is dropped.
    Drop,
}

fn branch<V>(one: Arc<Node<V>>, one_prefix: u32, other: Arc<Node<V>>, other_prefix: u32) -> Arc<Node<V>> {
    let differing = one_prefix ^ other_prefix;
    let bit = differing & differing.wrapping_neg();
    let prefix = one_prefix & (bit - 1);
    let (left, right) = if one_prefix & bit == 0 { (one, other) } else { (other, one) };
    fork(prefix, bit, left, right)
}

fn leaf_of<V: Hash>(key: u32, value: V) -> Arc<Node<V>> {
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    value.hash(&mut hasher);
    Arc::new(Node::Leaf { key, value, hash: hasher.finish() })
}

fn fork<V>(prefix: u32, bit: u32, left: Arc<Node<V>>, right: Arc<Node<V>>) -> Arc<Node<V>> {
    let mut hasher = FxHasher::default();
    (bit, left.hash(), right.hash()).hash(&mut hasher);
    let hash = hasher.finish();
    Arc::new(Node::Branch { prefix, bit, left, right, hash })
}

impl<V> Node<V> {
    fn hash(&self) -> u64 {
        match self {
            Node::Leaf { hash, .. } | Node::Branch { hash, .. } => *hash,
        }
    }

    fn prefix(&self) -> u32 {
        match self {
            Node::Leaf { key, .. } => *key,
            Node::Branch { prefix, .. } => *prefix,
        }
    }
}

fn rebuilt<V>(
    prefix: u32,
    bit: u32,
    left: Option<Arc<Node<V>>>,
    right: Option<Arc<Node<V>>>,
) -> Option<Arc<Node<V>>> {
    match (left, right) {
        (Some(left), Some(right)) => Some(fork(prefix, bit, left, right)),
        (one, other) => one.or(other),
    }
}

impl<V: Clone + PartialEq + Hash> Map<V> {
    /// An empty map.
    pub fn new() -> Map<V> {
        Map::default()
    }

    /// Is there nothing in it?
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Do both share one tree? Quick; may say no for equal maps.
    pub fn is_same(&self, other: &Map<V>) -> bool {
        match (&self.root, &other.root) {
            (None, None) => true,
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            _ => false,
        }
    }

    /// The value of a key.
    pub fn get(&self, key: u32) -> Option<&V> {
        let mut node = self.root.as_deref()?;
        loop {
            match node {
                Node::Leaf { key: found, value, .. } => return (*found == key).then_some(value),
                Node::Branch { bit, left, right, .. } => node = if key & bit == 0 { left } else { right },
            }
        }
    }

    /// Sets the value of a key.
    pub fn insert(&mut self, key: u32, value: V) {
        self.root = Some(match &self.root {
            None => leaf_of(key, value),
            Some(root) => insert(root, key, value),
        });
    }

    /// Removes a key.
    pub fn remove(&mut self, key: u32) {
        if let Some(root) = &self.root
            && self.get(key).is_some()
        {
            self.root = remove(root, key);
        }
    }

    /// Calls `visit` on every pair.
    pub fn for_each<'a>(&'a self, visit: &mut dyn FnMut(u32, &'a V)) {
        if let Some(root) = &self.root {
            for_each(root, visit);
        }
    }

    /// The keys that have a value, in the order of the tree.
    pub fn keys(&self) -> Vec<u32> {
        let mut keys = Vec::new();
        self.for_each(&mut |key, _| keys.push(key));
        keys
    }

    /// Both maps together: `combine` for keys in both (never asked about shared parts, which stay), `lone`
    /// for the rest.
    pub fn merge(
        &self,
        other: &Map<V>,
        lone: (Lone, Lone),
        combine: &mut dyn FnMut(u32, &V, &V) -> Option<V>,
    ) -> Map<V> {
        let root = match (&self.root, &other.root) {
            (None, None) => None,
            (Some(one), None) => (lone.0 == Lone::Keep).then(|| one.clone()),
            (None, Some(two)) => (lone.1 == Lone::Keep).then(|| two.clone()),
            (Some(one), Some(two)) => merge(one, two, lone, combine),
        };
        Map { root }
    }

    /// Calls `visit` with both values of each key that has different ones.
    pub fn differences(&self, other: &Map<V>, visit: &mut dyn FnMut(Option<&V>, Option<&V>)) {
        differ(self.root.as_ref(), other.root.as_ref(), visit);
    }

    /// Does every key of `other` have a value here that `fits` its value there?
    pub fn covers_keys_of(&self, other: &Map<V>, fits: &mut dyn FnMut(&V, &V) -> bool) -> bool {
        if self.is_same(other) {
            return true;
        }
        match (&self.root, &other.root) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(one), Some(two)) => covers(one, two, fits),
        }
    }
}

impl<V: Clone + PartialEq> PartialEq for Map<V> {
    fn eq(&self, other: &Map<V>) -> bool {
        fn same<V: PartialEq>(one: &Arc<Node<V>>, two: &Arc<Node<V>>) -> bool {
            if Arc::ptr_eq(one, two) {
                return true;
            }
            if one.hash() != two.hash() {
                return false;
            }
            match (&**one, &**two) {
                (Node::Leaf { key: a, value: x, .. }, Node::Leaf { key: b, value: y, .. }) => {
                    a == b && x == y
                }
                (
                    Node::Branch { prefix: p, bit: a, left: l, right: r, .. },
                    Node::Branch { prefix: q, bit: b, left: m, right: s, .. },
                ) => p == q && a == b && same(l, m) && same(r, s),
                _ => false,
            }
        }
        match (&self.root, &other.root) {
            (None, None) => true,
            (Some(one), Some(two)) => same(one, two),
            _ => false,
        }
    }
}

fn insert<V: PartialEq + Hash>(node: &Arc<Node<V>>, key: u32, value: V) -> Arc<Node<V>> {
    match &**node {
        Node::Leaf { key: found, value: old, .. } if *found == key => {
            if *old == value {
                node.clone()
            } else {
                leaf_of(key, value)
            }
        }
        Node::Leaf { key: found, .. } => branch(leaf_of(key, value), key, node.clone(), *found),
        Node::Branch { prefix, bit, left, right, .. } => {
            if key & (bit - 1) != *prefix {
                return branch(leaf_of(key, value), key, node.clone(), *prefix);
            }
            let (left, right) = if key & bit == 0 {
                let new = insert(left, key, value);
                if Arc::ptr_eq(&new, left) {
                    return node.clone();
                }
                (new, right.clone())
            } else {
                let new = insert(right, key, value);
                if Arc::ptr_eq(&new, right) {
                    return node.clone();
                }
                (left.clone(), new)
            };
            fork(*prefix, *bit, left, right)
        }
    }
}

fn remove<V>(node: &Arc<Node<V>>, key: u32) -> Option<Arc<Node<V>>> {
    match &**node {
        Node::Leaf { key: found, .. } => (*found != key).then(|| node.clone()),
        Node::Branch { prefix, bit, left, right, .. } => {
            if key & bit == 0 {
                rebuilt(*prefix, *bit, remove(left, key), Some(right.clone()))
            } else {
                rebuilt(*prefix, *bit, Some(left.clone()), remove(right, key))
            }
        }
    }
}

fn for_each<'a, V>(node: &'a Node<V>, visit: &mut dyn FnMut(u32, &'a V)) {
    match node {
        Node::Leaf { key, value, .. } => visit(*key, value),
        Node::Branch { left, right, .. } => {
            for_each(left, visit);
            for_each(right, visit);
        }
    }
}

fn lookup<V>(mut node: &Node<V>, key: u32) -> Option<&V> {
    loop {
        match node {
            Node::Leaf { key: found, value, .. } => return (*found == key).then_some(value),
            Node::Branch { bit, left, right, .. } => node = if key & bit == 0 { left } else { right },
        }
    }
}

type Combine<'a, V> = &'a mut dyn FnMut(u32, &V, &V) -> Option<V>;

/// A single key of one side against a whole tree of the other.
fn merge_leaf<V: Clone + PartialEq + Hash>(
    leaf: &Arc<Node<V>>,
    tree: &Arc<Node<V>>,
    (of_leaf, of_tree): (Lone, Lone),
    combine: &mut dyn FnMut(&V, &V) -> Option<V>,
) -> Option<Arc<Node<V>>> {
    let Node::Leaf { key, value, .. } = &**leaf else { unreachable!("a leaf is merged here") };
    match lookup(tree, *key) {
        None => match (of_leaf, of_tree) {
            (Lone::Keep, Lone::Keep) => Some(insert(tree, *key, value.clone())),
            (Lone::Keep, Lone::Drop) => Some(leaf.clone()),
            (Lone::Drop, Lone::Keep) => Some(tree.clone()),
            (Lone::Drop, Lone::Drop) => None,
        },
        Some(other) => {
            let combined = if value == other { Some(value.clone()) } else { combine(value, other) };
            match (combined, of_tree) {
                (Some(value), Lone::Keep) => Some(insert(tree, *key, value)),
                (Some(combined), Lone::Drop) => {
                    if combined == *value {
                        Some(leaf.clone())
                    } else {
                        Some(leaf_of(*key, combined))
                    }
                }
                (None, Lone::Keep) => remove(tree, *key),
                (None, Lone::Drop) => None,
            }
        }
    }
}

fn merge<V: Clone + PartialEq + Hash>(
    one: &Arc<Node<V>>,
    two: &Arc<Node<V>>,
    lone: (Lone, Lone),
    combine: Combine<'_, V>,
) -> Option<Arc<Node<V>>> {
    if Arc::ptr_eq(one, two) {
        return Some(one.clone());
    }
    match (&**one, &**two) {
        (Node::Leaf { key, .. }, _) => {
            merge_leaf(one, two, lone, &mut |own, other| combine(*key, own, other))
        }
        (_, Node::Leaf { key, .. }) => {
            merge_leaf(two, one, (lone.1, lone.0), &mut |own, other| combine(*key, other, own))
        }
        (
            Node::Branch { prefix: p, bit: a, left: l, right: r, .. },
            Node::Branch { prefix: q, bit: b, left: m, right: s, .. },
        ) => {
            let keep_one = || (lone.0 == Lone::Keep).then(|| one.clone());
            let keep_two = || (lone.1 == Lone::Keep).then(|| two.clone());
            if a == b && p == q {
                let left = merge(l, m, lone, combine);
                let right = merge(r, s, lone, combine);
                if let (Some(left), Some(right)) = (&left, &right) {
                    if Arc::ptr_eq(left, l) && Arc::ptr_eq(right, r) {
                        return Some(one.clone());
                    }
                    if Arc::ptr_eq(left, m) && Arc::ptr_eq(right, s) {
                        return Some(two.clone());
                    }
                }
                rebuilt(*p, *a, left, right)
            } else if a < b && q & (a - 1) == *p {
                // All of `two` lies on one side of `one`.
                let keep = |part: &Arc<Node<V>>| (lone.0 == Lone::Keep).then(|| part.clone());
                if q & a == 0 {
                    rebuilt(*p, *a, merge(l, two, lone, combine), keep(r))
                } else {
                    rebuilt(*p, *a, keep(l), merge(r, two, lone, combine))
                }
            } else if b < a && p & (b - 1) == *q {
                let keep = |part: &Arc<Node<V>>| (lone.1 == Lone::Keep).then(|| part.clone());
                if p & b == 0 {
                    rebuilt(*q, *b, merge(one, m, lone, combine), keep(s))
                } else {
                    rebuilt(*q, *b, keep(m), merge(one, s, lone, combine))
                }
            } else {
                match (keep_one(), keep_two()) {
                    (Some(one), Some(two)) => {
                        let (p, q) = (one.prefix(), two.prefix());
                        Some(branch(one, p, two, q))
                    }
                    (one, two) => one.or(two),
                }
            }
        }
    }
}

fn differ<V: PartialEq>(
    one: Option<&Arc<Node<V>>>,
    two: Option<&Arc<Node<V>>>,
    visit: &mut dyn FnMut(Option<&V>, Option<&V>),
) {
    let (one, two) = match (one, two) {
        (Some(one), Some(two)) => (one, two),
        (Some(one), None) => return for_each(one, &mut |_, value| visit(Some(value), None)),
        (None, Some(two)) => return for_each(two, &mut |_, value| visit(None, Some(value))),
        (None, None) => return,
    };
    if Arc::ptr_eq(one, two) || one.hash() == two.hash() {
        return;
    }
    match (&**one, &**two) {
        (Node::Leaf { key, value, .. }, _) => {
            let mut is_met = false;
            for_each(two, &mut |other, against| match other == *key {
                true => {
                    is_met = true;
                    if value != against {
                        visit(Some(value), Some(against));
                    }
                }
                false => visit(None, Some(against)),
            });
            if !is_met {
                visit(Some(value), None);
            }
        }
        (Node::Branch { .. }, Node::Leaf { .. }) => {
            differ(Some(two), Some(one), &mut |two, one| visit(one, two))
        }
        (
            Node::Branch { prefix: p, bit: a, left: l, right: r, .. },
            Node::Branch { prefix: q, bit: b, left: m, right: s, .. },
        ) => {
            if a == b && p == q {
                differ(Some(l), Some(m), visit);
                differ(Some(r), Some(s), visit);
            } else if a < b && q & (a - 1) == *p {
                let (left, right) = if q & a == 0 { (Some(two), None) } else { (None, Some(two)) };
                differ(Some(l), left, visit);
                differ(Some(r), right, visit);
            } else if b < a && p & (b - 1) == *q {
                let (left, right) = if p & b == 0 { (Some(one), None) } else { (None, Some(one)) };
                differ(left, Some(m), visit);
                differ(right, Some(s), visit);
            } else {
                differ(Some(one), None, visit);
                differ(None, Some(two), visit);
            }
        }
    }
}

fn covers<V>(one: &Arc<Node<V>>, two: &Arc<Node<V>>, fits: &mut dyn FnMut(&V, &V) -> bool) -> bool {
    if Arc::ptr_eq(one, two) {
        return true;
    }
    match (&**one, &**two) {
        (_, Node::Leaf { key, value, .. }) => lookup(one, *key).is_some_and(|own| fits(own, value)),
        (Node::Leaf { .. }, Node::Branch { .. }) => false,
        (
            Node::Branch { prefix: p, bit: a, left: l, right: r, .. },
            Node::Branch { prefix: q, bit: b, left: m, right: s, .. },
        ) => {
            if a == b && p == q {
                covers(l, m, fits) && covers(r, s, fits)
            } else if a < b && q & (a - 1) == *p {
                covers(if q & a == 0 { l } else { r }, two, fits)
            } else {
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn build(pairs: &[(u32, u8)]) -> (Map<u8>, BTreeMap<u32, u8>) {
        let mut map = Map::new();
        for &(key, value) in pairs {
            map.insert(key, value);
        }
        (map, pairs.iter().copied().collect())
    }

    fn content(map: &Map<u8>) -> BTreeMap<u32, u8> {
        let mut all = BTreeMap::new();
        map.for_each(&mut |key, value| {
            assert!(all.insert(key, *value).is_none(), "a key stands once");
        });
        all
    }

    proptest! {
        #[test]
        fn maps_behave_as_maps(
            one in prop::collection::vec((0u32..40, any::<u8>()), 0..20),
            changes in prop::collection::vec((0u32..40, any::<u8>(), any::<bool>()), 0..20),
            keep_left in any::<bool>(),
            keep_right in any::<bool>(),
        ) {
            let (map, model) = build(&one);
            let (mut other, mut other_model) = (map.clone(), model.clone());
            for (key, value, is_removed) in changes {
                if is_removed {
                    other.remove(key);
                    other_model.remove(&key);
                } else {
                    other.insert(key, value);
                    other_model.insert(key, value);
                }
            }
            prop_assert_eq!(content(&map), model.clone());
            prop_assert_eq!(content(&other), other_model.clone());
            prop_assert_eq!(map == other, model == other_model);
            let lone = |keep: bool| if keep { Lone::Keep } else { Lone::Drop };
            let combine = |a: u8, b: u8| (a.max(b) < 240).then(|| a.max(b));
            let merged = map.merge(&other, (lone(keep_left), lone(keep_right)), &mut |_, a, b| combine(*a, *b));
            let mut expected = BTreeMap::new();
            for key in 0..40 {
                let value = match (model.get(&key), other_model.get(&key)) {
                    (Some(&a), Some(&b)) => if a == b { Some(a) } else { combine(a, b) },
                    (Some(&a), None) if keep_left => Some(a),
                    (None, Some(&b)) if keep_right => Some(b),
                    _ => None,
                };
                if let Some(value) = value {
                    expected.insert(key, value);
                }
            }
            prop_assert_eq!(content(&merged), expected);
            let covers = other_model.iter().all(|(key, b)| model.get(key).is_some_and(|a| a <= b));
            prop_assert_eq!(map.covers_keys_of(&other, &mut |a, b| a <= b), covers);
        }
    }
}
