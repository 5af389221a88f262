# SPDX-License-Identifier: Apache-2.0
"""Go's sort.Slice, step by step.

A sort is only defined for a comparison that is an order. That of victims is not (two pods that have not started
are each the earlier of the two), so which of them is reprieved is decided by the steps of the algorithm: a
pattern-defeating quicksort that sorts up to twelve elements by insertion.
Source: Go 1.24, sort/zsortfunc.go, pdqsort_func and what it calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import Generic, TypeVar

T = TypeVar("T")

_INSERTION_UP_TO = 12
_NINTHER_FROM = 50
_PARTIAL_STEPS = 5
_SHIFT_FROM = 50


class _Hint(Enum):
    INCREASING = auto()
    DECREASING = auto()
    UNKNOWN = auto()


def sort_slice(items: Sequence[T], less: Callable[[T, T], bool]) -> list[T]:
    """Returns ``items`` as sort.Slice leaves them. ``less`` need not be an order."""
    sorting = _Sorting(list(items), less)
    sorting.sort(0, len(items), len(items).bit_length())
    return sorting.items


class _Sorting(Generic[T]):
    """A _Sorting is the slice while it is being sorted. Ranges are from ``start`` up to, but without, ``end``."""

    def __init__(self, items: list[T], less: Callable[[T, T], bool]) -> None:
        self.items = items
        self._less = less

    def less(self, i: int, j: int) -> bool:
        return self._less(self.items[i], self.items[j])

    def swap(self, i: int, j: int) -> None:
        self.items[i], self.items[j] = self.items[j], self.items[i]

    def sort(self, start: int, end: int, bad_pivots: int) -> None:
        """Sorts the range. ``bad_pivots`` is how many unbalanced partitions are accepted before heapsort is
        used."""
        balanced = partitioned = True
        while end - start > _INSERTION_UP_TO:
            if bad_pivots == 0:
                self._heap_sort(start, end)
                return
            if not balanced:
                self._break_patterns(start, end)
                bad_pivots -= 1
            pivot, hint = self._choose_pivot(start, end)
            if hint is _Hint.DECREASING:
                self.items[start:end] = self.items[start:end][::-1]
                pivot = end - 1 - (pivot - start)
                hint = _Hint.INCREASING
            likely_sorted = balanced and partitioned and hint is _Hint.INCREASING
            if likely_sorted and self._partial_insertion_sort(start, end):
                return
            if start > 0 and not self.less(start - 1, pivot):
                start = self._partition_equal(start, end, pivot)
                continue
            middle, partitioned = self._partition(start, end, pivot)
            balanced = min(middle - start, end - middle) >= (end - start) // 8
            if middle - start < end - middle:
                self.sort(start, middle, bad_pivots)
                start = middle + 1
            else:
                self.sort(middle + 1, end, bad_pivots)
                end = middle
        self._insertion_sort(start, end)

    # --- Sorts that need no pivot -----------------------------------------------------------------

    def _insertion_sort(self, start: int, end: int) -> None:
        for i in range(start + 1, end):
            self._sink(i, start)

    def _sink(self, i: int, down_to: int) -> None:
        while i > down_to and self.less(i, i - 1):
            self.swap(i, i - 1)
            i -= 1

    def _heap_sort(self, start: int, end: int) -> None:
        length = end - start
        for root in reversed(range((length - 1) // 2 + 1)):
            self._sift_down(root, length, start)
        for last in reversed(range(length)):
            self.swap(start, start + last)
            self._sift_down(0, last, start)

    def _sift_down(self, root: int, length: int, start: int) -> None:
        while (child := 2 * root + 1) < length:
            if child + 1 < length and self.less(start + child, start + child + 1):
                child += 1
            if not self.less(start + root, start + child):
                return
            self.swap(start + root, start + child)
            root = child

    def _partial_insertion_sort(self, start: int, end: int) -> bool:
        """Swaps a few neighbours that are in the wrong order, and returns whether the range is sorted then. An
        element that moves left does not stop at the start of the range."""
        i = start + 1
        for _ in range(_PARTIAL_STEPS):
            while i < end and not self.less(i, i - 1):
                i += 1
            if i == end:
                return True
            if end - start < _SHIFT_FROM:
                return False
            self.swap(i, i - 1)
            if i - start >= 2:
                self._sink(i - 1, 0)
            if end - i >= 2:
                self._rise(i + 1, end)
        return False

    def _rise(self, i: int, end: int) -> None:
        while i < end and self.less(i, i - 1):
            self.swap(i, i - 1)
            i += 1

    # --- Pivot ------------------------------------------------------------------------------------

    def _choose_pivot(self, start: int, end: int) -> tuple[int, _Hint]:
        """Returns the median of three elements, each of which is a median of three neighbours if the range is
        long."""
        quarter = (end - start) // 4
        picked = [start + quarter, start + 2 * quarter, start + 3 * quarter]
        swaps = 0
        if end - start >= _NINTHER_FROM:
            for n, at in enumerate(picked):
                picked[n], more = self._median(at - 1, at, at + 1)
                swaps += more
        pivot, more = self._median(*picked)
        match swaps + more:
            case 0:
                return pivot, _Hint.INCREASING
            case 12:
                return pivot, _Hint.DECREASING
        return pivot, _Hint.UNKNOWN

    def _median(self, a: int, b: int, c: int) -> tuple[int, int]:
        """Returns the index of the median, and how many pairs were out of order."""
        swaps = 0
        if self.less(b, a):
            a, b, swaps = b, a, swaps + 1
        if self.less(c, b):
            b, c, swaps = c, b, swaps + 1
        if self.less(b, a):
            a, b, swaps = b, a, swaps + 1
        return b, swaps

    def _break_patterns(self, start: int, end: int) -> None:
        """Moves three elements by a generator whose seed is the length, so never at random."""
        length = end - start
        mask = (1 << length.bit_length()) - 1
        random = length
        middle = start + length // 4 * 2
        for i in (middle - 1, middle, middle + 1):
            random = _xorshift(random)
            other = random & mask
            self.swap(i, start + (other - length if other >= length else other))

    # --- Partition --------------------------------------------------------------------------------

    def _partition(self, start: int, end: int, pivot: int) -> tuple[int, bool]:
        """Moves elements that are less than the pivot to its left. Returns where the pivot is now, and whether
        nothing moved."""
        self.swap(start, pivot)
        left, right = self._narrow(start, start + 1, end - 1)
        untouched = left > right
        while left <= right:
            self.swap(left, right)
            left, right = self._narrow(start, left + 1, right - 1)
        self.swap(right, start)
        return right, untouched

    def _narrow(self, pivot: int, left: int, right: int) -> tuple[int, int]:
        while left <= right and self.less(left, pivot):
            left += 1
        while left <= right and not self.less(right, pivot):
            right -= 1
        return left, right

    def _partition_equal(self, start: int, end: int, pivot: int) -> int:
        """Moves elements equal to the pivot to the left of greater ones, and returns where these begin."""
        self.swap(start, pivot)
        left, right = start + 1, end - 1
        while True:
            while left <= right and not self.less(start, left):
                left += 1
            while left <= right and self.less(start, right):
                right -= 1
            if left > right:
                return left
            self.swap(left, right)
            left, right = left + 1, right - 1


def _xorshift(value: int) -> int:
    value ^= value << 13 & (1 << 64) - 1
    value ^= value >> 7
    return value ^ (value << 17 & (1 << 64) - 1)
