# SPDX-License-Identifier: Apache-2.0
"""The order that Go 1.24's sort.Slice leaves, as sort.Slice itself answered it for the same input."""

from __future__ import annotations

import random

import pytest

from refsched.oddities.go_sort import sort_slice

# fmt: off
FROM_GO = {
    13: [11, 10, 9, 8, 7, 0, 5, 4, 3, 2, 1, 12, 6],
    20: [6, 0, 4, 16, 12, 3, 17, 1, 9, 15, 14, 7, 5, 13, 8, 18, 2, 11, 19, 10],
    110: [
        102, 93, 45, 69, 53, 37, 85, 21, 100, 25, 65, 57, 33, 55, 17, 38, 41, 89, 9, 97, 48, 109,
        11, 84, 27, 63, 51, 31, 104, 15, 71, 35, 75, 7, 79, 39, 83, 19, 87, 43, 91, 3, 95, 47, 99,
        23, 50, 24, 62, 4, 54, 26, 56, 12, 58, 28, 60, 52, 30, 64, 14, 66, 32, 68, 6, 70, 34, 72,
        16, 74, 36, 76, 2, 78, 61, 80, 18, 82, 40, 103, 59, 106, 42, 88, 20, 108, 44, 105, 0, 94,
        46, 96, 22, 98, 67, 10, 101, 1, 5, 13, 29, 107, 81, 90, 8, 92, 73, 86, 77, 49,
    ],
}
"""0, 1, 2 … (this many) where each is less than any other."""

EVEN_BEFORE_ODD = [
    30, 32, 50, 16, 42, 8, 26, 4, 46, 56, 24, 34, 52, 10, 28, 40, 48, 58, 12, 2, 6, 44, 54, 20, 38,
    36, 22, 18, 0, 14, 43, 17, 33, 13, 47, 21, 3, 25, 5, 35, 59, 55, 37, 19, 1, 29, 39, 57, 31, 41,
    27, 23, 51, 9, 45, 53, 7, 11, 49, 15,
]

BY_REMAINDER_OF_THREE = [
    45, 129, 126, 3, 123, 120, 6, 117, 114, 9, 111, 108, 12, 105, 102, 15, 99, 96, 18, 93, 90, 21,
    87, 84, 24, 81, 78, 27, 75, 72, 30, 69, 66, 33, 0, 63, 36, 60, 57, 39, 54, 51, 42, 48, 64, 22,
    46, 1, 43, 49, 127, 124, 52, 4, 40, 55, 121, 118, 58, 7, 37, 61, 115, 112, 34, 10, 109, 67, 106,
    31, 70, 13, 103, 73, 100, 28, 76, 16, 97, 79, 94, 25, 82, 19, 91, 85, 88, 65, 11, 89, 20, 23,
    92, 83, 80, 95, 17, 26, 98, 77, 74, 101, 14, 29, 104, 71, 68, 107, 86, 32, 110, 44, 35, 113, 8,
    62, 116, 59, 38, 119, 5, 56, 122, 53, 41, 125, 2, 50, 128, 47,
]

BY_REMAINDER_OF_TWO = [
    20, 14, 2, 38, 4, 36, 6, 34, 8, 32, 10, 30, 12, 28, 26, 0, 16, 24, 22, 18, 11, 21, 1, 23, 17,
    15, 19, 27, 25, 13, 9, 29, 31, 33, 7, 35, 5, 37, 3, 39
]

BY_NO_ORDER_AT_ALL = [
    43, 38, 24, 27, 10, 32, 49, 21, 2, 13, 5, 47, 16, 25, 44, 22, 0, 46, 36, 3, 11, 14, 39, 17, 6,
    9, 31, 42, 20, 33, 4, 7, 40, 26, 15, 29, 48, 18, 35, 28, 37, 45, 34, 1, 12, 23, 41, 30, 19, 8
]
# fmt: on


def test_an_order_is_sorted_as_any_sort_would() -> None:
    generator = random.Random(1)
    for length in (0, 1, 12, 13, 49, 50, 51, 400):
        numbers = [generator.randrange(1000) for _ in range(length)]
        assert sort_slice(numbers, lambda a, b: a < b) == sorted(numbers)
        assert sort_slice(sorted(numbers), lambda a, b: a < b) == sorted(numbers)
        assert sort_slice(sorted(numbers), lambda a, b: a > b) == sorted(numbers, reverse=True)


def test_what_is_almost_in_order_is_set_right_by_moving_a_few() -> None:
    numbers = list(range(60))
    numbers[10], numbers[11], numbers[40], numbers[41] = 11, 10, 41, 40
    assert sort_slice(numbers, lambda a, b: a < b) == list(range(60))
    early = [1, 0, *range(2, 60)]
    assert sort_slice(early, lambda a, b: a < b) == list(range(60))
    late = [*range(58), 59, 58]
    assert sort_slice(late, lambda a, b: a < b) == list(range(60))


def test_up_to_twelve_that_are_each_before_the_other_come_out_reversed() -> None:
    for length in range(13):
        assert sort_slice(range(length), lambda a, b: True) == list(range(length))[::-1]


@pytest.mark.parametrize("length", FROM_GO)
def test_more_than_twelve_that_are_each_before_the_other_come_out_as_from_go(length: int) -> None:
    assert sort_slice(range(length), lambda a, b: True) == FROM_GO[length]


def test_many_kinds_of_equals_come_out_as_from_go() -> None:
    """Even numbers are before odd ones, and each number is before any other of its kind."""
    assert sort_slice(range(60), lambda a, b: a % 2 <= b % 2) == EVEN_BEFORE_ODD


def test_equals_that_are_not_before_each_other_come_out_as_from_go() -> None:
    assert sort_slice(range(130), lambda a, b: a % 3 < b % 3) == BY_REMAINDER_OF_THREE
    assert sort_slice(range(40), lambda a, b: a % 2 < b % 2) == BY_REMAINDER_OF_TWO


def test_what_is_no_order_at_all_ends_in_heapsort_and_comes_out_as_from_go() -> None:
    def less(a: int, b: int) -> bool:
        return (7 * a * a + 31 * b + 9 * a * b + 52) % 11 < 9

    assert sort_slice(range(50), less) == BY_NO_ORDER_AT_ALL
