"""Where the rows of a dataset come from, through everything they were made of."""

from collections.abc import Iterable

from batuta.datasets.charts.planning import CHART_CONNECTOR
from batuta.datasets.charts.request import ChartRequest
from batuta.datasets.store import DatasetInfo
from batuta.events.datasets import Provenance


def sources_of(info: DatasetInfo, kept: Iterable[DatasetInfo]) -> list[Provenance]:
    """The provenance of a dataset, and of all those kept beside it that it was made of."""
    by_name = {one.name: one for one in kept}
    found = {info.name: info.provenance}
    waiting = [info]
    while waiting:
        made_of = waiting.pop().provenance
        names = [*made_of.sources, *_drawn_from(made_of)]
        new = [by_name[name] for name in names if name in by_name and name not in found]
        found |= {one.name: one.provenance for one in new}
        waiting += new
    return list(found.values())


def _drawn_from(provenance: Provenance) -> tuple[str, ...]:
    """The dataset that a chart's figures were taken from."""
    if provenance.connector != CHART_CONNECTOR:
        return ()
    return (ChartRequest.model_validate_json(provenance.query).dataset,)
