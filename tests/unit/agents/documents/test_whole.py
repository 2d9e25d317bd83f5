"""Contradictions, whole documents, follow-ups and unread files with the built-in model (A-10, A-11, A-13)."""

from pathlib import Path

import pytest

from batuta.agents.documents import specialist
from batuta.agents.documents.library import CHOSEN_SERVICE, UNREAD_SERVICE
from batuta.agents.documents.whole import asks_for_all, items_of, listed_in, meant_document, meant_pair, points_of
from batuta.conversations.conversation import Conversation
from batuta.events.conversation import AssistantMessage, Citation
from batuta.kernel.messages import Message
from batuta.knowledge.disagree import sentences_in
from batuta.knowledge.extract.reading import read
from batuta.knowledge.index import DocumentEntry
from batuta.language.findings import Language
from batuta.language.rewording import plain_wordings, standing_alone
from batuta.llm.providers import OFFLINE_MODEL
from batuta.offline.evidence import cited_answer
from batuta.orchestration import Orchestrator
from batuta.orchestration.orchestrator import Turn

HANDBOOK = (
    "# Staff handbook\n\n## Holidays\n\nFull-time staff have 24 days of holidays a year.\n\n"
    "Part-time staff have 12 days of holidays a year.\n\n## Sick leave\n\nA doctor's note is needed after 3 days.\n"
)


def written(tmp_path: Path, **files: str) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in files.items():
        (folder / f"{name}.md").write_text(text)
    return folder


async def asked(text: str, folder: Path, tmp_path: Path, **options: object) -> Turn:
    team = Orchestrator(supervisor=OFFLINE_MODEL, agents=[specialist(OFFLINE_MODEL, folder=folder, data_dir=tmp_path)])
    return await team.run(text, target_agent_id="documents_agent", **options)  # type: ignore[arg-type]


def cited(turn: Turn) -> list[Citation]:
    return [each for event in turn.events if isinstance(event, AssistantMessage) for each in event.citations]


@pytest.mark.parametrize(
    ("question", "opening", "rule"),
    [
        (
            "What is the hotel limit?",
            "The documents disagree:",
            "The hotel limit for every employee is {} euros per night.",
        ),
        (
            "¿Cuál es el límite de hotel?",
            "Los documentos no coinciden:",
            "El límite de hotel para cada empleado es de {} euros por noche.",
        ),
    ],
)
async def test_two_documents_that_disagree_are_both_quoted(
    tmp_path: Path, question: str, opening: str, rule: str
) -> None:
    folder = written(tmp_path, old=f"# Rules\n\n{rule.format(130)}\n", new=f"# Rules\n\n{rule.format(150)}\n")
    turn = await asked(question, folder, tmp_path)
    assert turn.status == "success", turn.error
    assert opening in str(turn.answer)
    assert {each.source for each in cited(turn)} == {"old.md", "new.md"}


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        (
            "How long is the warranty of the sorter?",
            "The manufacturer grants a warranty of 24 months for the sorter from the day of installation.",
            "The warranty of the sorter is 12 months.",
        ),
        (
            "¿Cuánto dura la garantía de la prensa?",
            "La garantía de la prensa es de 36 meses.",
            "La prensa se vende con una garantía de 24 meses.",
        ),
        (
            "¿Cuántos años de garantía tienen los implantes?",
            "Los implantes tienen una garantía de cinco años si se revisan.",
            "Los implantes tienen una garantía de diez años.",
        ),
    ],
)
async def test_documents_that_answer_a_question_differently_are_both_quoted(
    tmp_path: Path, question: str, one: str, other: str
) -> None:
    """A-10: in other words, and with a third document that is about something else."""
    folder = written(
        tmp_path,
        one=f"# Manual\n\n{one}\n",
        other=f"# Flyer\n\n{other}\n",
        third="# Roof\n\nThe warranty is 15 years.\n",
    )
    turn = await asked(question, folder, tmp_path)
    assert {each.source for each in cited(turn)} == {"one.md", "other.md"}, turn.answer


async def test_how_long_is_answered_by_a_sentence_with_a_time(tmp_path: Path) -> None:
    text = "# Forklift\n\n## Battery\n\nCharge the battery below 20 percent. A full charge takes 7.5 hours.\n"
    turn = await asked(
        "How long does it take to charge the forklift battery?", written(tmp_path, forklift=text), tmp_path
    )
    assert "7.5 hours" in str(turn.answer)


