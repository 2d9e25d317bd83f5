"""The documents agent says that it does not know where the documents do not say (A-10)."""

from pathlib import Path

from bench.honesty import LEAST_PRECISION, LEAST_REFUSED, measured


async def test_absent_subjects_are_refused_and_present_ones_answered(tmp_path: Path) -> None:
    """At least 85 % of questions about what no document says are refused, at a precision of at least .90."""
    honesty = await measured(tmp_path, companies=28)
    assert honesty.share_refused >= LEAST_REFUSED, honesty.line()
    assert honesty.precision >= LEAST_PRECISION, honesty.line()
