"""Tools over the datasets of a conversation, for any agent."""

from batuta.datasets.attached import take_attached
from batuta.datasets.dataset import Dataset, dataset_name
from batuta.datasets.large import LargeDataset
from batuta.datasets.library import library_of, summary_for_model
from batuta.datasets.sql import query_datasets as run_query
from batuta.tools.context import ToolContext
from batuta.tools.tool import tool


@tool(effect="read", timeout=60.0)
async def query_datasets(
    sql: str, context: ToolContext, name: str = "result", title: str = ""
) -> Dataset | LargeDataset:
    """Select, filter, group, join, sort or pivot datasets of this conversation with one SELECT statement.

    Figures are computed here, never in your head. Tables are the datasets, by name; the dialect is DuckDB's. The
    result is a dataset too.

    Args:
        context: Given by the run.
        sql: One SELECT statement, such as `select country, sum(balance) as balance from customers group by country`.
        name: What to call the result, in lower-case words joined by underscores.
        title: What the result is, in the user's language.
    """
    library = library_of(context)
    await take_attached(library, context)
    return await run_query(library, sql, name=dataset_name(name), title=title)


@tool(effect="read")
async def list_datasets(context: ToolContext) -> str:
    """List the datasets of this conversation: name, columns, row count and totals."""
    library = library_of(context)
    await take_attached(library, context)
    kept = await library.store.list(library.owner)
    return "\n".join(summary_for_model(info, ()) for info in kept) or "there are no datasets yet"
