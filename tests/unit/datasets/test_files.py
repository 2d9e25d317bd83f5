"""Datasets as CSV and XLSX, out and in (A-6)."""

import csv
import io
import re
import zipfile
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import openpyxl
import pytest

from batuta.datasets.charts.planning import plan_chart
from batuta.datasets.charts.request import ChartRequest
from batuta.datasets.dataset import Column, Dataset, DatasetError
from batuta.datasets.files import csv_lines, dataset_from_csv, dataset_from_xlsx, datasets_from_document, xlsx_writer
from batuta.datasets.reading import table_of
from batuta.events.datasets import Cell
from batuta.testing.datasets import EVERY_TYPE, NOW, SOURCE, a_dataset


def test_a_csv_file_holds_every_value_and_begins_no_formula() -> None:
    columns = [Column(name="name", type="text", label="=Cliente"), Column(name="amount", type="decimal")]
    rows: list[list[Cell]] = [["=HYPERLINK(1)", "-1.50"], ["@x", None], ['a "b", c\n', "2"]]
    lines = "".join(csv_lines(columns, rows))
    assert list(csv.reader(io.StringIO(lines))) == [
        ["'=Cliente", "amount"], ["'=HYPERLINK(1)", "-1.50"], ["'@x", ""], ['a "b", c\n', "2"],
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["a;=1+1", "a\n@x", "a\t+1", "a|-1", "＝1+1", ";=1", "\r\n=1", "\t=1"])
def test_no_part_of_a_cell_begins_a_formula(text: str) -> None:
    """Spreadsheets of other countries divide cells at semicolons, whatever the file divides them by."""
    [_, line] = csv.reader(io.StringIO("".join(csv_lines([Column(name="name", type="text")], [[text]])), newline=""))
    assert not [part for part in re.split(r"[;\t\r\n|]", line[0]) if part[:1] in "=+-@＝＋－＠" and part]
    assert line[0].replace("'", "") == text


def test_a_workbook_opens_with_types() -> None:
    out = io.BytesIO()
    made = a_dataset()
    with xlsx_writer(out, made.columns, title="Ventas: [2026]/*?") as write:
        write(made.first_rows())
    sheet = openpyxl.load_workbook(io.BytesIO(out.getvalue())).worksheets[0]
    rows = list(sheet.iter_rows(values_only=True))
    assert sheet.title == "Ventas   2026"
    assert rows[0][:3] == ("Nombre", "pieces", "amount")
    assert rows[1] == (
        'Núñez "&" Söhne\n😀', "4611686018427387904", 0.1, 0.1, datetime.fromisoformat("2026-02-28"),
        datetime.fromisoformat("2026-03-02T09:00:00"), True,
    )  # fmt: skip
    assert rows[3] == (None,) * 7


@pytest.mark.parametrize(
    ("text", "columns", "first"),
    [
        (
            "Cliente;Importe;Fecha\nAcme;1.234,50;28/02/2026\nLuna;7,25;01/03/2026\n",
            [("cliente", "text"), ("importe", "decimal"), ("fecha", "date")],
            ("Acme", Decimal("1234.50"), date(2026, 2, 28)),
        ),
        (
            'code,n,amount,ok\n007,1,"1,234.5",true\n008,2,,false\n',
            [("code", "text"), ("n", "integer"), ("amount", "decimal"), ("ok", "boolean")],
            ("007", 1, Decimal("1234.5"), True),
        ),
        (
            "a\tb\nx\t2026-01-01T10:00:00Z\n",
            [("a", "text"), ("b", "datetime")],
            ("x", datetime(2026, 1, 1, 10, tzinfo=UTC)),
        ),
        (  # a title above the head, money with its sign, and a total that is no row
            "Informe 2026\n\nZona;Importe;Cuota\nNorte;1.234,50 €;12,5%\nSur;7 €;3%\nTotal;1.241,50 €;\n",
            [("zona", "text"), ("importe", "decimal"), ("cuota", "decimal")],
            ("Norte", Decimal("1234.50"), Decimal("12.5")),
        ),
        (  # no head at all
            "Acme,10,2026-01-01\nLuna,20,2026-01-02\n",
            [("column_1", "text"), ("column_2", "integer"), ("column_3", "date")],
            ("Acme", 10, date(2026, 1, 1)),
        ),
        (  # months first, a point before three decimals, a loss in brackets
            "day,rate,result\n02/28/2026,1.234,(5.50)\n03/01/2026,2.500,7.25\n",
            [("day", "date"), ("rate", "decimal"), ("result", "decimal")],
            (date(2026, 2, 28), Decimal("1.234"), Decimal("-5.50")),
        ),
        ("n,n,\n1,2,3\n", [("n", "integer"), ("n_2", "integer"), ("column_3", "integer")], (1, 2, 3)),
    ],
)
def test_an_uploaded_csv_becomes_a_dataset(text: str, columns: Any, first: Any) -> None:
    for content in (text.encode(), text.encode("utf-8-sig"), text.encode("utf-16")):
        made = dataset_from_csv(content, name="Ventas 2026.csv", now=NOW)
        assert [(column.name, column.type) for column in made.columns] == columns
        assert made.rows[0] == first
        assert (made.name, made.provenance.connector) == ("ventas_2026", "upload")


