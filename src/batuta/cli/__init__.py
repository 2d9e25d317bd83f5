"""The command line: `batuta --help`."""

from batuta.kernel.errors import MissingExtraError

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended before it had begun."""


def main() -> None:
    """Run a command; everything it needs is imported only now."""
    try:
        from batuta.cli.app import app
    except ImportError as error:
        raise SystemExit(str(MissingExtraError("cli", needed_for="the command line"))) from error
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    app()
