"""The pictures of two guide pages, drawn from tables of steps: each box names the function that does it.

`tests/architecture/test_guide_names.py` resolves every name, so a picture cannot show what is no longer there.
"""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

WIDTH, BOX, GAP, TOP = 960, 46, 16, 56


class PictureStep(NamedTuple):
    """One box: what happens, and the function that does it."""

    what: str
    name: str
    side: str = "down"
    """`down` for a call, `up` for what comes back, `log` for what is durable."""


JOURNEY = (
    PictureStep("The browser sends the message and keeps it until it is confirmed", "web/src/transport/outbox.ts"),
    PictureStep("The route is guarded: origin, access, CSRF", "batuta.server.http.guard.admit"),
    PictureStep("The handler validates and delegates", "batuta.server.turns.api.send"),
    PictureStep(
        "The message becomes a turn, once: log and queue in one commit",
        "batuta.server.turns.service.Turns.accept",
        "log",
    ),
    PictureStep(
        "A worker leases the turn and gathers what its run may use",
        "batuta.server.worker.run_options.RunServices.options",
    ),
    PictureStep("The supervisor conducts the specialists", "batuta.orchestration.orchestrator.Orchestrator.conduct"),
    PictureStep("Everything worth knowing is emitted as an event", "batuta.pipelines.context.Context.emit"),
    PictureStep(
        "Events are appended in order, and waited for at barriers",
        "batuta.eventstore.recorder.TurnRecorder.submit",
        "log",
    ),
    PictureStep("Each append is announced once", "batuta.server.live.notifications.announcing_growth", "up"),
    PictureStep(
        "Text that is still being written comes beside it", "batuta.server.live.live_text.LiveEventSink.emit", "up"
    ),
    PictureStep("The feed puts both into one order", "batuta.server.live.feed.SessionFeed.follow", "up"),
    PictureStep("A socket or a stream sends it", "batuta.server.live.sse.frames_of", "up"),
    PictureStep("The browser folds the events into what it shows", "web/src/events/fold.ts", "up"),
)

APPEND = (
    PictureStep("The run emits an event and goes on", "batuta.events.emitter.Emitter.emit"),
    PictureStep("Refuse now what the log would refuse; write its JSON", "batuta.events.admission.admit_one"),
    PictureStep("Wait in order behind the turn's other events", "batuta.eventstore.recorder.TurnRecorder.submit"),
    PictureStep(
        "What must be durable before the run goes on waits here", "batuta.eventstore.recorder.TurnRecorder.barrier"
    ),
    PictureStep("Share a commit with the batches of other turns", "batuta.eventstore.grouping.GroupCommit.submit"),
    PictureStep("Answer a batch that came again; refuse a fenced owner", "batuta.eventstore.decisions.earlier_answer"),
    PictureStep("Give it the next positions of its session", "batuta.eventstore.decisions.next_positions"),
    PictureStep("Chain it to the event before", "batuta.eventstore.chain.seal"),
    PictureStep(
        "Rows, head, claims and read models in one transaction",
        "batuta.eventstore.sqlite_append.SqliteAppends.append_all",
        "log",
    ),
    PictureStep("Durable: ring the doorbells, call the listeners", "batuta.eventstore.doorbells.Bells.announce", "up"),
    PictureStep(
        "Followers in this process take it from memory", "batuta.server.live.stored_events.SubscriberBuffer.push", "up"
    ),
    PictureStep(
        "What people act on has its rows before it is shown", "batuta.eventstore.projectors.Projector.ensure", "up"
    ),
)

STYLE = """
  .t{font:600 14px ui-sans-serif,system-ui,sans-serif;fill:#1e1b3a}
  .m{font:500 12px ui-monospace,Menlo,Consolas,monospace;fill:#4c4776}
  .b{fill:#fff;stroke:#d5cff0;stroke-width:1.3}.log{fill:#ecfdf8;stroke:#0d9488;stroke-width:1.8}
  .up{fill:#f2edff;stroke:#6d4ae8;stroke-width:1.3}.a{stroke:#a49ec9;stroke-width:1.4;fill:none}
  @media (prefers-color-scheme:dark){.t{fill:#f1efff}.m{fill:#c4beea}.b{fill:#1f1c3b;stroke:#3d3869}
  .log{fill:#0d2b2b;stroke:#2dd4bf}.up{fill:#2a2152;stroke:#a78bfa}}
"""
CLASSES = {"down": "b", "log": "log", "up": "up"}


def picture(title: str, steps: Sequence[PictureStep]) -> str:
    """The steps from top to bottom, as SVG."""
    height = TOP + len(steps) * (BOX + GAP)
    box = f"0 0 {WIDTH} {height}"
    described = "; ".join(step.what for step in steps)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img" aria-labelledby="title desc">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="desc">{escape(described)}.</desc>',
        f"<style>{STYLE}</style>",
        f'<text class="t" x="20" y="30">{escape(title)}</text>',
    ]
    for index, step in enumerate(steps):
        top = TOP + index * (BOX + GAP)
        if index:
            parts.append(f'<path class="a" d="M{WIDTH // 2} {top - GAP}v{GAP}"/>')
        parts += [
            f'<rect class="{CLASSES[step.side]}" x="20" y="{top}" width="{WIDTH - 40}" height="{BOX}" rx="8"/>',
            f'<text class="t" x="36" y="{top + 28}">{index + 1}. {escape(step.what)}</text>',
            f'<text class="m" x="{WIDTH - 36}" y="{top + 28}" text-anchor="end">{escape(_short(step.name))}</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])


def _short(name: str) -> str:
    """The end of a name: the function, with its class or module."""
    return name if "/" in name else ".".join(name.split(".")[-2:])