async def test_a_size_in_the_question_chooses_the_row(tmp_path: Path) -> None:
    table = "# Prices\n\n| Product | Price |\n|---|---|\n| Gear pump 2 kW | 1240 |\n| Gear pump 5 kW | 2115 |\n"
    turn = await asked("How much is the gear pump 5 kW?", written(tmp_path, prices=table), tmp_path)
    assert "2115" in str(turn.answer)
    assert "1240" not in str(turn.answer)


def test_a_short_statement_behind_its_code_is_no_label() -> None:
    text = "- F03: overpressure. Lower the valve.\n- F11: open door. Close it."
    passage = {"file": "press.md", "title": "Press", "section": "Errors", "relevance": 1.0, "text": text}
    assert "overpressure" in cited_answer([("What does error F03 mean?", [], {"passages": [passage]})], "en")


@pytest.mark.parametrize("question", ["¿Cuántos empleados tiene Miranda?", "How many employees does Miranda have?"])
def test_a_passage_without_what_is_counted_answers_nothing(question: str) -> None:
    passage = {
        "file": "lease.md",
        "title": "Miranda",
        "section": "",
        "relevance": 1.0,
        "text": "Miranda pays 24 euros.",
    }
    assert "24" not in cited_answer([(question, ["miranda"], {"passages": [passage]})], "en")


@pytest.mark.parametrize(
    ("question", "is_known"),
    [
        ("¿Cuántos empleados tiene Talleres Miranda?", False),
        ("How many employees does Talleres Miranda have?", False),
        ("¿Cuántos meses dura el contrato de Talleres Miranda?", True),
        ("¿Quién arrienda la nave a Talleres Miranda?", True),
    ],
)
async def test_what_is_counted_stands_in_the_answer(tmp_path: Path, question: str, is_known: bool) -> None:
    """Names with points in them, such as S.L., are quoted as they stand."""
    text = "# Contrato\n\nInmobiliaria Robledo, S.A. arrienda a Talleres Miranda, S.L. la nave por 24 meses.\n"
    turn = await asked(question, written(tmp_path, contrato=text), tmp_path)
    assert turn.status == "success", turn.error
    assert ("S.L." in str(turn.answer)) is is_known


async def test_the_subject_of_a_message_answers_nothing(tmp_path: Path) -> None:
    folder = written(tmp_path, other="# Other\n\nNothing of the kind.\n")
    mail = "Subject: Offer 2026-077: solar panels for the roof\n\nWe offer 420 panels of 450 W for the roof.\n"
    (folder / "offer.eml").write_text(mail, encoding="utf-8")
    turn = await asked("How many solar panels are offered?", folder, tmp_path)
    assert "420 panels" in str(turn.answer)


@pytest.mark.parametrize("question", ["Summarise the staff handbook", "Hazme un resumen de handbook.md"])
async def test_a_whole_document_is_told_by_its_sections_and_every_point_is_cited(tmp_path: Path, question: str) -> None:
    folder = written(tmp_path, handbook=HANDBOOK, other="# Parking\n\nParking costs 5 euros a day for visitors.\n")
    turn = await asked(question, folder, tmp_path)
    assert turn.status == "success", turn.error
    assert {each.source for each in cited(turn)} == {"handbook.md"}
    assert "days of holidays a year" in str(turn.answer)
    assert "doctor's note" in str(turn.answer)
    assert "Parking" not in str(turn.answer)


async def test_a_follow_up_is_searched_as_a_question_of_its_own(tmp_path: Path) -> None:
    """A-11: "and for part-time staff?" asks about the holidays that were asked about before."""
    folder = written(tmp_path, handbook=HANDBOOK)
    first = await asked("How many days of holidays do full-time staff have?", folder, tmp_path)
    assert "24 days" in str(first.answer)
    said = Conversation(
        [
            Message.user("How many days of holidays do full-time staff have?"),
            Message.assistant(str(first.answer), "documents_agent"),
        ]
    )
    turn = await asked("And for part-time staff?", folder, tmp_path, conversation=said)
    assert "12 days" in str(turn.answer)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What does the lease cost?", "The documents do not say what is in “lease.pdf”: it is still being read"),
        ("¿Cuánto cuesta el alquiler?", "Los documentos no dicen lo que hay en «lease.pdf»: todavía se está leyendo"),
    ],
)
async def test_a_file_that_was_not_read_is_named_with_what_to_do(tmp_path: Path, question: str, words: str) -> None:
    folder = written(tmp_path, handbook=HANDBOOK)
    why = {"en": "it is still being read; ask again.", "es": "todavía se está leyendo; vuelve a preguntar."}
    services = {CHOSEN_SERVICE: ["NONE"], UNREAD_SERVICE: [{"file": "lease.pdf", "why": why}]}
    turn = await asked(question, folder, tmp_path, services=services)
    assert turn.status == "success", turn.error
    assert words in str(turn.answer)


