//! Positions across the layers, narrower than the layout's own.
//!
//! `dagre` decides which layer everything is in and the order within each layer. Its positions (Brandes, Köpf
//! 2002) keep long arrows straight at the price of width: a `switch` with thirty cases becomes ten thousand
//! pixels wide. Here every item of a layer is drawn to the mean of its neighbours in the layers beside it, as
//! far as the order and the room its neighbours in the layer need allow: a weighted least-squares fit under
//! order constraints, solved exactly per layer by pooling adjacent violators, and repeated.

/// Something in a layer: a box, or a bend of an arrow (with its label, if it has one there).
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// Along the arrows; items with the same one are in one layer.
    pub layer: f64,
    /// Across the arrows; in the end the middle of the item.
    pub position: f64,
    /// Half of its size across.
    pub half: f64,
    /// Room that it wants beside it.
    pub gap: f64,
}

/// Two items in neighbouring layers, and how strongly they want to be opposite each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bond {
    pub one: usize,
    pub other: usize,
    pub strength: f64,
}

const ROUNDS: usize = 60;

/// Moves the items; each layer keeps its order.
pub(super) fn compact(items: &mut [Item], bonds: &[Bond]) {
    let mut neighbours: Vec<Vec<(usize, f64)>> = vec![Vec::new(); items.len()];
    for bond in bonds {
        neighbours[bond.one].push((bond.other, bond.strength));
        neighbours[bond.other].push((bond.one, bond.strength));
    }
    let mut layers = layers_of(items);
    for layer in &layers {
        pack(layer, items);
    }
    for round in 0..ROUNDS {
        for layer in &layers {
            fit_layer(layer, items, &neighbours);
        }
        if round + 1 < ROUNDS {
            layers.reverse();
        }
    }
}

fn layers_of(items: &[Item]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (&items[a], &items[b]);
        a.layer.total_cmp(&b.layer).then(a.position.total_cmp(&b.position))
    });
    let mut layers: Vec<Vec<usize>> = Vec::new();
    let mut last = f64::NEG_INFINITY;
    for index in order {
        if items[index].layer > last + 0.5 {
            layers.push(Vec::new());
            last = items[index].layer;
        }
        layers.last_mut().expect("just pushed").push(index);
    }
    for layer in &mut layers {
        layer.sort_by(|&a, &b| items[a].position.total_cmp(&items[b].position).then(a.cmp(&b)));
    }
    layers
}

/// Starts as narrow as can be, every layer around the same middle: from there rounds only spread what must be
/// spread.
fn pack(layer: &[usize], items: &mut [Item]) {
    let mut at = 0.0;
    for (rank, &index) in layer.iter().enumerate() {
        if rank > 0 {
            at += room_between(&items[layer[rank - 1]], &items[index]);
        }
        items[index].position = at;
    }
    layer.iter().for_each(|&index| items[index].position -= at / 2.0);
}

/// Between the middles of two items side by side.
fn room_between(left: &Item, right: &Item) -> f64 {
    left.half + right.half + left.gap.max(right.gap)
}

fn fit_layer(layer: &[usize], items: &mut [Item], neighbours: &[Vec<(usize, f64)>]) {
    /// A run of items that touch, with the weighted mean of where they want to be.
    struct Pool {
        count: usize,
        weight: f64,
        mean: f64,
    }
    let mut offsets = Vec::with_capacity(layer.len());
    let mut pools: Vec<Pool> = Vec::with_capacity(layer.len());
    let mut offset = 0.0;
    for (rank, &index) in layer.iter().enumerate() {
        if rank > 0 {
            offset += room_between(&items[layer[rank - 1]], &items[index]);
        }
        offsets.push(offset);
        let weight: f64 = neighbours[index].iter().map(|(_, strength)| strength).sum();
        let sum: f64 =
            neighbours[index].iter().map(|&(other, strength)| items[other].position * strength).sum();
        // What has no neighbour stays, but gives way.
        let (wish, weight) =
            if weight > 0.0 { (sum / weight, weight) } else { (items[index].position, 0.01) };
        pools.push(Pool { count: 1, weight, mean: wish - offset });
        while let [.., before, last] = &mut pools[..]
            && before.mean > last.mean
        {
            let weight = before.weight + last.weight;
            before.mean = (before.mean * before.weight + last.mean * last.weight) / weight;
            before.weight = weight;
            before.count += last.count;
            pools.pop();
        }
    }
    let mut rank = 0;
    for pool in pools {
        for _ in 0..pool.count {
            items[layer[rank]].position = pool.mean + offsets[rank];
            rank += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_room_are_kept() {
        let item = |layer: f64, position: f64| Item { layer, position, half: 10.0, gap: 5.0 };
        // One parent, five children far apart, one of them with a child of its own.
        let mut items = vec![item(0.0, 0.0)];
        items.extend((0..5).map(|child| item(1.0, f64::from(child) * 1000.0)));
        items.push(item(2.0, 4000.0));
        let mut bonds: Vec<Bond> = (1..=5).map(|other| Bond { one: 0, other, strength: 1.0 }).collect();
        bonds.push(Bond { one: 5, other: 6, strength: 1.0 });
        compact(&mut items, &bonds);
        for pair in items[1..=5].windows(2) {
            assert!(pair[1].position - pair[0].position >= 25.0 - 1e-9);
        }
        assert!(items[5].position - items[1].position < 200.0, "children stay together");
        assert!((items[6].position - items[5].position).abs() < 1.0, "an only child is below its parent");
    }
}
