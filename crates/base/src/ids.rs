//! Typed indices: a `NodeId` can never be used where an `EdgeId` is meant.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A newtype over a dense index. Made with [`define_id!`](crate::define_id).
pub trait Id: Copy + Eq + Ord + std::hash::Hash + fmt::Debug {
    /// The id of the `index`-th element.
    fn from_index(index: usize) -> Self;
    /// The position in the vector the id belongs to.
    fn index(self) -> usize;
}

/// Defines a `u32` newtype that implements [`Id`].
#[macro_export]
macro_rules! define_id {
    ($(#[$meta:meta])* $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $crate::Id for $name {
            fn from_index(index: usize) -> Self {
                $name(u32::try_from(index).expect(concat!("fewer than 2^32 of ", stringify!($name))))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

/// A vector indexed by one kind of id only.
#[derive(Clone, PartialEq, Eq)]
pub struct IndexVec<I, T> {
    items: Vec<T>,
    marker: PhantomData<fn(I) -> I>,
}

impl<I: Id, T> IndexVec<I, T> {
    /// An empty vector.
    pub fn new() -> Self {
        IndexVec { items: Vec::new(), marker: PhantomData }
    }

    /// `count` copies of `item`.
    pub fn filled(item: T, count: usize) -> Self
    where
        T: Clone,
    {
        IndexVec { items: vec![item; count], marker: PhantomData }
    }

    /// Appends and says under which id the item can be found.
    pub fn push(&mut self, item: T) -> I {
        let id = I::from_index(self.items.len());
        self.items.push(item);
        id
    }

    /// The id the next [`push`](Self::push) will return.
    pub fn next_id(&self) -> I {
        I::from_index(self.items.len())
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item, if the id is in range.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// The items in order of their ids.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// The items in order of their ids, to change them.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// Ids with their items, in order.
    pub fn iter_enumerated(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(index, item)| (I::from_index(index), item))
    }

    /// The items as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }
}

impl<I: Id, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> Index<I> for IndexVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IndexVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I: Id, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(iter: It) -> Self {
        IndexVec { items: iter.into_iter().collect(), marker: PhantomData }
    }
}

impl<'a, I: Id, T> IntoIterator for &'a IndexVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<I, T: fmt::Debug> fmt::Debug for IndexVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.items).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    define_id!(
        /// For the test.
        ThingId,
        "t"
    );

    #[test]
    fn ids_find_what_was_pushed() {
        let mut things: IndexVec<ThingId, &str> = IndexVec::new();
        let first = things.push("a");
        let second = things.push("b");
        assert_eq!((things[first], things[second]), ("a", "b"));
        assert_eq!(things.ids().collect::<Vec<_>>(), [first, second]);
        assert_eq!(format!("{second:?}"), "t1");
    }
}
