"""What is drawn is Vega-Lite by the schema that its own package brings (A-20)."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jsonschema_rs
import pytest

from batuta.datasets.charts.draft import ChartRefusedError
from batuta.datasets.charts.planning import plan_chart
from batuta.datasets.charts.rendering import bound
from batuta.datasets.charts.spec import vega_lite
from tests.unit.datasets.chart_cases import generated_cases

SCHEMA = Path(__file__).parents[3] / "web/node_modules/vega-lite/build/vega-lite-schema.json"
CASES = 300


@pytest.fixture(scope="module")
def vega_lite_schema() -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(
        json.loads(SCHEMA.read_text(encoding="utf-8"), object_hook=with_quoted_reference)
    )


def with_quoted_reference(part: dict[str, Any]) -> dict[str, Any]:
    """Names such as `MarkPropDef<(string|null)>` are no addresses, as a reference has to be."""
    if isinstance(part.get("$ref"), str):
        return {**part, "$ref": quote(part["$ref"], safe="#/")}
    return part


def test_every_chart_is_valid_by_the_schema_of_vega_lite(vega_lite_schema: jsonschema_rs.Validator) -> None:
    kinds: set[str] = set()
    for dataset, request in generated_cases(CASES, seed=23):
        try:
            plan = plan_chart(dataset, request)
        except ChartRefusedError:
            continue
        if plan.kind in ("kpi", "table"):
            continue
        kinds.add(plan.kind)
        spec = bound(vega_lite(plan), plan.figures, language=request.language)
        assert [error.message[:300] for error in vega_lite_schema.iter_errors(spec)] == [], (plan.kind, request)
    assert len(kinds) >= 8


def test_the_schema_knows_what_is_no_chart(vega_lite_schema: jsonschema_rs.Validator) -> None:
    assert not vega_lite_schema.is_valid({"mark": "pyramid", "encoding": {}, "data": {"name": "figures"}})