def test_points_keep_the_order_of_the_text_and_are_words_of_it() -> None:
    content = read(HANDBOOK.encode(), "handbook.md", max_chars=10_000)
    points = points_of(content)
    assert [point.section for point in points] == ["Holidays", "Holidays", "Sick leave"]
    assert all(point.text in content.text for point in points)


@pytest.mark.parametrize(
    ("question", "is_whole"),
    [
        ("Summarize lease.pdf", True),
        ("What is the contract about?", True),
        ("¿De qué trata el contrato?", True),
        ("Resúmeme la política de viajes", True),
        ("How much is the rent?", False),
        ("¿Cuánto se resta del salario?", False),
    ],
)
def test_a_question_about_the_whole_is_told_from_one_about_a_detail(question: str, is_whole: bool) -> None:
    assert asks_for_all(question) is is_whole


def test_a_document_is_meant_by_its_title_or_by_the_name_of_its_file() -> None:
    """Slides have a title of their own; people call them what they called the file."""
    entries = [
        DocumentEntry(document_id=name, owner="ana", name=name, title=title, revision="", passages=1)
        for name, title in (("board-deck-q3.pptx", "Third quarter in figures"), ("lease.pdf", "Office lease"))
    ]
    for question in ("Summarise the board deck", "Summarise the third quarter in figures"):
        meant = meant_document(question, entries, is_chosen=False)
        assert meant is not None
        assert meant.name == "board-deck-q3.pptx"
    assert meant_document("Summarise the handbook", entries, is_chosen=False) is None


ROASTER = (
    "# Roaster R12\n\nThe drum holds 12 kilograms.\n\n## Repairs\n\nThe landlord repairs the outer walls.\n\n"
    "## Error codes\n\n| Code | Meaning |\n|---|---|\n| E04 | Motor overloaded |\n| E17 | Flue too hot |\n"
)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Who painted the outer walls?", "painted"),
        ("How much does the roaster R12 cost?", "cost"),
        ("When was the roaster drum founded?", "founded"),
        ("What does error code E09 mean?", "e09"),
        ("¿Quién fabrica el drum del roaster R12?", "fabrica"),
    ],
)
async def test_what_stands_nowhere_is_named_before_what_comes_nearest(tmp_path: Path, question: str, word: str) -> None:
    """A-10: a passage on the subject is no answer to another question about it."""
    turn = await asked(question, written(tmp_path, roaster=ROASTER), tmp_path)
    assert str(turn.answer).startswith(("The documents do not say", "Los documentos no dicen")), turn.answer
    assert (
        word in str(turn.answer)
        or "without a language model" in str(turn.answer)
        or "sin un modelo" in str(turn.answer)
    )


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Who drives the Sprinter?", "Joe Whitby"),
        ("Who repairs the outer walls?", "landlord"),
        ("¿Cada cuánto se limpian los cristales?", "al trimestre"),
        ("When does the lease of Unit 7 end?", "28 February 2030"),
        ("How much does shipping to Spain cost?", "24 pounds"),
        ("¿Cuánto se paga al mes en el contrato de limpieza?", "2.150 euros"),
    ],
)
async def test_other_forms_of_the_words_and_dates_answer(tmp_path: Path, question: str, words: str) -> None:
    folder = written(
        tmp_path,
        fleet="# Fleet\n\n| Vehicle | Driver |\n|---|---|\n| Ford Transit | Sam Oakes |\n| Sprinter | Joe Whitby |\n",
        roaster=ROASTER,
        limpieza="# Contrato de limpieza\n\nLa limpieza de cristales se hace una vez al trimestre.\n\n## Precio\n\n"
        "El precio es de 2.150 euros al mes.\n\n## Duración\n\nEl contrato dura dos años y se prorroga doce meses.\n",
        lease="# Lease of Unit 7\n\nEither party may end the lease after a year.\n\nIt ends on 28 February 2030.\n",
        shop="# Shop\n\nShipping to Spain takes 24 pounds off your account.\n",
    )
    turn = await asked(question, folder, tmp_path)
    assert words in str(turn.answer)
    assert not str(turn.answer).startswith(("The documents do not", "Los documentos no"))