def test_an_uploaded_workbook_becomes_the_same_dataset() -> None:
    columns = [*EVERY_TYPE[:1], *EVERY_TYPE[2:3], *EVERY_TYPE[4:5]]
    rows = [["Acme", Decimal("12.50"), date(2026, 1, 1)], ["Luna", Decimal(3), date(2026, 1, 2)]]
    made = Dataset(name="x", columns=columns, rows=rows, provenance=SOURCE)
    out = io.BytesIO()
    with xlsx_writer(out, made.columns) as write:
        write(made.first_rows())
    again = dataset_from_xlsx(out.getvalue(), name="x.xlsx", now=NOW)
    assert again.rows == made.rows
    assert [column.type for column in again.columns] == ["text", "decimal", "date"]


WORD = (
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    "<w:p><w:r><w:t>Lista de precios 2026</w:t></w:r></w:p><w:tbl>{rows}</w:tbl></w:body></w:document>"
)


def word_document(rows: list[list[str]]) -> bytes:
    cells = "".join(
        "<w:tr>" + "".join(f"<w:tc><w:p><w:r><w:t>{cell}</w:t></w:r></w:p></w:tc>" for cell in row) + "</w:tr>"
        for row in rows
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("word/document.xml", WORD.format(rows=cells))
    return out.getvalue()


PRICES = [["Producto", "Precio"], ["Mesa", "1.234,50 €"], ["Silla", "70,25 €"]]
PAGE = (
    "<h2>Lista de precios 2026</h2><script>var x = '<table>';</script><table><tr><th>Producto<th>Precio</tr>"
    "<tr><td>Mesa</td><td>1.234,50 &euro;</td></tr><tr><td>Silla</td><td>70,25 &euro;</td></tr></table>"
)


MARKDOWN = (
    "# Tienda\n\n## Lista de precios 2026\n\n| Producto | Precio |\n| --- | ---: |\n| Mesa | **1.234,50 €** |\n"
    "| Silla | 70,25 € |\n\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n```\n"
)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("precios.docx", word_document(PRICES)),
        ("precios.html", PAGE.encode()),
        ("precios.md", MARKDOWN.encode()),
    ],
)
def test_a_table_inside_a_document_becomes_a_dataset(name: str, content: bytes) -> None:
    ((title, made),) = datasets_from_document(content, name=name, now=NOW)
    assert (title, made.name) == ("Lista de precios 2026", "lista_de_precios_2026")
    assert [(one.label, one.type, one.currency) for one in made.columns] == [
        ("Producto", "text", None), ("Precio", "decimal", "EUR"),
    ]  # fmt: skip
    assert made.rows == (("Mesa", Decimal("1234.50")), ("Silla", Decimal("70.25")))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.docx", b"no zip", "cannot be read as a Word document"),
        ("a.docx", word_document([["only one"]]), "holds no table"),
        ("a.html", b"<p>nothing</p>", "holds no table"),
        ("a.md", b"# Nothing\n\nthis | that\n", "holds no table"),
    ],
)
def test_a_document_without_a_table_says_so(name: str, content: bytes, words: str) -> None:
    with pytest.raises(DatasetError, match=words):
        datasets_from_document(content, name=name, now=NOW)


def test_money_and_percentages_keep_what_they_are() -> None:
    content = "Zona;Importe;Cuota;Año\nNorte;1.234,50 €;12,5%;2026\nSur;7 €;3%;2026\n".encode()
    columns = dataset_from_csv(content, name="f.csv", now=NOW).columns
    assert [(one.currency, one.unit, one.is_additive) for one in columns[1:]] == [
        ("EUR", None, True), (None, "%", False), (None, None, False),
    ]  # fmt: skip


def bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/worksheets/sheet1.xml", b" " * 60_000_000)
    return out.getvalue()


