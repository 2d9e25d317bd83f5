"""One SELECT and nothing else: a statement is parsed, judged node by node, and written anew from its tree.

What is executed is the text made from the judged tree, without comments, so nothing can hide between two readings of
one text. Functions are allowed by name; a function that nobody listed is refused.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from batuta.kernel.errors import MissingExtraError, ToolFailedError, ToolRefusedError

try:
    from sqlglot import exp, parse
    from sqlglot.errors import SqlglotError
except ImportError as error:
    raise MissingExtraError("tools", needed_for="the SQL tool") from error

MAX_SQL_CHARS = 10_000

FUNCTIONS = frozenset(
    name
    for line in (
        # conditions and types
        "case cast if coalesce nullif and or xor exists any all greatest least max min array arraysize",
        # numbers
        "abs ceil floor round sign sqrt pow exp ln log mod trunc",
        # texts
        "lower upper length substring trim replace concat concatws left right reverse splitpart strposition",
        "initcap startswith regexplike",
        # dates
        "date time datetime julianday unixepoch extract timestamptrunc datetrunc currentdate currenttime",
        "currenttimestamp age timetostr strtotime strtodate tsordstotimestamp tsordstodate dateadd datesub",
        "datediff",
        # groups and windows
        "count countif sum avg total median stddev stddevpop stddevsamp variance variancepop groupconcat",
        "arrayagg percentilecont percentiledisc rownumber rank denserank percentrank cumedist ntile lag lead",
        "firstvalue lastvalue nthvalue mode anyvalue logicaland logicalor",
        # JSON
        "jsonextract jsonextractscalar jsonbextract jsonbextractscalar json_array_length jsonb_array_length",
        "json_type json_valid",
    )
    for name in line.split()
)
"""By the name of their kind in the parser, or as they are written where the parser knows no kind."""

_WRITES = (
    exp.DML, exp.DDL, exp.Command, exp.Into, exp.Lock, exp.Set, exp.Pragma, exp.Attach, exp.Detach, exp.Transaction,
    exp.Commit, exp.Rollback, exp.Use, exp.Kill, exp.Analyze, exp.Drop, exp.Alter, exp.Grant,
)  # fmt: skip
_FOREIGN = (exp.Placeholder, exp.Parameter, exp.SessionParameter)
_CATALOGUES = frozenset({"pg_catalog", "information_schema", "pg_toast", "pg_temp"})
_CATALOGUE_PREFIXES = ("pg_", "sqlite_")


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectRules:
    """What a statement may use."""

    dialect: str
    functions: frozenset[str] = FUNCTIONS
    tables: frozenset[str] | None = None
    """The tables that may be read; all but the catalogues when `None`."""

    def checked(self, sql: str) -> str:
        """The statement as it is executed. Raises `ToolRefusedError` unless it is one SELECT that only reads."""
        tree = _one_statement(sql, self.dialect)
        if not isinstance(tree, exp.Select | exp.SetOperation | exp.Subquery):
            raise ToolRefusedError("only one SELECT statement is allowed")
        for node in tree.walk():
            self._require_harmless(node)
        return str(tree.sql(dialect=self.dialect, comments=False))

    def _require_harmless(self, node: exp.Expr) -> None:
        if isinstance(node, _WRITES):
            raise ToolRefusedError(f"{type(node).__name__.upper()} is not allowed: the statement may only read")
        if isinstance(node, _FOREIGN) or _is_variable(node):
            raise ToolRefusedError("parameters and variables are not allowed; write the values")
        if isinstance(node, exp.Func) and (name := _function_name(node)) not in self.functions:
            raise ToolRefusedError(f"the function {name} is not allowed")
        if isinstance(node, exp.Table) and not isinstance(node.this, exp.Func) and not _is_made_by_with(node):
            self._require_allowed_table(node)

    def _require_allowed_table(self, node: exp.Table) -> None:
        name, schema = node.name.lower(), node.db.lower()
        if not name or node.catalog or schema in _CATALOGUES or name.startswith(_CATALOGUE_PREFIXES):
            raise ToolRefusedError(f"the table {node.sql()[:100]} is not allowed")
        full_name = f"{schema}.{name}" if schema else name
        if self.tables is not None and full_name not in self.tables:
            raise ToolRefusedError(f"the table {full_name} is not allowed; there are: {', '.join(sorted(self.tables))}")


def _is_variable(node: exp.Expr) -> bool:
    """SQLite's `$name`, which the parser takes for a column."""
    return isinstance(node, exp.Identifier) and not node.args.get("quoted") and node.name.startswith("$")


def _function_name(node: exp.Func) -> str:
    is_unknown = isinstance(node, exp.Anonymous | exp.AnonymousAggFunc)
    return str(node.name if is_unknown else type(node).__name__).lower()


def _is_made_by_with(table: exp.Table) -> bool:
    """Whether a name stands for a part of WITH that can be seen from where the name stands."""
    if table.db:
        return False
    above: list[exp.Expr] = [table]
    while above[-1].parent is not None:
        above.append(above[-1].parent)
        clause = above[-1].args.get("with_") or above[-1].args.get("with")
        if clause is not None and table.name.lower() in _visible_names(clause, above):
            return True
    return False


def _visible_names(clause: exp.With, above: list[exp.Expr]) -> Iterator[str]:
    """The parts of WITH before the one that the name stands in; that one too if it may refer to itself."""
    for part in clause.expressions:
        is_own = any(part is node for node in above)
        if not is_own or clause.args.get("recursive"):
            yield part.alias_or_name.lower()
        if is_own:
            return


def _one_statement(sql: str, dialect: str) -> exp.Expr:
    if len(sql) > MAX_SQL_CHARS or "\0" in sql:
        raise ToolRefusedError(f"a statement has at most {MAX_SQL_CHARS} characters")
    try:
        statements = [statement for statement in parse(sql, dialect=dialect) if statement is not None]
    except SqlglotError as error:
        raise ToolFailedError(f"this is no valid SQL: {str(error).splitlines()[0][:300]}") from None
    except RecursionError:
        raise ToolRefusedError("the statement is nested too deeply") from None
    if len(statements) != 1:
        raise ToolRefusedError(f"exactly one statement is allowed, got {len(statements)}")
    return statements[0]
