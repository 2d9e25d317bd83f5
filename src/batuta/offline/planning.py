"""As supervisor: divide a request, find the intent of each part, ask where it is not clear, or answer small talk.

"¿Qué clientes nos deben más dinero? Hazme un gráfico"  ->  a measure, then a chart that depends on it
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from batuta.datasets.charts.asked_titles import asked_title
from batuta.language.annotation import annotated
from batuta.language.dialogue import is_no, is_yes, refers_back
from batuta.language.findings import LANGUAGES, Language
from batuta.language.folding import fold, stems_of
from batuta.language.interpretation import (
    AMENDED_BY,
    RIVAL_SHARE,
    WORTH_ASKING,
    Interpretation,
    Interpreter,
    base_of,
    interpreter_for,
)
from batuta.language.rewording import plain_wordings
from batuta.language.stance import asks_a_favour, stance_of, without_forbidden, without_reason
from batuta.language.understanding import Intent, Understanding
from batuta.language.vocabulary import filler_stems
from batuta.offline.amendments import amendment, goes_on_from_documents
from batuta.offline.changed_results import changed_result, goes_on, names_chart, narrowed, opened_by, regrouped
from batuta.offline.context import LONGEST_FOLLOW_UP, DialogueContext, eligible
from batuta.offline.dividing import RequestDivider
from batuta.offline.division import (
    RequestPart,
    continues_a_sum,
    is_read_whole,
    says_only_when,
    strong_pieces,
)
from batuta.offline.own_documents import asks_no_day, stands_in_documents
from batuta.offline.own_tables import asks_figures, asks_rows, chose_own, own_table_for, which_table
from batuta.offline.phrases import phrase
from batuta.offline.questions import asks_a_fact, asks_what, is_looked_up, is_of_oneself, is_question, names_a_code
from batuta.offline.requests import Task
from batuta.offline.small_talk import OUTSIDE, OWN, SMALL_TALK

MAX_PLANNED_CHARS = 2_000

SURELY_OUTSIDE = 0.6
"""From which confidence on a question is refused instead of being looked up."""
SURELY_SMALL_TALK = 0.3
LEAST_OF_AN_EMPTY = 0.5
"""From which confidence on a question means an intent that takes values and got none."""
LEAST_OF_A_TEXT = 0.6
"""… and one that takes any text, where the question names no day, no time and no person."""
WORTH_TRYING = 0.26

_FIRST = re.compile(r"\b(?:first|1|primer[oa]?|former)\b")
_SECOND = re.compile(r"\b(?:second|2|segund[oa]|latter|last|ultim[oa])\b")


class Planner:
    """Plans for a team by what its members understand."""

    def __init__(
        self,
        team: Sequence[Understanding],
        now: datetime,
        *,
        language: Language = "en",
        has_small_talk: bool = True,
    ) -> None:
        self._team = tuple(team)
        self._now = now
        self._language: Language = language
        self._read: dict[tuple[str, str], list[Interpretation]] = {}
        self.interpreter: Interpreter = interpreter_for((*self._team, SMALL_TALK) if has_small_talk else self._team)
        """What the team and the model itself understand."""
        self._divider = RequestDivider(self.interpreter, self._meanings, now, language)

    def decision(self, task: Task, context: DialogueContext) -> dict[str, Any]:
        """`{"steps": […]}` or `{"answer": …}`, as the supervisor is asked for."""
        text = without_reason(task.text[:MAX_PLANNED_CHARS])
        if task.only_agent in {each.agent_id for each in self._team}:
            whole = amendment(text, context, self.interpreter, self._now) or text
            return {"steps": [{"agent_id": task.only_agent, "task": whole, "depends_on": []}]}
        chosen = self._chosen_by_reply(task, context)
        if chosen is not None:
            return self._steps([RequestPart(text=_confirmed(base_of(context.request), text, chosen), meaning=chosen)])
        repeated = self._repeated_by_yes(text, context)
        if repeated is not None:
            return self._steps([RequestPart(text=_confirmed(context.request, text, repeated), meaning=repeated)])
        if context.was_asked and is_no(text):
            return {"answer": phrase("left_alone", task.language)}
        if self._asks_rows(task, context):
            return self._looked_up(text)
        attached = self.over_tables(task, context) if task.has_tables or task.has_documents else None
        if attached is not None:
            return self._steps([RequestPart(text=text, meaning=attached)])
        if task.has_tables and not task.has_documents and self._says_nothing(text, context):
            maker = self.maker(text)  # a table that comes with a greeting is shown, and can be asked about later
            if maker is not None:
                return self._steps([RequestPart(text=text, meaning=maker)])
        own = self._over_own_table(task, context) if task.own_tables and not task.has_tables else None
        if own is not None:
            return own
        anew = None if task.has_tables else regrouped(text, context, self.interpreter, self._now)
        if anew is not None:
            return self._redrawn(anew, text) or self._for_whole(anew, task, context)
        changed = None if task.has_tables else changed_result(text, context, self.interpreter, self._now)
        if changed is not None:
            said = [annotated(text, now=self._now)]
            change = RequestPart(text=text, meaning=self.interpreter.filled(*changed, said, self._now))
            return self._steps([*self._narrowing(text, context), change])
        amended = amendment(text, context, self.interpreter, self._now)
        if amended is not None and goes_on_from_documents(text, context, self.interpreter, self._now):
            return self._looked_up(amended)
        if amended is not None:
            return self._for_whole(amended, task, context)
        if self._stands_in_documents(text, task, context):
            return self._looked_up(text)
        parts = self._divider.parts(text, context)
        if parts:
            return self._with_sources(parts, task, context)
        return self._for_whole(text, task, context)

    def _looked_up(self, text: str) -> dict[str, Any]:
        """The plan that asks the agent which takes any question."""
        fallback = self.interpreter.fallback()
        return {"steps": [{"agent_id": fallback[0], "task": text, "depends_on": []}] if fallback else []}

    def _stands_in_documents(self, text: str, task: Task, context: DialogueContext) -> bool:
        """Whether a message is about what stands in the person's own documents, whatever else its words may mean."""
        if not task.own_words or task.has_tables or self.interpreter.fallback() is None:
            return False
        best = next(iter(self._meanings(text, context)), None)
        return stands_in_documents(task, best, is_question=is_looked_up(text))

    def _redrawn(self, whole: str, text: str) -> dict[str, Any] | None:
        """The plan for "a chart by month": the figures by month, and a chart of them."""
        read = next((each for each in self._meanings(whole) if each.intent.gives), None)
        maker = self.maker(whole) if names_chart(text) else None
        if read is None or maker is None or read.unknown or read.missing:
            return None
        return self._steps([RequestPart(text=whole, meaning=read), RequestPart(text=whole, meaning=maker)])

    def _narrowing(self, text: str, context: DialogueContext) -> list[RequestPart]:
        """What has to be read again before a chart shows only some of it."""
        whole = narrowed(text, context, self.interpreter, self._now)
        read = [] if whole is None else [each for each in self._meanings(whole) if each.intent.gives]
        return [RequestPart(text=whole, meaning=read[0])] if whole and read and not read[0].unknown else []

    def best_agent(self, text: str, without: str | None = None) -> str | None:
        """The agent that should take a task, if one can."""
        found = [each for each in self._meanings(text) if each.agent_id not in (OWN, without)]
        best = next((each for each in found if each.is_sure), None)
        fallback = self.interpreter.fallback()
        if best is None and fallback is not None and fallback[0] != without and is_question(text):
            return fallback[0]
        return best.agent_id if best else None

    def meanings(self, text: str, last: str = "") -> list[Interpretation]:
        """What a request may mean as a whole, the likeliest first; `last` is what was answered before."""
        return self._meanings(text, DialogueContext(answer=last, language=self._language))

    def divided(self, text: str, last: str = "") -> list[Interpretation]:
        """What each piece of a request means, where it has several."""
        return self._divider.divided(text, DialogueContext(answer=last, language=self._language))

    def unknown(self, language: Language) -> str:
        """Say honestly that it is not known, with two things that are."""
        if not self._team:
            return phrase("unknown_alone", language)
        return phrase("unknown", language, examples=self.examples(language))

    def examples(self, language: Language, count: int = 2) -> str:
        """Something each of a few members can be asked; those that bring the business's own figures first."""
        leading = sorted((each.intents[0] for each in self._team if each.intents), key=lambda intent: not intent.gives)
        firsts = [texts[0] for intent in leading if (texts := intent.examples.get(language))]
        return "\n".join(phrase("example", language, text=text) for text in firsts[:count])

    def _for_whole(self, text: str, task: Task, context: DialogueContext) -> dict[str, Any]:
        """An undivided request: done, asked about, handed to the agent that takes questions, or refused."""
        meanings = self._meanings(text, context)
        if {"time", "recurrence"} & annotated(text, now=self._now, reader=self._language).findings.keys():
            # "…, put it in" is no kind word where it says when
            meanings = [each for each in meanings if each.agent_id != OWN or each.intent.id == OUTSIDE]
        best = meanings[0] if meanings else None
        if best is None:
            return {"answer": self.unknown(task.language)}
        if any(each.is_forbidden for each in meanings):
            rest = without_forbidden(text)
            asked = self._meanings(rest, context)[0] if rest != text else None
            if asked is None or not asked.is_sure or asked.intent.effect == "change" or asked.agent_id == OWN:
                return {"answer": phrase("left_alone", task.language)}
            return self._with_sources([RequestPart(text=rest, meaning=asked)], task, context)
        if best.agent_id == OWN:
            return self._small_talk(best, text, task, context)
        is_favour = asks_a_favour(text)
        is_to_confirm = best.is_to_confirm or self._is_only_when(best, text)
        if is_to_confirm and not is_question(text) and (best.is_specific or not is_favour):
            example = best.intent.label_in(task.language)
            return {"answer": phrase("is_it_an_order", task.language, text=text, example=example)}
        fallback = self.interpreter.fallback()
        is_replied = best.is_sure and (
            best.confidence >= LEAST_OF_AN_EMPTY or fallback is None or not is_question(text)
        )
        if is_replied and best.intent.reply is not None:
            return {"answer": best.intent.reply(task.language)}
        is_meant = best.is_sure and best.intent.reply is None and self._rival(meanings) is None
        if is_meant or (not best.is_sure and self._is_worth_answering(best)):
            plan = self._with_sources([RequestPart(text=text, meaning=best)], task, context)
            return self._looked_up_too(plan, text, best) if is_question(text) else plan
        may_be_looked_up = is_looked_up(text) and not is_favour
        may_be_looked_up |= best.intent.is_fallback and best.confidence >= WORTH_ASKING
        is_open = not best.is_sure or best.intent.reply is not None
        if is_open and fallback is not None and may_be_looked_up:
            return {"steps": [{"agent_id": fallback[0], "task": text, "depends_on": []}]}
        if stance_of(text) == "refusal":
            return {"answer": phrase("left_alone", task.language)}
        if best.confidence >= WORTH_ASKING and (best.is_specific or not is_favour):
            return {"answer": self._question(meanings, task.language)}
        return {"answer": self.unknown(task.language)}

    def _is_only_when(self, best: Interpretation, text: str) -> bool:
        """Whether a change is guessed from a day or a time alone, which may as well go on from what was not understood."""
        return best.intent.effect == "change" and best.is_sure and says_only_when(text, self._now, self._language)

    def _looked_up_too(self, plan: dict[str, Any], text: str, best: Interpretation) -> dict[str, Any]:
        """The plan for a question: where it is in doubt, the agent that takes any question is asked as well, and where
        nothing of it says that the other is meant, that agent alone.
        """
        fallback, steps = self.interpreter.fallback(), plan.get("steps", [])
        is_telling = bool(best.intent.slots) or _names_more(text, best.intent)
        texts = {slot.name for slot in best.intent.slots if slot.type == "text"}
        # "is shipping free?" names no day, no time and no person: whatever text an intent takes is no value then
        is_own = best.is_specific or is_of_oneself(text)
        is_empty = is_telling and not best.values.keys() - (set() if best.is_sure and is_own else texts)
        is_empty &= best.confidence < (LEAST_OF_A_TEXT if texts else LEAST_OF_AN_EMPTY)
        is_empty |= asks_no_day(text, best)
        is_in_doubt = (bool(best.unknown) and best.unknown_kind not in ("zone", "name")) or not best.is_sure or is_empty
        if fallback is None or not is_in_doubt or len(steps) != 1 or steps[0]["agent_id"] == fallback[0]:
            return plan
        return {"steps": [{"agent_id": fallback[0], "task": text, "depends_on": []}, *([] if is_empty else steps)]}

    def _small_talk(self, best: Interpretation, text: str, task: Task, context: DialogueContext) -> dict[str, Any]:
        """Kind words and questions about the team; what is outside is refused, if it is surely that."""
        may_be_looked_up = is_looked_up(text)
        is_surely = best.confidence >= (SURELY_OUTSIDE if may_be_looked_up else SURELY_SMALL_TALK)
        is_surely &= best.intent.id != OUTSIDE or not names_a_code(text)
        if not is_surely:
            others = [each for each in self._meanings(text, context) if each.agent_id != OWN and each.is_sure]
            if others:
                return self._with_sources([RequestPart(text=text, meaning=others[0])], task, context)
            fallback = self.interpreter.fallback()
            if fallback is not None and may_be_looked_up and not asks_a_favour(text):
                return {"steps": [{"agent_id": fallback[0], "task": text, "depends_on": []}]}
        if best.intent.id == OUTSIDE or not is_surely:
            return {"answer": self.unknown(task.language)}
        facts = {"examples": self.examples(task.language, 3), "team": self._described(task.language)}
        return {"answer": phrase(best.intent.id, task.language, **facts)}

    def _with_sources(self, parts: list[RequestPart], task: Task, context: DialogueContext) -> dict[str, Any]:
        """Put what gives a result before what takes one: a chart of sales needs the sales."""
        planned: list[RequestPart] = []
        for part in parts:
            wanted = part.meaning.intent.takes
            given = {each.meaning.intent.gives for each in planned}
            if wanted and wanted not in given:
                source = self._source(part.text, wanted)
                if source is not None:
                    planned.append(RequestPart(text=part.text, meaning=source))
                elif not self._has_given(context, wanted):
                    fallback = self.interpreter.fallback()
                    if fallback is not None and self._asks_of_something(part):
                        return {"steps": [{"agent_id": fallback[0], "task": part.text, "depends_on": []}]}
                    return {"answer": self._no_source(wanted, task.language)}
            planned.append(part)
            taker = self._taker(part) if len(parts) == 1 else None
            if taker is not None:
                planned.append(RequestPart(text=part.text, meaning=taker))
        return self._steps(planned)

    def _asks_of_something(self, part: RequestPart) -> bool:
        """Whether a question is about a thing that no picture shows: "how much is a half plot?", "the rent of a plot"."""
        if asks_a_fact(part.text):
            return True
        names_more = self.interpreter.unexplained(part.meaning.intent, [annotated(part.text, now=self._now)])
        return bool(names_more and asks_what(part.text)) and not refers_back(part.text)

    def changing(self, text: str) -> Interpretation | None:
        """What a short message changes of the last result, by the words it opens with."""
        opened = opened_by(text, self.interpreter)
        if opened is None or len(asked_title(text)[1].split()) > LONGEST_FOLLOW_UP:
            return None
        said = annotated(text, now=self._now, reader=self._language)
        return self.interpreter.filled(*opened, [said], self._now)

    def over_tables(self, task: Task, context: DialogueContext) -> Interpretation | None:
        """What works on the tables that came with a message, where the message asks for that by one of its words.

        With a document only a word that can mean nothing else counts: a "line" or a "table" may be one of its text, and
        a figure may stand in it.
        """
        for each in self._meanings(task.text[:MAX_PLANNED_CHARS], context):
            is_named = any(
                slot.is_telling and slot.name in each.values and (task.has_tables or slot.type == "flag")
                for slot in each.intent.slots
            )
            if each.intent.takes == "dataset" and is_named:
                return each
        is_about = task.mention is not None and task.mention.is_about_table
        is_of_tables = task.has_tables and (is_about or not task.has_documents)
        return self.maker(task.text) if is_of_tables and asks_figures(task.text) else None

    def _asks_rows(self, task: Task, context: DialogueContext) -> bool:
        """Whether a message asks for rows of the tables that it brings, which are quoted as any document is."""
        if task.mention is None or self.interpreter.fallback() is None or not asks_rows(task.text, task.mention):
            return False
        best = next(iter(self._meanings(task.text[:MAX_PLANNED_CHARS], context)), None)
        is_drawn = best is not None and best.intent.takes == "dataset" and names_chart(task.text)
        is_change = best is not None and best.intent.effect == "change" and best.is_sure
        is_talk = best is not None and best.agent_id == OWN and best.intent.id != OUTSIDE and best.is_sure
        return is_looked_up(task.text) and not (is_drawn or is_change or is_talk)

    def _says_nothing(self, text: str, context: DialogueContext) -> bool:
        """Whether a message asks for nothing that the team surely understands."""
        best = next(iter(self._meanings(text, context)), None)
        return best is None or best.agent_id == OWN or (not best.is_sure and not is_question(text))

    def _over_own_table(self, task: Task, context: DialogueContext) -> dict[str, Any] | None:
        """A message about a table that was brought before; asked about where an agent's figures may be meant as well."""
        answered = self._table_chosen(task, context)
        if answered is not None:
            return answered
        table = own_table_for(task.text, task.own_tables)
        has_other = context.is_of_own_table or bool(context.tables)
        if table is None or (has_other and goes_on(task.text, self.interpreter)):
            return None
        maker = self.maker(task.text)
        rival = self._reader_of(task.text, context)
        if maker is None or any(each.intent.effect == "change" and each.is_sure for each in self._meanings(task.text)):
            return None
        if rival is None or context.is_of_own_table:
            return self._steps([RequestPart(text=task.text, meaning=maker)])
        return {"answer": which_table(table, self._name_of(rival.agent_id), task.language)}

    def _table_chosen(self, task: Task, context: DialogueContext) -> dict[str, Any] | None:
        """What a reply to "your table or …?" chose."""
        table = own_table_for(context.request, task.own_tables) if context.request and context.was_asked else None
        rival = self._reader_of(context.request, context) if table is not None else None
        if table is None or rival is None:
            return None
        name = self._name_of(rival.agent_id)
        if context.answer.strip() not in {which_table(table, name, language) for language in LANGUAGES}:
            return None
        is_own, maker = chose_own(task.text, table, name), self.maker(context.request)
        if is_own is None or maker is None:
            return None
        if not is_own:
            return self._with_sources([RequestPart(text=context.request, meaning=rival)], task, context)
        return self._steps([RequestPart(text=context.request, meaning=maker)])

    def _reader_of(self, text: str, context: DialogueContext) -> Interpretation | None:
        """What an agent would read for a text, where it understands all of it."""
        found = (each for each in self._meanings(text, context) if each.intent.gives == "dataset" and each.is_sure)
        return next((each for each in found if not each.missing and not each.unknown), None)

    def _name_of(self, agent_id: str) -> str:
        return next((each.name or each.agent_id for each in self._team if each.agent_id == agent_id), agent_id)

    def is_sequence(self, text: str) -> bool:
        """Whether a text asks for several things one after the other: "as bars, then as a line"."""
        return len(strong_pieces(text)) > 1

    def maker(self, text: str) -> Interpretation | None:
        """What makes something new of a table, filled by a text whatever it asks for."""
        said = [annotated(text[:MAX_PLANNED_CHARS], now=self._now)]
        makers = (
            self.interpreter.filled(each.agent_id, intent, said, self._now)
            for each in self._team
            for intent in each.intents
            if intent.takes == "dataset" and not intent.amends
        )
        return next(makers, None)

    def _taker(self, part: RequestPart) -> Interpretation | None:
        """What is to be made of a part's result, asked for in the same words: a bar chart of sales."""
        named = [
            each
            for each in (self._meanings(part.text) if part.meaning.intent.gives else ())
            if any(slot.is_telling and slot.name in each.values for slot in each.intent.slots)
            and each.intent.takes == part.meaning.intent.gives
        ]
        # Of a new result something new is made: nothing that was made before is changed.
        return next((each for each in named if not each.intent.amends), next(iter(named), None))

    def _source(self, text: str, wanted: str) -> Interpretation | None:
        """What gives the result that a part takes, asked for in the same words."""
        for each in self._meanings(text):
            if (
                each.intent.gives == wanted
                and not each.missing
                and any(slot.is_required and slot.name in each.values for slot in each.intent.slots)
            ):
                return each
        return None

    def _has_given(self, context: DialogueContext, wanted: str) -> bool:
        before = self._meanings(context.request)[:1] if context.request else []
        return any(wanted in (each.intent.gives, each.intent.takes) for each in before)

    def _no_source(self, wanted: str, language: Language) -> str:
        givers = (intent for each in self._team for intent in each.intents if intent.gives == wanted)
        giver = next(givers, None)
        if giver is None:
            return self.unknown(language)
        return phrase("no_source", language, example=(giver.examples.get(language) or (giver.label_in(language),))[0])

    def _steps(self, parts: Sequence[RequestPart]) -> dict[str, Any]:
        """One step for each agent in a row; it depends on the one before where it needs its result."""
        steps: list[dict[str, Any]] = []
        intents: list[Intent] = []
        for part in parts:
            agent_id, intent = part.meaning.agent_id, part.meaning.intent
            refers = bool(steps) and (part.follows or continues_a_sum(part))
            if steps and steps[-1]["agent_id"] == agent_id and intents[-1].gives is None and not refers:
                steps[-1]["task"] += f"; {part.text}"
                continue
            takes = [place for place, other in enumerate(intents) if intent.takes and other.gives == intent.takes]
            depends = takes[-1:] or ([len(steps) - 1] if refers else [])
            steps.append({"agent_id": agent_id, "task": part.text, "depends_on": depends})
            intents.append(intent)
        return {"steps": steps}

    def _chosen_by_reply(self, task: Task, context: DialogueContext) -> Interpretation | None:
        """What a reply to "do you mean … or …?" chose."""
        if not context.request or not context.was_asked:
            return None
        options = self._options(self._meanings(context.request))
        asked = self._question(self._meanings(context.request), task.language)
        other: Language = "es" if task.language == "en" else "en"
        if context.answer.strip() not in (asked, self._question(self._meanings(context.request), other)):
            return None
        plain = fold(task.text)
        if len(options) > 1 and _SECOND.search(plain):
            return options[1]
        if is_yes(task.text) or _FIRST.search(plain):
            return options[0]
        said = stems_of(task.text) - filler_stems()
        shared = [
            len(said & stems_of(" ".join(each.intent.label_in(lang) for lang in ("en", "es")))) for each in options
        ]
        best = max(range(len(options)), key=lambda place: shared[place])
        return options[best] if shared[best] and len(task.text.split()) <= 6 else None

    def _repeated_by_yes(self, text: str, context: DialogueContext) -> Interpretation | None:
        """The change that was asked for last, where a person was asked whether to go on with it and says yes."""
        if not (context.request and context.was_asked and is_yes(text)):
            return None
        before = next(iter(self._meanings(context.request)), None)
        is_change = before is not None and before.intent.effect == "change" and (before.is_sure or before.is_to_confirm)
        return before if is_change else None

    def _question(self, meanings: Sequence[Interpretation], language: Language) -> str:
        options = self._options(meanings)
        if len(options) > 1:
            first, second = (each.intent.label_in(language) for each in options)
            return phrase("did_you_mean_either", language, first=first, second=second)
        return (
            phrase("did_you_mean", language, first=options[0].intent.label_in(language))
            if options
            else self.unknown(language)
        )

    def _options(self, meanings: Sequence[Interpretation]) -> list[Interpretation]:
        real = [each for each in meanings if each.agent_id != OWN]
        return [each for each in real[:2] if each.confidence >= max(WORTH_ASKING, 0.5 * real[0].confidence)] or real[:1]

    def _is_worth_answering(self, best: Interpretation) -> bool:
        """Whether an answer may be tried that nothing else is likelier to be: it changes nothing."""
        is_answer = best.intent.effect == "answer" and not best.intent.is_fallback and best.intent.reply is None
        return is_answer and not best.missing and best.confidence >= WORTH_TRYING

    def _rival(self, meanings: Sequence[Interpretation]) -> Interpretation | None:
        """Another intent that is as likely, where choosing wrongly would change something."""
        if is_read_whole(meanings[0]):
            return None
        best, *others = meanings
        near = [each for each in others if each.confidence >= RIVAL_SHARE * best.confidence and each.agent_id != OWN]
        if best.is_by_verb:
            near = [each for each in near if each.intent.effect == "change"]
        changes = [each for each in near if "change" in (each.intent.effect, best.intent.effect)]
        return changes[0] if changes and changes[0].label != best.label else None

    def _meanings(self, text: str, context: DialogueContext | None = None) -> list[Interpretation]:
        last = context.answer if context else ""
        if (text, last) not in self._read:
            found = self.interpreter.interpret(text, now=self._now, reader=self._language, last=last)
            self._read[text, last] = found
        found = self._read[text, last]
        return found if context is None else eligible(found, context, self.interpreter, self._now)

    def _described(self, language: Language) -> str:
        return "\n".join(
            phrase("member", language, name=each.name or each.agent_id, about="; ".join(_firsts(each, language)))
            for each in self._team
        )


def _names_more(text: str, intent: Intent) -> bool:
    """Whether a question names a thing that no example of an intent does: such an intent without slots takes nothing."""
    named = stems_of(" ".join(plain_wordings(text)[:1]))
    return bool(named) and not named <= stems_of(" ".join(each for texts in intent.examples.values() for each in texts))


def _firsts(understanding: Understanding, language: Language) -> list[str]:
    intents = understanding.intents[:3]
    firsts = [(intent.examples.get(language) or (intent.label_in(language),))[0] for intent in intents]
    return [phrase("quoted", language, text=text) for text in firsts]


def _confirmed(request: str, reply: str, meaning: Interpretation) -> str:
    """A request with the reply that makes it an order, where it was not certain to be one."""
    return f"{request}{AMENDED_BY}{reply}" if meaning.stance == "unclear" else request
