"""What the built-in model learnt, kept between the tests: each data folder would have to learn it anew."""

from pathlib import Path

LEARNT = Path(__file__).parents[2] / ".cache" / "language"


def with_learnt(data_dir: Path) -> Path:
    """A data folder that shares what was learnt with those of other tests."""
    LEARNT.mkdir(mode=0o700, parents=True, exist_ok=True)
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    shared = data_dir / "language"
    if not shared.exists():
        shared.symlink_to(LEARNT, target_is_directory=True)
    return data_dir
