"""The command line: `batuta --help`."""

from batuta.kernel.errors import MissingExtraError


def main() -> None:
    """Run a command; everything it needs is imported only now."""
    try:
        from batuta.cli.app import app
    except ImportError as error:
        raise SystemExit(str(MissingExtraError("cli", needed_for="the command line"))) from error
    app()
