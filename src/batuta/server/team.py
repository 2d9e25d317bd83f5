"""The first team: the specialists that come with the platform, on the model that is configured or the built-in one."""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from batuta.agents import appointments, calculator, documents, graphing
from batuta.agents.erp import agent as erp
from batuta.agents.erp.access import ErpAccess
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.language.interpretation import interpreter_for
from batuta.llm.factory import model as model_of
from batuta.llm.model import Model
from batuta.llm.providers import OFFLINE_MODEL, default_model
from batuta.llm.roles import DEFAULT_ROLES
from batuta.offline.model import OfflineModel
from batuta.offline.small_talk import SMALL_TALK
from batuta.orchestration.orchestrator import Orchestrator
from batuta.server.config import ModelChoice, Settings, make_data_dir
from batuta.server.erp.connection import erp_access, learn_erp_names
from batuta.server.knowledge_index import passage_index
from batuta.server.platform_vectors import PlatformVectors, platform_vectors
from batuta.server.sessions.sources import ReadSource

_FIRST_REQUESTS = (
    "Which customers owe us more than 500 euros this month? Draw me a chart",
    "¿Qué clientes nos deben más de 500 euros este mes? Hazme un gráfico",
)
"""Read once before the first turn: what they need is made when it is first used."""
OFFLINE_LABEL = "Built-in deterministic model"


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstTeam:
    """A team, the model it runs on, and what it holds open: `async with` prepares it and closes it."""

    orchestrator: Orchestrator
    model: ModelChoice
    title_model: Model | None = None
    """Names sessions; the built-in model cannot, and their first words stay their title."""
    read_source: ReadSource | None = None
    """The text of a document that an answer cites."""
    library: documents.DocumentLibrary | None = None
    """What every user may ask about."""
    vectors: PlatformVectors | None = None
    """Search by meaning, where an embedding model is set."""
    erp: ErpAccess | None = None
    """The ERP that the team works with."""
    learnt_dir: Path | None = None
    """Where the built-in model keeps what it has learnt, for the next start."""

    async def __aenter__(self) -> Self:
        try:
            await self.prepare()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def prepare(self) -> None:
        """Learn what the first turn would otherwise wait for: the ERP's names, and the built-in model's intents.

        Training takes seconds of CPU; in the middle of a turn it would hold up every other one. It is done once for the
        same examples and names.
        """
        if self.erp is not None:
            await learn_erp_names(self.erp)
        if self.model.is_offline:
            understandings = self.orchestrator.registry.understanding
            for team in ((*understandings, SMALL_TALK), *((one,) for one in understandings)):
                interpreter = await asyncio.to_thread(interpreter_for, team, self.learnt_dir)
                for text in _FIRST_REQUESTS:  # compiles the patterns of days, periods, names and amounts
                    await asyncio.to_thread(interpreter.interpret, text, now=SYSTEM_CLOCK.now())

    async def close(self) -> None:
        """Let go of the index, the vectors and the ERP's connections."""
        for held in (self.library, self.vectors, self.erp):
            if held is not None:
                await held.close()


def first_team(settings: Settings, *, clock: Clock = SYSTEM_CLOCK) -> FirstTeam:
    """The team of a platform. Without a key it runs on the built-in model, and says so."""
    models = settings.models or (default_model(),)
    model: Model | str = models[0]
    for other in models[1:]:
        model_of(other)  # a misspelt name or a missing key is reported at the start, not to the user who chooses it
    is_offline = model == OFFLINE_MODEL
    if is_offline:
        model = OfflineModel(clock)
    make_data_dir(settings.data_dir)
    library = documents.folder_library(
        settings.documents_dir or documents.SAMPLES,
        settings.data_dir,
        index=passage_index(settings) if settings.database_url is not None else None,
    )
    vectors = platform_vectors(settings)
    if vectors is not None:
        library = replace(library, meaning=vectors.search)
    access = erp_access(settings, clock=clock)
    orchestrator = Orchestrator(
        supervisor=model,
        agents=[
            appointments.specialist(model, data_dir=settings.data_dir, clock=clock),
            calculator.specialist(model, clock=clock),
            documents.specialist(model, library=library, clock=clock),
            *([] if access is None else [erp.specialist(model, access=access, clock=clock)]),
            graphing.specialist(model, clock=clock),
        ],
        settings=None if is_offline else DEFAULT_ROLES["supervisor"].settings,
        is_streaming=True,
    )
    title_model = settings.title_model or models[0]
    return FirstTeam(
        orchestrator=orchestrator,
        model=ModelChoice(
            label=OFFLINE_LABEL if is_offline else models[0],
            is_offline=is_offline,
            choices=models if len(models) > 1 else (),
        ),
        title_model=None if title_model == OFFLINE_MODEL else model_of(title_model),
        read_source=library.text,
        library=library,
        vectors=vectors,
        erp=access,
        learnt_dir=settings.data_dir / "language",
    )
