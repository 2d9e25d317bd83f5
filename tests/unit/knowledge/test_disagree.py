"""Two documents that answer a question with different figures."""

from batuta.knowledge.disagree import Statement, contradictions

HOLIDAYS = "Full-time employees have 25 days of paid holidays per year."
OTHER_HOLIDAYS = "Everybody gets 23 days of holidays in a year of work."
REFUNDS = "A yearly subscription can be cancelled within 30 days."


def _found(question: str, *texts: str) -> list[set[str]]:
    statements = [Statement(document_id=str(at), name=f"{at}.md", text=text) for at, text in enumerate(texts)]
    return [{one.text, other.text} for one, other in contradictions(statements, question)]


def test_two_answers_to_one_question_disagree() -> None:
    question = "how many days of holidays do we get a year"
    assert _found(question, HOLIDAYS, OTHER_HOLIDAYS) == [{HOLIDAYS, OTHER_HOLIDAYS}]


def test_a_question_that_shares_only_units_with_two_statements_compares_nothing() -> None:
    assert _found("how many days off do we get a year", HOLIDAYS, REFUNDS) == []


def test_figures_for_something_else_do_not_disagree() -> None:
    """An amount a head and one a day may both hold; two of one night do not."""
    a_day, a_head = "Meals are reimbursed up to 45 euros per day.", "Team meals may cost 30 euros por persona."
    assert _found("how much may meals cost in euros", a_day, a_head) == []
    one, other = "Hotels may cost 130 euros per night.", "Hotels may cost up to 150 euros a night."
    assert _found("how much may hotels cost", one, other) == [{one, other}]
