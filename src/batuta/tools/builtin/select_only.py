"""One SELECT and nothing else: a statement is parsed, judged node by node, and written anew from its tree.

What is executed is the text made from the judged tree, without comments, so nothing can hide between two readings of
one text. Functions are allowed by name; a function that is not listed is refused, however it is called: PostgreSQL
calls one also for `(value).name`, `OPERATOR(schema.+)`, a cast to a user's own type, and `t.name` where `t` is
what a function in FROM gave.

What no parser can see: `t.name`, where `t` is a table without such a column, calls a function that takes rows of that
table. Who defines such functions gives the tool a role that may not execute them.
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
_TYPES = frozenset({"citext", "tsquery", "tsvector", "vector"})
"""Types that the parser does not know and that come with PostgreSQL or a common extension."""
_SAMPLES = frozenset({"system", "bernoulli"})
_VALUES = frozenset(
    f"current_{name}" for name in ("catalog", "date", "role", "schema", "time", "timestamp", "user")
) | {"localtime", "localtimestamp", "session_user", "system_user", "user"}
"""Functions of PostgreSQL that look like tables in FROM."""
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
            self._require_no_hidden_call(node)
        if self.dialect == "postgres":
            _require_own_columns(tree)
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

    def _require_no_hidden_call(self, node: exp.Expr) -> None:
        if isinstance(node, exp.Dot):
            raise ToolRefusedError(
                f"{node.sql()[:100]} is not allowed: it may call a function; name a column of a table"
            )
        if isinstance(node, exp.Operator):
            raise ToolRefusedError("OPERATOR(…) is not allowed: it may call any function")
        if isinstance(node, exp.ObjectIdentifier) or _is_unknown_type(node):
            raise ToolRefusedError(f"the type {node.sql()[:100]} is not allowed in a cast")
        if isinstance(node, exp.TableSample) and node.text("method").lower() not in _SAMPLES:
            raise ToolRefusedError(f"only {' and '.join(sorted(_SAMPLES))} are allowed as methods of TABLESAMPLE")
        function = _function_in_from(node)
        if function is not None and (name := _function_name(function)) not in self.functions - FUNCTIONS:
            raise ToolRefusedError(f"the function {name} is not allowed in FROM")

    def _require_allowed_table(self, node: exp.Table) -> None:
        name, schema = node.name.lower(), node.db.lower()
        is_value = name in _VALUES and not schema and not node.this.args.get("quoted")
        if not name or is_value or node.catalog or schema in _CATALOGUES or name.startswith(_CATALOGUE_PREFIXES):
            raise ToolRefusedError(f"the table {node.sql()[:100]} is not allowed")
        full_name = f"{schema}.{name}" if schema else name
        if self.tables is not None and full_name not in self.tables:
            raise ToolRefusedError(f"the table {full_name} is not allowed; there are: {', '.join(sorted(self.tables))}")


def _is_variable(node: exp.Expr) -> bool:
    """SQLite's `$name`, which the parser takes for a column."""
    return isinstance(node, exp.Identifier) and not node.args.get("quoted") and node.name.startswith("$")


def _is_unknown_type(node: exp.Expr) -> bool:
    if not isinstance(node, exp.DataType) or node.this is not exp.DataType.Type.USERDEFINED:
        return False
    return str(node.args.get("kind")).lower() not in _TYPES


def _function_in_from(node: exp.Expr) -> exp.Func | None:
    """The function that a part of FROM is made by."""
    if isinstance(node, exp.Unnest):
        return node
    is_source = isinstance(node, exp.Table | exp.Lateral)
    return node.this if is_source and isinstance(node.this, exp.Func) else None


def _require_own_columns(tree: exp.Expr) -> None:
    """What a function in FROM gave has the columns that its alias names, and nothing else is asked of it."""
    columns: dict[str, set[str]] = {}
    for node in tree.walk():
        if _function_in_from(node) is None:
            continue
        alias = node.args.get("alias")
        if alias is None or not alias.name:
            raise ToolRefusedError(f"give what {node.sql()[:100]} makes a name: … AS name(column)")
        columns.setdefault(alias.name.lower(), {alias.name.lower()}).update(c.name.lower() for c in alias.columns)
    for column in tree.find_all(exp.Column):
        known = columns.get(column.table.lower())
        if known is not None and not isinstance(column.this, exp.Star) and column.name.lower() not in known:
            raise ToolRefusedError(f"{column.sql()} is not allowed: name the columns in the alias, … AS name(column)")


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
