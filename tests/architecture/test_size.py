"""The size figures of house style: printed every time, failing only far beyond the aims."""

import pytest

from tests.architecture.figures import (
    SOURCE,
    TESTS,
    file_lines,
    functions,
    imports_inside,
    lines_of,
    spread,
)


def test_the_sizes_stay_near_what_we_aim_for(capsys: pytest.CaptureFixture[str]) -> None:
    every = list(functions(SOURCE))
    files = file_lines(SOURCE)
    body = spread({one.place: one.body for one in every})
    parameters = spread({one.place: one.parameters for one in every})
    nesting = spread({one.place: one.nesting for one in every})
    inside = imports_inside(every)
    ratio = lines_of(TESTS) / lines_of(SOURCE)
    with capsys.disabled():
        print()  # noqa: T201 - the figures are the point
        for name, aim, figure in (
            ("file lines", "median 150-200, p90 400, ceiling 600", files),
            ("function body", "median 6, p90 25, ceiling 60", body),
            ("parameters", "4, ceiling 6", parameters),
            ("nesting", "2-3", nesting),
            ("imports inside functions", "0", f"{len(inside)} {inside[:3]}"),
            ("test : source lines", "1.2-1.6", f"{ratio:.2f}"),
        ):
            print(f"  {name:<26}{figure}   [aim: {aim}]")  # noqa: T201
    assert files.p90 <= 500
    assert files.most <= 800
    assert body.p90 <= 35
    assert body.most <= 100
    assert parameters.most <= 10
    assert nesting.p90 <= 4
    assert nesting.most <= 6
    assert len(inside) <= 10