async def test_everything_that_a_document_lists_is_listed(tmp_path: Path) -> None:
    turn = await asked("List all error codes of the roaster", written(tmp_path, roaster=ROASTER), tmp_path)
    assert "E04" in str(turn.answer)
    assert "E17" in str(turn.answer)
    assert "walls" not in str(turn.answer)
    assert len(cited(turn)) == 2


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ("List all error codes of the roaster", "error codes of the roaster"),
        ("Enumera todas las obligaciones del contrato", "las obligaciones del contrato"),
        ("give me every date in the contract", "date in the contract"),
        ("Who pays for all repairs?", ""),
    ],
)
def test_a_list_is_told_from_a_question(question: str, what: str) -> None:
    assert listed_in(question) == what


def test_what_no_section_is_about_is_listed_by_the_sentences_that_name_it() -> None:
    text = b"# Plan\n\nThe deadline for offers is May. Lunch is free.\n\nThe deadline for bids is June.\n"
    content = read(text, "plan.md", max_chars=9_000)
    assert [item.text for item in items_of(content, "plan.md", "deadlines")] == [
        "The deadline for offers is May.",
        "The deadline for bids is June.",
    ]


@pytest.mark.parametrize("question", ["Compare the gift policy with the staff note", "Summarise the staff note"])
async def test_two_documents_are_told_side_by_side_with_what_a_third_says_otherwise(
    tmp_path: Path, question: str
) -> None:
    """A-13: an answer that left the third out would not be given at all."""
    folder = written(
        tmp_path,
        gifts="# Gift policy\n\nGifts of up to 50 euros a year may be accepted.\n",
        note="# Staff note\n\nEvery worker has 26 working days of holidays.\n",
        agreement="# Agreement\n\nEvery worker has 24 working days of holidays.\n",
    )
    turn = await asked(question, folder, tmp_path)
    assert {"note.md", "agreement.md"} <= {each.source for each in cited(turn)}, turn.answer
    assert ("gifts.md" in {each.source for each in cited(turn)}) is question.startswith("Compare")
    assert "The documents disagree:" in str(turn.answer)


def test_a_short_text_is_told_by_its_paragraphs() -> None:
    text = (
        b"Minutes\n\nTurnover was 7 million pounds in the year.\n\nThe board approved a new kiln for 480,000 pounds.\n"
    )
    content = read(text, "minutes.txt", max_chars=9_000)
    assert len(points_of(content)) == 2


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Summarise the travel policy", "travel"),
        ("Give me a short summary of the handbook", "handbook"),
        ("Summarise the gift policy", None),
        ("Resume la política de regalos", None),
    ],
)
def test_a_document_that_shares_half_its_name_is_another_one(question: str, meant: str | None) -> None:
    entries = [an_entry("travel", "Travel policy"), an_entry("handbook", "Staff handbook")]
    found = meant_document(question, entries, is_chosen=False)
    assert (found.document_id if found else None) == meant


def test_two_documents_are_compared_only_if_both_are_named() -> None:
    entries = [an_entry("travel", "Travel policy"), an_entry("costs", "Expense policy"), an_entry("note", "Staff note")]
    asked = "Compare the gift policy with the note of human resources"
    assert meant_pair(asked, entries, is_chosen=False) == ()
    pair = meant_pair("Compare the staff note with the travel policy", entries, is_chosen=False)
    assert [each.document_id for each in pair] == ["note", "travel"]


def an_entry(document_id: str, title: str) -> DocumentEntry:
    return DocumentEntry(
        document_id=document_id, owner="ada", name=f"{document_id[:1]}.md", title=title, revision="", passages=1
    )


async def test_a_document_is_named_where_only_its_name_says_what_was_asked_about(tmp_path: Path) -> None:
    """Beside an agent that does not know the word, an answer without it looks as if it were about something else."""
    folder = written(tmp_path, lease="# Warehouse lease\n\n## Rent\n\nThe rent is 9,400 pounds per month.\n")
    turn = await asked("How much is the rent of the warehouse?", folder, tmp_path)
    assert str(turn.answer).startswith("From “Warehouse lease”: The rent is 9,400 pounds per month.")
    turn = await asked("How much is the rent?", folder, tmp_path)
    assert str(turn.answer).startswith("The rent is 9,400 pounds per month.")


