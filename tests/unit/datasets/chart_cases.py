"""A dataset of sales to draw, and generated ones of many shapes."""

import random
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from batuta.datasets.charts.request import ChartRequest
from batuta.datasets.dataset import Column, Dataset, RecordReference
from batuta.testing.datasets import SOURCE

COLUMNS = [
    Column(name="customer", type="text", label="Cliente"),
    Column(name="country", type="text", label="País"),
    Column(name="day", type="date", label="Fecha"),
    Column(name="amount", type="decimal", label="Importe", currency="EUR"),
    Column(name="pieces", type="integer", label="Unidades", unit="pcs"),
    Column(name="price", type="decimal", label="Precio", currency="EUR", is_additive=False),
]
ROWS = [
    ["Acme", "España", "2026-01-15", "100.10", 1, "9.99"],
    ["Acme", "España", "2026-02-15", "200.20", 2, "9.99"],
    ["Luna", "Portugal", "2026-02-20", "50.00", 3, "5.00"],
    ["Sol", "España", "2026-03-01", "25.05", 4, "7.50"],
]


def sales(rows: list[list[Any]] | None = None, columns: list[Column] | None = None) -> Dataset:
    chosen = ROWS if rows is None else rows
    references = [RecordReference(entity="salesInvoices", key=str(number)) for number in range(len(chosen))]
    return Dataset(
        name="sales", columns=columns or COLUMNS, rows=chosen, provenance=SOURCE, title="Ventas", references=references
    )


KINDS = ("bar", "stacked", "line", "area", "pie", "scatter", "heatmap", "histogram", "combined")


def generated_cases(count: int, seed: int = 7) -> Iterator[tuple[Dataset, ChartRequest]]:
    """Datasets of many sizes and requests of every kind, from a seed."""
    rng = random.Random(seed)
    for number in range(count):
        names = [
            f"{rng.choice(('Acme', 'Núñez', 'Luna & Sol', 'Ç', '日本', 'a.b[0]'))} {n}"
            for n in range(rng.randint(1, 40))
        ]
        rows = [
            [
                rng.choice(names),
                rng.choice(("España", "Portugal", "Francia", None)),
                date(2025, 1, 1) + timedelta(days=rng.randrange(rng.choice((5, 90, 700)))),
                Decimal(rng.randrange(-50_000 if rng.random() < 0.1 else 0, 10_000_000)) / 100,
                rng.randrange(1_000),
                Decimal(rng.randrange(100_000)) / 1000,
            ]
            for _ in range(rng.choice((1, 2, 7, 60, 400)))
        ]
        kind = KINDS[number % len(KINDS)]
        request = ChartRequest(
            dataset="sales",
            kind=kind,
            x=rng.choice(("customer", "country", "day", None)) if kind not in ("histogram", "scatter") else None,
            y=rng.choice(((), ("amount",), ("amount", "price"), ("pieces",))),
            series="country" if kind in ("stacked", "heatmap") or rng.random() < 0.3 else None,
            time_unit=rng.choice((None, "month", "quarter", "week")),
            top=rng.choice((None, None, 3)) if kind not in ("line", "area") else None,
            language=rng.choice(("en", "es")),
        )
        if request.series == request.x:
            request = request.changed(x="customer")
        yield sales(rows), request
