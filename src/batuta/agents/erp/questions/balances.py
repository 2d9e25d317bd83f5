"""Balances asked of a time: they are those of today, and what falls due is known of other days."""

from collections.abc import Sequence
from datetime import UTC, datetime

from batuta.agents.erp.measures.model import Measure
from batuta.agents.erp.measures.periods import EARLIEST
from batuta.agents.erp.measuring import is_of_today
from batuta.agents.erp.questions.periods import asked_periods, due_period
from batuta.agents.erp.questions.question import FigureQuestion
from batuta.language.choices import ChoiceIndex
from batuta.language.periods import find_periods


def forget_period(question: FigureQuestion, texts: Sequence[str], index: ChoiceIndex) -> None:
    """A balance that is asked for next has no period: "sales of Ana this year", "and how much does she owe us?"."""
    named = [question.book.measures[each.value] for each in index.find(texts[-1])]
    if len(texts) < 2 or not named or not all(is_of_today(one) for one in named):
        return
    if not find_periods(texts[-1], now=datetime.combine(question.today, datetime.min.time(), tzinfo=UTC)):
        for name in ("period", "compare"):
            question.values.pop(name, None)


def for_period(question: FigureQuestion, name: str, texts: Sequence[str]) -> str:
    """A balance is that of today: of days to come what falls due in them may be meant; another day's is not known."""
    periods = asked_periods(question.values)
    measure = question.book.measures[name]
    if not is_of_today(measure) or not periods or question.values.get("newness"):
        return name  # how many there are is known of today, how many are new of any time
    period = periods[0]
    if period["first"] == period["last"] == question.today.isoformat():
        del question.values["period"]  # what is owed today is the balance, not what falls due today
        return name
    other = measure.variants.get("due")
    if len(periods) == 1:
        meant = (due_period(texts, question.today) if other else None) or period
        if meant["last"] < question.today.isoformat():
            return _on_a_day(question, measure, meant["last"])
        if other:
            return other
    question.unknown.append(f"{period['first']} – {period['last']}")
    return name


def _on_a_day(question: FigureQuestion, measure: Measure, day: str) -> str:
    """What a balance was on a day that is over, where the ledger tells; else the tool says that it is not kept."""
    past = measure.variants.get("past")
    if past is None or "compare" in question.values:
        return measure.id
    question.values["period"] = {"first": EARLIEST.isoformat(), "last": day}
    return past