PAGE = (
    "Fianza\nLa arrendataria entrega en este acto 4.700 euros en concepto de fianza legal, equivalentes a dos\n"
    "mensualidades de renta.\nGastos del local\nConcepto A cargo de\nComunidad Arrendadora\nIBI Arrendadora\n"
    "Tasa de basuras Arrendataria"
)


def answered(question: str, text: str, *wordings: str, language: Language = "es", **fields: str) -> str:
    passage = {"file": "page.pdf", "title": "Contrato", "section": "", "relevance": 1.0, "text": text, **fields}
    return cited_answer([(question, wordings, {"passages": [passage]})], language)


def test_lines_of_a_page_that_are_titles_or_rows_are_no_part_of_a_sentence() -> None:
    assert answered("¿Cuánto es la fianza?", PAGE).startswith("La arrendataria entrega en este acto 4.700 euros")
    assert answered("¿Quién paga el IBI?", PAGE).startswith("IBI Arrendadora[^1]\n")


def test_a_paragraph_whose_lines_begin_with_names_is_one_sentence() -> None:
    text = "The seller, represented by Mr John\nSmith of Leeds, and the buyer, represented by Ms Anna\nJones, agree."
    assert sentences_in(text) == [" ".join(text.split())]


@pytest.mark.parametrize(
    ("question", "text", "unsaid"),
    [
        ("Who is the CEO of Vertica Lifts?", "Oliver Marsh is service manager of Vertica Lifts.", "ceo"),
        ("How many employees work in Bilbao?", "Every employee has 28 days of leave.", "bilbao"),
        ("How often is the lift serviced?", "A lift that is out of service is repaired within 4 hours.", "how often"),
        ("When does the lease start?", "The lease was signed on 14 March 2025 in Leeds.", "start"),
        ("¿Cuál es el teléfono de Pilar Aznar?", "Excusa su asistencia Pilar Aznar.", "telefono"),
        ("¿Qué salario tiene Sara Nadal?", "La limpieza dental la hace Sara Nadal.", "salario"),
        ("How many days do we have to pay Osteon?", "Osteon delivers implants.", "how many days"),
        ("When does the lease end?", "The deposit is returned after the end of the lease.", "when does the lease end"),
        ("¿Cuál es la tarifa de la hogaza de maíz?", "La hogaza de centeno cuesta 4,60 euros.", "maiz"),
        ("How much is the platinum package?", "Gold package: £9,000.", "platinum"),
        ("How much is the level 3 course?", "The level 1 course costs £345, the level 2 course £410.", "level 3"),
        ("¿Quién inspeccionó el obrador en 2024?", "Inspectora del obrador en 2026: Remedios Calahorro.", "2024"),
        (
            "When did Yasmin Farouk buy Bluebell?",
            "Yasmin Farouk bought Bluebell, 6.1 metres long.",
            "when did yasmin farouk buy bluebell",
        ),
        (
            "How many instructors work at Kestrel?",
            "Instructors of Kestrel earn 2 days for each month worked.",
            "instructors",
        ),
        ("telefono de Petra Villalón", "Petra Villalón se queja del olor.", "telefono"),
    ],
)
def test_what_a_question_asks_for_has_to_be_said(question: str, text: str, unsaid: str) -> None:
    """A-10: the attribute, the name and the frequency that are asked for; else a quote is only what comes nearest."""
    said = answered(question, text, language="en")
    assert f"do not say anything about “{unsaid}”" in said or "The documents do not say anything about that" in said


def test_a_passage_in_the_words_of_the_question_counts_though_rules_have_others() -> None:
    said = answered("When do I need a doctor's note?", "A doctor's note is needed from day 8.", "medical certificate")
    assert "from day 8" in said


def test_words_of_the_same_meaning_choose_the_sentence() -> None:
    text = "El local está en la calle Mayor. La renta mensual del local es de 900 euros."
    assert answered("¿Cuánto pagamos de alquiler al mes por el local?", text).startswith("La renta mensual")


