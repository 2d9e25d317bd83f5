"""What the ERP does not understand and a document says is answered by the document, and the other way round (A-10, A-40)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.asked_team import AskedTeam

pytestmark = pytest.mark.asyncio(loop_scope="module")


@asynccontextmanager
async def team_with(documents: dict[str, str], place: Path) -> AsyncIterator[AskedTeam]:
    """A team that has some documents."""
    folder = place / "documents"
    folder.mkdir()
    for name, text in documents.items():
        (folder / name).write_text(text, encoding="utf-8")
    asked = AskedTeam(place / "data", documents_dir=folder)
    async with asked.team:
        yield asked


NOTES = (
    "# Incidencias\n\n## Pedidos\n\nEl pedido 4471 está retenido en la aduana de Valencia desde el lunes.\n\n"
    "# Incidents\n\n## Stock of the unicorns\n\nThe stock of the plush unicorns was burnt in May.\n"
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def noted(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[AskedTeam]:
    documents = {"notes.md": NOTES}
    async with team_with(documents, tmp_path_factory.mktemp("noted")) as asked:
        yield asked


@pytest.mark.parametrize(
    ("text", "language", "said"),
    [
        ("¿Qué pasó con el pedido 4471?", "es", "retenido en la aduana"),
        ("¿Qué pasó con el pedido 4472?", "es", "Los documentos no dicen nada"),
        ("how much stock of unicorns do we have?", "en", "plush unicorns"),
        ("how much stock of dragons do we have?", "en", "I do not know what “dragons” means"),
        ("how much stock do we have in value?", "en", "Stock value"),
    ],
)
async def test_the_one_that_knows_answers(noted: AskedTeam, text: str, language: str, said: str) -> None:
    outcome = await noted.ask([text], language)
    assert said in outcome.answer


MINUTES = (
    "Acta de la reunión de dirección\nFecha: 4 de mayo de 2026\n\n1. Apertura del almacén de Teruel\n"
    "Se aprueba abrir el almacén de Teruel el 9 de junio de 2026. Marta Lahoz será la responsable.\n"
)
PRICES = "# Taller\n\n| Servicio | Minutos | Precio |\n|---|---|---|\n| Revisión completa | 120 | 85 |\n| Pintura | 60 | 40 |\n"
MANUAL = (
    "# Boiler\n\n## Faults\n\n| Code | Meaning | What to do |\n|---|---|---|\n| K12 | No water | Open the valve |\n"
    "| K21 | Too hot | Wait an hour |\n| K30 | No flame | Call service |\n"
)
LEAVE = "# Permisos\n\nPor matrimonio se conceden 15 días de permiso.\n"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def minuted(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[AskedTeam]:
    documents = {"acta.txt": MINUTES, "taller.md": PRICES, "boiler.md": MANUAL, "permisos.md": LEAVE}
    async with team_with(documents, tmp_path_factory.mktemp("minuted")) as asked:
        yield asked


@pytest.mark.parametrize(
    ("conversation", "language", "said"),
    [
        (["¿Quién va a llevar el almacén de Teruel?"], "es", "Marta Lahoz será la responsable"),
        (["¿Quién va a llevar el almacén de Teruel?", "¿Cuándo abre?"], "es", "9 de junio de 2026"),
        (["precio de la revisión completa", "¿cuánto tiempo lleva?"], "es", "120"),
        (["Resume el acta de la reunión"], "es", "9 de junio de 2026"),
        (["¿Cuántos días me dan por casarme?"], "es", "15 días"),
        (["What does K21 mean?"], "en", "Too hot"),
        (["What does K21 mean?", "what should I do then?"], "en", "Wait an hour"),
        (["What does K99 mean?"], "en", "The documents do not say anything"),
        (["what is the usual number of faults per year"], "en", "The documents do not say anything"),
        (["List all faults of the boiler"], "en", "No flame"),
        (["How many plots are there?"], "en", "The documents do not say anything"),
    ],
)
async def test_what_no_agent_understands_is_looked_up_and_gone_on_from(
    minuted: AskedTeam, conversation: list[str], language: str, said: str
) -> None:
    """A-11: names of things, codes and summaries are looked up; a question without a subject is about the last one."""
    outcome = await minuted.ask(conversation, language)
    assert said in outcome.answer


CLUB = (
    "# Riverside Club\n\n## Rent\n\nThe rent is 48 pounds a year for a full plot and 26 pounds for a half plot.\n\n"
    "## Waiting list\n\nThe waiting list has 64 names.\n\n## Boots\n\nTwelve pairs of boots are bought in May.\n"
)
CALDERA = (
    "# Caldera Termia\n\n## Garantía\n\nLa garantía cubre tres años. La bomba mueve 420 litros al minuto.\n\n"
    "## Personal\n\nA 31 de diciembre trabajaban 38 personas. La gerente es Teresa Albesa desde 2019.\n\n"
    "## Horario\n\nLa piscina abrirá del 13 de junio al 6 de septiembre, de 11:00 a 21:00.\n"
)
FEES = "Data days\nFees\nThe fee is 90 EUR. A walk is free.\nCancellation\nUntil March the fee is refunded in full.\n"
FLEET = "Matrícula;Modelo;Electra\n4471;Transit;12\n"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def mixed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[AskedTeam]:
    documents = {
        "club.md": CLUB, "caldera.md": CALDERA, "days.txt": FEES, "fleet.csv": FLEET, "boiler.md": MANUAL,
    }  # fmt: skip
    async with team_with(documents, tmp_path_factory.mktemp("mixed")) as asked:
        yield asked


@pytest.mark.parametrize(
    ("conversation", "language", "said"),
    [
        (["How many people are on the waiting list?"], "en", "64 names"),
        (["How much do the boots cost?"], "en", "The documents do not say anything"),
        (["what is the rent of a half plot?"], "en", "26 pounds for a half plot"),
        (["¿Cuál es el alquiler de media parcela?"], "es", "26 pounds for a half plot"),
        (["what would it look like as a plot?"], "en", "What should it show?"),
        (["How long is the boiler under warranty?"], "en", "tres años"),
        (["How much electricity does the Termia use?"], "en", "The documents do not say anything"),
        (["¿Cuándo abre la piscina y hasta qué hora?"], "es", "de 11:00 a 21:00"),
        (["¿Quién es la gerente?", "¿desde cuándo?"], "es", "desde 2019"),
        (["¿Quién fabricó el montacargas?"], "es", "Los documentos no dicen nada"),
        (["¿Qué consumo de gasolina tiene la Transit?"], "es", "Los documentos no dicen nada"),
        (["Can I get my money back if I cancel the days in February?"], "en", "refunded in full"),
        (["The boiler shows K30, what should I do?"], "en", "Call service"),
    ],
)
async def test_documents_answer_in_either_language_and_say_what_they_leave_out(
    mixed: AskedTeam, conversation: list[str], language: str, said: str
) -> None:
    """A-10: what is asked stands in what is quoted, or the answer says that the documents do not say it."""
    outcome = await mixed.ask(conversation, language)
    assert said in outcome.answer
    assert "appointments" not in outcome.answer
    assert "citas" not in outcome.answer


FABRICS = "Referencia;Artículo;Precio EUR\nTX-100;Lona cruda;6,80\nTX-210;Terciopelo azul;19,90\n"
COMMITTEE = (
    "Acta del comité\nFecha: 14 de septiembre de 2026\nAsistentes: Rosa Calvo, Iván Peralta\n\n"
    "1. Nocturnidad\nIván Peralta propone subir el plus de nocturnidad. Se decidirá en la reunión de noviembre.\n\n"
    "2. Averías\nEn agosto hubo doce averías.\n"
)
LOOM = (
    "# Loom Arvid: manual\n\n## Technical data\n\n| Property | Value |\n|---|---|\n| Weight | 2,350 kg |\n\n"
    "## Error codes\n\n| Code | Meaning | Remedy |\n|---|---|---|\n| A12 | Oil pressure low | Stop the loom |\n"
)
LEASE = (
    "# Nave de Sabadell\n\n## Superficie\nLa nave tiene 1.150 metros cuadrados.\n\n"
    "## Obras\nNo se hacen obras sin permiso escrito del propietario.\n"
)
SHOP = "# Shop\n\n## Shipping\nShipping is free from 60 euros.\n\n## Dress\nStaff may not wear shorts.\n"
COFFEE = "# Coffee machine\n\n## Descaling\nDescale it every two months. It takes twenty-five minutes.\n"
COURSES = "# Formación\n\n| Curso | Horas | Formador |\n|---|---|---|\n| Excel avanzado | 16 | Laia Bosch |\n"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def textiles(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[AskedTeam]:
    documents = {
        "precios.csv": FABRICS, "acta.txt": COMMITTEE, "loom.md": LOOM, "nave.md": LEASE, "shop.md": SHOP, "cursos.md": COURSES,
        "coffee.md": COFFEE,
    }  # fmt: skip
    async with team_with(documents, tmp_path_factory.mktemp("textiles")) as asked:
        yield asked


@pytest.mark.parametrize(
    ("conversation", "language", "said"),
    [
        (["Is shipping free?"], "en", "free from 60 euros"),
        (["How much is the blue velvet?"], "en", "19,90"),
        (["How heavy is the loom?"], "en", "2,350 kg"),
        (["¿Cuántas averías hubo en agosto?"], "es", "doce averías"),
        (["¿Cuándo se decide el plus de nocturnidad?"], "es", "reunión de noviembre"),
        (["¿Quién da el curso de Excel?", "¿cuántas horas dura?"], "es", "16"),
        (["¿Qué día es festivo el comedor?"], "es", "Los documentos no dicen nada"),
        (["¿Cuánto cuesta la tintorería?"], "es", "Los documentos no dicen nada"),
        (["¿Cuánta sal queda?"], "es", "Los documentos no dicen nada"),
        (["when is my dentist appointment?"], "en", "09:30"),
        (["who am I having lunch with this week?"], "en", "Marta"),
        (["How long does descaling take?"], "en", "twenty-five minutes"),
        (["¿Cuánto cobra Rosa Calvo?"], "es", "Los documentos no dicen nada"),
        (["¿Quién es el propietario de la nave?"], "es", "Los documentos no dicen nada"),
        (["¿Cuántos metros cuadrados tiene la oficina?"], "es", "Los documentos no dicen nada"),
        (["How many looms do we have?"], "en", "The documents do not say anything"),
        (["How many people applauded at the meeting?"], "en", "The documents do not say anything"),
    ],
)
async def test_what_is_asked_stands_in_what_is_quoted(
    textiles: AskedTeam, conversation: list[str], language: str, said: str
) -> None:
    """An amount needs a figure that is no code, and somebody a name; what has it is about the thing that is asked about."""
    outcome = await textiles.ask(conversation, language)
    assert said in outcome.answer
