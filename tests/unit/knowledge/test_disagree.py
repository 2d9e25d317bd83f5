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
