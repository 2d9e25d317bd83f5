"""Amounts of several currencies are not added up by a statement, whatever they are called on the way.

select sum(a) from (select amount as a from t) x        refused: EUR and USD
select code, sum(amount) from t group by code           one sum for each
select sum(amount) from t where code = 'EUR'            of one
"""

from collections.abc import Sequence

from sqlglot import exp

from batuta.datasets.dataset import Column, DatasetError
from batuta.datasets.store import DatasetInfo

_ADDING = (exp.Sum, exp.Avg, exp.Median, exp.Max, exp.Min, exp.Quantile, exp.Lag, exp.Lead)
"""What puts amounts of several rows together, or beside one another."""
_JOINING = (exp.Add, exp.Sub, exp.Greatest, exp.Least, exp.Coalesce)
"""What puts amounts of one row together."""


def require_one_currency(tree: exp.Query, sources: Sequence[DatasetInfo]) -> None:
    """Raise `DatasetError` where a statement adds up amounts of several currencies."""
    _require_joined_in_one(tree, sources)
    for info in sources:
        for column in info.columns:
            if column.currency_column is not None and info.row_count > 0 and column.name not in info.totals:
                _require(tree, column, column.currency_column)


def _require_joined_in_one(tree: exp.Query, sources: Sequence[DatasetInfo]) -> None:
    """Raise where amounts of columns in different currencies are added to one another."""
    known: dict[str, set[str]] = {}
    for info in sources:
        for column in info.columns:
            currency = column.currency or (column.currency_column and f"by {column.currency_column}")
            for name in _called(tree, column.name, is_plain=True) if currency else ():
                known.setdefault(name, set()).add(str(currency))
    for joining in tree.find_all(*_JOINING):
        names = {one.name.lower() for one in joining.find_all(exp.Column)}
        codes = {code for name in names for code in known.get(name, ())}
        if len(codes) > 1 and all(len(known.get(name, ())) <= 1 for name in names):
            raise DatasetError(
                f"{', '.join(sorted(names & known.keys()))} are in different currencies: {sorted(codes)}"
            )


def _require(tree: exp.Query, column: Column, code: str) -> None:
    amounts, codes = _called(tree, column.name, is_plain=False), _called(tree, code, is_plain=True)
    for adding in tree.find_all(*_ADDING):
        if not any(one.name.lower() in amounts for one in adding.find_all(exp.Column)):
            continue
        select = adding.find_ancestor(exp.Select)
        if select is None or not (
            _is_split(adding, select, codes) or _is_of_one(select, codes) or _is_filtered(adding, codes)
        ):
            raise DatasetError(
                f"{column.name} is in several currencies: group by {code} and select it too, or keep one with WHERE"
            )


def _called(tree: exp.Query, name: str, *, is_plain: bool) -> set[str]:
    """What a column is called in a statement: its own name, and the aliases of what is made of it."""
    names = {name.lower()}
    while True:
        found = {
            alias.alias.lower()
            for alias in tree.find_all(exp.Alias)
            if (not is_plain or isinstance(alias.this, exp.Column))
            and any(one.name.lower() in names for one in alias.this.find_all(exp.Column))
        }
        if not is_plain:  # t(a, b) names columns by their place: each may be it
            tables = tree.find_all(exp.TableAlias)
            found |= {one.name.lower() for table in tables for one in table.args.get("columns") or ()}
        if found <= names:
            return names
        names |= found


def _is_split(adding: exp.Expr, select: exp.Select, codes: set[str]) -> bool:
    """Whether each sum is of one currency, and says of which."""
    window = adding.parent if isinstance(adding.parent, exp.Window) else None
    if window is not None:
        return any(_is_code(one, codes) for one in window.args.get("partition_by") or ())
    shown = [place for place, one in enumerate(select.selects, 1) if _is_code(one.unalias(), codes)]
    group = select.args.get("group")
    if not shown or group is None:
        return False
    by_place = {one.name for one in group.expressions if isinstance(one, exp.Literal)}
    is_by_place = any(str(place) in by_place for place in shown)
    return bool(group.args.get("all")) or is_by_place or any(_is_code(one, codes) for one in group.expressions)


def _is_filtered(adding: exp.Expr, codes: set[str]) -> bool:
    """Whether only rows of one currency are taken: `sum(amount) filter (where code = 'EUR')`."""
    parent = adding.parent
    where = parent.expression if isinstance(parent, exp.Filter) else None
    return isinstance(where, exp.Where) and any(_keeps_one(test, codes) for test in _tests(where))


def _tests(where: exp.Where) -> list[exp.Expr]:
    """What has to hold of every row."""
    found = list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]
    return [test.unnest() for test in found]


def _is_of_one(select: exp.Select, codes: set[str]) -> bool:
    """Whether the rows that are added up are kept to one currency."""
    source = select.args.get("from_") or select.args.get("from")
    rows = source.this if source is not None else None
    if isinstance(rows, exp.Table):
        rows = _made_by_with(rows, select)
    inner = rows.find(exp.Select) if rows is not None else None
    where = select.args.get("where")
    if where is not None and any(_keeps_one(test, codes) for test in _tests(where)):
        return True
    if rows is None or inner is None or select.args.get("joins") or rows.find(exp.SetOperation):
        return False
    return _is_of_one(inner, codes)


def _made_by_with(table: exp.Table, select: exp.Select) -> exp.Expr | None:
    """What WITH says a name in FROM stands for; the nearest one counts, and none means itself."""
    if table.db:
        return None
    scope: exp.Expr | None = select
    while scope is not None:
        parts: exp.With | None = scope.args.get("with_") or scope.args.get("with")
        named = [one for one in parts.expressions if one.alias.lower() == table.name.lower()] if parts else []
        if parts and named and select.find_ancestor(exp.CTE) is not named[0]:
            return None if parts.args.get("recursive") else named[0].this
        scope = scope.parent
    return None


def _keeps_one(test: exp.Expr, codes: set[str]) -> bool:
    if isinstance(test, exp.EQ):
        sides = (test.left, test.right)
        return any(_is_code(one, codes) for one in sides) and any(isinstance(one, exp.Literal) for one in sides)
    is_listed = isinstance(test, exp.In) and len(test.expressions) == 1 and isinstance(test.expressions[0], exp.Literal)
    return is_listed and _is_code(test.this, codes)


def _is_code(node: exp.Expr, codes: set[str]) -> bool:
    return isinstance(node, exp.Column) and node.name.lower() in codes