@pytest.mark.parametrize(
    ("before", "text", "whole"),
    [
        ("Who runs the Huesca store?", "When does it open?", "When does it open? (huesca store)"),
        ("What is the hotel limit in London?", "and in Paris?", "and in Paris? (hotel)"),
        ("¿Cuánto cuesta la bicicleta Ebro?", "¿y alquilarla?", "¿y alquilarla? (cuesta bicicleta ebro)"),
    ],
)
def test_a_question_that_goes_on_is_made_to_stand_alone(before: str, text: str, whole: str) -> None:
    """A-11: by what the one before it was about."""
    assert standing_alone(before, text) == whole


async def test_every_item_of_a_section_is_listed_though_the_question_names_the_document_by_a_nickname(
    tmp_path: Path,
) -> None:
    rows = "\n".join(f"| E{number} | Fault {number} |" for number in range(11, 17))
    text = f"# Moncayo Trail E – Owner's manual\n\n## Error codes\n\n| Code | Meaning |\n|---|---|\n{rows}\n"
    folder = written(tmp_path, manual=text, other="# Parking\n\nParking costs 5 euros a day for visitors.\n")
    turn = await asked("List all error codes of the Trail E", folder, tmp_path)
    assert all(f"E{number}" in str(turn.answer) for number in range(11, 17)), turn.answer


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("At what temperature does the autoclave run?", "The autoclave runs at 134 °C for 18 minutes."),
        ("How much does the pump weigh?", "The pump comes in a box of 12 kg."),
    ],
)
def test_a_unit_names_what_is_measured(question: str, text: str) -> None:
    wording = " ".join(plain_wordings(question)[:1])
    assert answered(question, text, wording, language="en").startswith(text)


def test_a_part_without_a_subject_is_about_that_of_the_other_part() -> None:
    price = "Comprar un escáner de 24.000 euros."
    passages = [
        {"file": f"{name}.md", "title": name, "section": "", "relevance": 1.0, "text": text}
        for name, text in (("plan", price), ("osteon", "El implante cuesta 131 euros."))
    ]
    said = cited_answer([("cuánto cuesta? (escaner)", ["cuesta"], {"passages": passages})], "es")
    assert "24.000" in said
    assert "131" not in said


@pytest.mark.parametrize(
    ("question", "wording", "said"),
    [
        ("How much rent do we pay for the flat?", "rent flat", "The rent of the flat is £1,150 per month."),
        ("¿Cuántos días puedo trabajar desde casa?", "teletrabajo posible", "Se puede trabajar desde casa tres días."),
    ],
)
def test_the_words_of_the_question_choose_the_sentence(question: str, wording: str, said: str) -> None:
    text = f"{said} A late payment costs £25. Los pagos se hacen el viernes."
    assert answered(question, text, wording).startswith(said)


def test_a_word_that_stands_elsewhere_in_the_document_is_told() -> None:
    """The search knows every word of the documents it found, not only those of the passages."""
    passage = {
        "file": "charter.pdf",
        "title": "",
        "section": "",
        "relevance": 1.0,
        "text": "Late return costs £85 an hour.",
    }
    question, lacking = "How much does late return of the yacht cost?", {"charter.pdf": ["how"]}
    said = cited_answer([(question, (), {"passages": [passage], "lacking": lacking})], "en")
    assert said.startswith("Late return costs £85 an hour.")


def test_a_mistyped_word_is_answered_as_the_documents_have_it() -> None:
    passage = {"file": "a.md", "title": "", "section": "", "relevance": 1.0, "text": "El croissant cuesta 1,60 euros."}
    value = {"passages": [passage], "read_as": {"croisant": "croissant"}}
    assert "1,60" in cited_answer([("¿Cuánto cuesta el croisant?", (), value)], "es").partition("[^1]")[0]


def test_a_case_between_two_rules_is_answered_by_both() -> None:
    text = "Cancel more than 21 days before the start and all is returned. Between 21 and 7 days we keep half."
    said = answered("If I cancel ten days before the start, what is returned?", text, language="en")
    assert "21 days" in said
    assert "keep half" in said


def test_how_many_is_not_answered_by_a_heading() -> None:
    said = answered("How many people work at Orchard?", "Hire one illustrator at Orchard in March.", section="People")
    assert "people" in said.partition("\n")[0]


def test_a_list_is_asked_for_with_its_accents() -> None:
    assert listed_in("Lista todas las averías de la cafetera") == "las averías de la cafetera"
