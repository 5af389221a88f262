# SPDX-License-Identifier: Apache-2.0
"""An option that means nothing for what is asked is refused, and so is a name of nothing."""

from __future__ import annotations

import pytest

from conformance.wrong.__main__ import main


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("try fields --keep", "unrecognized arguments: --keep"),
        ("try go --jobs 3", "unrecognized arguments: --jobs"),
        ("try go --scheduler tcp://there:8786", "unrecognized arguments: --scheduler"),
        ("try mutants --part filter", "unrecognized arguments: --part"),
        ("try planted --seed 3", "unrecognized arguments: --seed"),
        ("try planted --from a.txt", "unrecognized arguments: --from"),
        ("try planted --part filters", "--part: invalid choice: 'filters'"),
        ("try planted --jobs 0", "--jobs: expected a number from 1, found '0'"),
        ("try planted --sample=-1", "--sample: expected a number from 1, found '-1'"),
        ("try planted --jobs 3 --scheduler tcp://there:8786", "not allowed with argument --jobs"),
        ("try written", "the following arguments are required: --from"),
        ("try nothing", "invalid choice: 'nothing'"),
        ("examples --scheduler tcp://there:8786", "unrecognized arguments: --scheduler"),
        ("pages --jobs 2", "unrecognized arguments: --jobs"),
    ],
)
def test_an_option_that_means_nothing_is_refused(
    arguments: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments.split())
    assert ended.value.code == 2
    assert problem in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("try planted", "there is no wrong scheduler 'no-such-thing'"),
        ("try fields", "there is no wrong scheduler 'no-such-thing'"),
        ("naming", "there is no planted scheduler that was tried 'no-such-thing'"),
        ("choose", "there is no planted scheduler that was tried 'no-such-thing'"),
        ("examples", "there is no rule 'no-such-thing'"),
    ],
)
def test_a_name_of_nothing_is_refused(command: str, problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command.split(), "no-such-thing"]) == 2
    assert capsys.readouterr().err == f"{problem}\n"