@pytest.mark.parametrize(
    ("read", "content", "words"),
    [
        (dataset_from_csv, b"a,b\n", "no rows"),
        (dataset_from_csv, b"x" * 11_000_000, "larger than 10 MB"),
        (dataset_from_csv, b"a\n" + b"1\n" * 200_001, "more than 200000 rows"),
        (dataset_from_csv, ",".join(map(str, range(300))).encode() + b"\n1\n", "more than 200 columns"),
        (dataset_from_csv, b'a,b\n"' + b"x" * 200_000 + b'",1\n', "cannot be read as CSV"),
        (dataset_from_xlsx, b"no zip", "no workbook"),
        (dataset_from_xlsx, bomb(), "unpacks to more"),
        (dataset_from_xlsx, b"PK\x05\x06" + b"\0" * 18, "cannot be read as a workbook"),
    ],
)
def test_a_file_that_cannot_be_one_is_refused_with_a_reason(read: Any, content: bytes, words: str) -> None:
    with pytest.raises(DatasetError, match=words):
        read(content, name="f", now=NOW)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Customer,Amount,Currency\nAcme,100,EUR\nLuna,250,USD\n", ["EUR", "USD"]),
        ("Cliente;Importe;Unidades;Moneda\nAcme;100,50;3;\nLuna;250,00;4;USD\n", ["USD", "without a code"]),
        ("Customer,Amount\nAcme,100 €\nLuna,$200\n", ["EUR", "USD"]),
        ("Customer,Amount\nAcme,CHF 100\nLuna,200 eur\nSol,\n", ["CHF", "EUR"]),
        ("Customer,Amount\nAcme,100\nLuna,$200\n", ["USD", "without a code"]),
    ],
)
def test_uploaded_amounts_of_several_currencies_are_not_added_up(text: str, codes: list[str]) -> None:
    made = dataset_from_csv(text.encode(), name="sales.csv", now=NOW)
    amount = made.columns[1]
    assert amount.is_numeric
    assert amount.name not in made.totals()
    split = plan_chart(made, ChartRequest(dataset="sales", kind="bar"))
    assert f"several currencies ({', '.join(codes)})" in split.notes[0]
    plan = plan_chart(made, ChartRequest(dataset="sales", kind="bar", series=amount.currency_column))
    assert len(split.figures.rows) == len(plan.figures.rows) == len(made.rows)


def test_amounts_of_one_currency_are_and_counts_have_none() -> None:
    text = "Customer,Amount,Units,Currency\nAcme,100,3,EUR\nLuna,250,4,EUR\n"
    made = dataset_from_csv(text.encode(), name="sales.csv", now=NOW)
    assert made.totals() == {"amount": 350, "units": 7}
    assert made.column("units").currency_column is None
    plan = plan_chart(made, ChartRequest(dataset="sales", kind="bar"))
    assert (plan.y[0].currency, plan.x and plan.x.name) == ("EUR", "customer")


@pytest.mark.parametrize("cells", [("5 km", "7 km"), ("A1", "B2"), ("10%", "20")])
def test_numbers_with_other_words_stay_texts(cells: tuple[str, str]) -> None:
    text = f"Customer,Size\nAcme,{cells[0]}\nLuna,{cells[1]}\n"
    assert dataset_from_csv(text.encode(), name="a.csv", now=NOW).columns[1].type == "text"


def test_a_currency_in_the_head_of_a_column_is_that_of_its_amounts() -> None:
    text = "Departamento;Gasto (€);Gasto USD;Unidades (€);Notas\nIT;100;200;3;a\nRRHH;50;60;4;b\n"
    made = dataset_from_csv(text.encode(), name="gasto.csv", now=NOW)
    assert [column.currency for column in made.columns] == [None, "EUR", "USD", None, None]
    wanted = ChartRequest(dataset="gasto", x="departamento", y=("gasto", "gasto_usd"), language="es")
    plan = plan_chart(made, wanted)
    assert plan.title == "Gasto (€) por departamento"
    assert any("Gasto USD" in note for note in plan.notes)


@pytest.mark.parametrize(
    ("cells", "kind", "first"),
    [
        (("59.900 €", "950 €"), "decimal", Decimal(59900)),
        (("1.500 EUR", "2.750.000 EUR"), "decimal", Decimal(1500)),
        (("59.90 €", "1.20 €"), "decimal", Decimal("59.90")),
        (("1.2 €", "1.200 €"), "decimal", Decimal("1.2")),
        (("1.234", "2.345"), "decimal", Decimal("1.234")),
        (("3-ene-25", "14-feb-25"), "date", date(2025, 1, 3)),
        (("15 de marzo de 2025", "2025-03-16", "17.03.2025"), "date", date(2025, 3, 15)),
        (("March 15, 2025", "3 Sept 2025"), "date", date(2025, 3, 15)),
        (("15/03/25", "16/03/25"), "date", date(2025, 3, 15)),
        (("may 25", "june 25"), "text", "may 25"),
    ],
)
def test_whole_amounts_and_days_in_words_are_read(cells: tuple[str, ...], kind: str, first: Any) -> None:
    columns, rows = table_of([["What", "Value"], *([f"n{number}", cell] for number, cell in enumerate(cells))])
    assert (columns[1].type, rows[0][1]) == (kind, first)


def test_amounts_under_a_head_with_a_currency_have_points_after_thousands() -> None:
    columns, rows = table_of([["Salario (€)", "IVA %"], ["59.900", "21"], ["1.200", "10"]])
    assert rows[0] == [Decimal(59900), 21]
    assert (columns[1].unit, columns[1].is_additive) == ("%", False)
