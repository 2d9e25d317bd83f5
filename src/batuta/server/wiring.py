"""Wiring: builds the services of a process and runs its background work.

    async with open_platform(settings, team) as platform: …      a web process (with a worker in it, unless set to 0)
    async with open_worker(settings, team) as worker: await worker.run(stop)

A new domain plugs in here: its service is made in `_services`, and what its agents need in a run is a provider in
`run_services`. Its routes are named in `policy` and `app.DOMAINS`; see `docs/guide/domains.md`.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from batuta.agents.documents.excerpts import attached_context
from batuta.agents.documents.library import own_words
from batuta.agents.erp.access import ErpAccess
from batuta.agents.erp.rights import COMPANY_SERVICE, ERP_RIGHTS_SERVICE, check_sources
from batuta.datasets.dataset import DATASETS_SERVICE
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.outlines import OwnTables, own_tables
from batuta.datasets.store import DatasetOwner
from batuta.events.conversation import Citation
from batuta.events.datasets import Provenance
from batuta.events.log import Position
from batuta.kernel.users import ATTACHED_TABLES_SERVICE, OWN_DOCUMENTS_SERVICE, OWN_TABLES_SERVICE
from batuta.knowledge.index import PassageIndex
from batuta.language.detection import detect_language
from batuta.llm.budgeted import LostTriesModel
from batuta.llm.model import Model
from batuta.llm.prices import FREE
from batuta.llm.resilient import ResilientModel
from batuta.observability.standard import Observers
from batuta.orchestration.attached import ATTACHED_CONTEXT_SERVICE, AttachedContext
from batuta.orchestration.orchestrator import Orchestrator
from batuta.server.agui.service import AguiRuns, PlatformPort
from batuta.server.approvals.commands import approval_commands
from batuta.server.approvals.service import Approvals, DecisionRequest
from batuta.server.attached_tables import MAX_TABLES_IN_FOLDERS, UploadedTables, uploaded_tables
from batuta.server.backends import Backends, open_backends
from batuta.server.boards.refreshing import TileRefresher
from batuta.server.boards.service import Boards
from batuta.server.config import ModelChoice, Settings
from batuta.server.database.engines import Database, SystemDatabase
from batuta.server.database.tables import approvals as approval_rows
from batuta.server.datasets.readable import ReadableDatasetStore
from batuta.server.datasets.service import Datasets
from batuta.server.datasets.store import DatabaseDatasetStore
from batuta.server.erasure_ledger import NotedErasures, ledger_of
from batuta.server.erp.service import ErpRecords, ErpRightsSource, erp_policy
from batuta.server.fair_use import TurnLimits, limits_of_connections
from batuta.server.file_processing import FileProcessing, open_file_processing
from batuta.server.files.documents import DocumentReader
from batuta.server.files.service import Files
from batuta.server.identity.oidc import OidcLogins
from batuta.server.identity.passwords import Passwords
from batuta.server.identity.service import Identity
from batuta.server.jobs.service import Jobs
from batuta.server.keys.service import ApiKeys
from batuta.server.live.connections import LiveConnections
from batuta.server.live.feed import SessionFeed
from batuta.server.live.notifications import announcing_growth
from batuta.server.live.sockets import SocketServer
from batuta.server.live.sse import LiveStreams
from batuta.server.meta.service import Health, SetupState
from batuta.server.monitoring.gauges import Gauges, GaugeSource, connection_gauges, model_gauges, work_gauges
from batuta.server.monitoring.observers import watched
from batuta.server.platform_vectors import PlatformVectors
from batuta.server.policy import EVENTS
from batuta.server.precedence import MessagePrecedence
from batuta.server.problems import NotFoundProblem
from batuta.server.search.service import Search
from batuta.server.security.access_control import AccessControl
from batuta.server.security.ownership import Caller
from batuta.server.security.preferences import PreferenceReader
from batuta.server.security.refusals import AccessRefusals
from batuta.server.security.source_rights import SourceRights
from batuta.server.sessions.notifier import SessionListNotifier
from batuta.server.sessions.service import Sessions
from batuta.server.sessions.sources import ReadSource, Sources
from batuta.server.settings.service import UserPreferences
from batuta.server.storage import dataset_files, uploaded_files
from batuta.server.supervision import EndlessWork, TaskSupervisor
from batuta.server.turns.commands import turn_commands
from batuta.server.turns.service import NewMessage, Turns
from batuta.server.worker.model_protection import ModelProtection
from batuta.server.worker.probes import worker_probes
from batuta.server.worker.process import PlatformWorker
from batuta.server.worker.run_options import MonthlyBudgets, RunServices, TurnPrincipal
from batuta.server.worker.titling import SessionTitler


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """Everything a web process needs, wired together."""

    settings: Settings
    team: Orchestrator
    backends: Backends
    observers: Observers
    model: ModelChoice
    access: AccessControl
    refusals: AccessRefusals
    identity: Identity
    oidc: OidcLogins
    preferences: UserPreferences
    keys: ApiKeys
    sessions: Sessions
    sources: Sources
    turns: Turns
    approvals: Approvals
    datasets: Datasets
    boards: Boards
    search: Search
    files: Files
    documents: DocumentReader
    jobs: Jobs
    precedence: MessagePrecedence
    agui: AguiRuns
    feed: SessionFeed
    sockets: SocketServer
    streams: LiveStreams
    connections: LiveConnections
    erp: ErpRecords
    health: Health
    supervisor: TaskSupervisor

    def provided(self) -> Mapping[type[Any], object]:
        """What HTTP handlers can ask for, by type (`batuta.server.http.dependencies`)."""
        own = (getattr(self, name) for name in self.__dataclass_fields__)
        return {
            **{type(service): service for service in own},
            Orchestrator: self.team,
            PreferenceReader: self.preferences,
            SetupState: self.identity,
            SourceRights: self.erp,
        }


@dataclass(frozen=True, slots=True)
class WorkerProcess:
    """A worker in a process of its own."""

    worker: PlatformWorker
    supervisor: TaskSupervisor
    probes_url: str | None
    """Where it answers `/healthz`, `/readyz` and `/metrics`."""

    async def run(self, stop: asyncio.Event) -> None:
        """Run turns until the event is set."""
        await self.supervisor.keep("worker", lambda: self.worker.run(stop))


@asynccontextmanager
async def open_platform(
    settings: Settings,
    team: Orchestrator,
    *,
    model: ModelChoice | None = None,
    title_model: Model | None = None,
    read_source: ReadSource | None = None,
    erp: ErpAccess | None = None,
    vectors: PlatformVectors | None = None,
) -> AsyncIterator[Platform]:
    """A running platform without its HTTP server. A model for titles names the sessions; vectors that the team holds
    open are not opened again.
    """
    chosen = model or ModelChoice(label=next(iter(settings.models), "offline"))
    async with AsyncExitStack() as stack:
        observers = stack.enter_context(watched(settings, "batuta"))
        backends = await stack.enter_async_context(open_backends(settings))
        stack.enter_context(announcing_growth(backends.log, backends.bus))
        processing = await stack.enter_async_context(open_file_processing(settings, backends, vectors=vectors))
        backends = replace(backends, audit=NotedErasures(processing.audit, ledger_of(settings)))
        platform = _services(settings, team, backends, observers, chosen, read_source, processing, erp)
        protection = ModelProtection(settings)
        stack.push_async_callback(protection.close)
        gauges = [*_gauges(backends, protection), connection_gauges(platform.connections.counts)]
        background: dict[str, EndlessWork] = {
            "projector": backends.projector.run,
            "feed": platform.feed.run,
            "sockets": lambda: platform.sockets.run(backends.bus),
            "connections": platform.connections.run,
            "refusals": lambda: platform.refusals.run(backends.database),
            "session list": SessionListNotifier(backends.bus, platform.sessions, platform.sockets).run,
            "gauges": Gauges(observers.metrics, gauges).run,
        }
        await stack.enter_async_context(platform.supervisor.running(background))
        if settings.worker_concurrency:
            services = run_services(settings, backends, protection, chosen.choices, processing.index, erp)
            titler = _titler(backends, protection, title_model)
            worker = PlatformWorker(settings, team, backends, services, observers, titler)
            await stack.enter_async_context(worker.running(platform.supervisor))
            await stack.enter_async_context(platform.supervisor.running({"jobs": processing.run}))
        stack.push_async_callback(platform.connections.close)
        yield platform


@asynccontextmanager
async def open_worker(
    settings: Settings,
    team: Orchestrator,
    *,
    model: ModelChoice | None = None,
    title_model: Model | None = None,
    erp: ErpAccess | None = None,
    vectors: PlatformVectors | None = None,
) -> AsyncIterator[WorkerProcess]:
    """A worker process. Its models, and the ERP that its agents ask, are those of `open_platform`."""
    async with AsyncExitStack() as stack:
        observers = stack.enter_context(watched(settings, "batuta-worker"))
        backends = await stack.enter_async_context(open_backends(settings))
        stack.enter_context(announcing_growth(backends.log, backends.bus))
        protection = ModelProtection(settings)
        stack.push_async_callback(protection.close)
        processing = await stack.enter_async_context(open_file_processing(settings, backends, vectors=vectors))
        models = () if model is None else model.choices
        services = run_services(settings, backends, protection, models, processing.index, erp)
        titler = _titler(backends, protection, title_model)
        worker = PlatformWorker(settings, team, backends, services, observers, titler)
        gauges = Gauges(observers.metrics, _gauges(backends, protection))
        background: dict[str, EndlessWork] = {
            "projector": backends.projector.run,
            "gauges": gauges.run,
            "jobs": processing.run,
        }
        supervisor = TaskSupervisor()
        await stack.enter_async_context(supervisor.running(background))
        checks = {**backends.checks, "background work": supervisor.check}
        health = Health(backends.database, backends.log, more=checks)
        probes = await stack.enter_async_context(worker_probes(settings, observers, health))
        yield WorkerProcess(worker, supervisor, probes)


def run_services(
    settings: Settings,
    backends: Backends,
    protection: ModelProtection,
    models: Sequence[str],
    index: PassageIndex,
    erp: ErpAccess | None = None,
) -> RunServices:
    """What the agents and tools of a run find in `ctx.services`, and how its models are asked.

    A domain adds its stores here, one provider for each key. With an ERP, rows that were read from it are given to
    tools while their user may read them.
    """
    datasets = DatabaseDatasetStore(SystemDatabase(backends.database), dataset_files(settings))
    files, policy = uploaded_files(settings), erp_policy(settings)
    rights = ErpRightsSource(SystemDatabase(backends.database), policy)

    def dataset_library(turn: TurnPrincipal) -> DatasetLibrary:
        owner = DatasetOwner(session_id=turn.session_id, user_id=turn.user_id)
        if erp is None or not policy.roles:
            return DatasetLibrary(store=datasets, owner=owner)
        own, connected = rights.of(turn.workspace_id), erp
        language = detect_language(turn.text, turn.preferences.language)

        async def check(sources: Sequence[Provenance]) -> None:
            await check_sources(connected, own, turn.user_id, sources, language=language)

        return DatasetLibrary(store=ReadableDatasetStore(datasets, check), owner=owner)

    async def attached_tables(turn: TurnPrincipal) -> UploadedTables | None:
        inside = turn.files_in_folders if len(turn.files_in_folders) <= MAX_TABLES_IN_FOLDERS else ()
        ids = (*turn.attached_files, *inside)
        return await uploaded_tables(SystemDatabase(backends.database), files, turn.user_id, ids, turn.text)

    async def brought_before(turn: TurnPrincipal) -> OwnTables | None:
        return await own_tables(dataset_library(turn))

    async def own_documents(turn: TurnPrincipal) -> str | None:
        return await own_words(index, turn.user_id, turn.text)

    async def attached_texts(turn: TurnPrincipal) -> AttachedContext | None:
        budget = settings.attached_tokens
        return await attached_context(index, turn.user_id, turn.attached_files, turn.text, budget_tokens=budget)

    return RunServices(
        preferences=UserPreferences(backends.database),
        protection=protection.protection,
        budgets=MonthlyBudgets(settings, protection.ledger),
        models=models,
        providers={
            DATASETS_SERVICE: dataset_library,
            ERP_RIGHTS_SERVICE: lambda turn: rights.of(turn.workspace_id),
            COMPANY_SERVICE: lambda turn: turn.company,
            OWN_TABLES_SERVICE: brought_before,
            OWN_DOCUMENTS_SERVICE: own_documents,
        },
        file_providers={ATTACHED_TABLES_SERVICE: attached_tables, ATTACHED_CONTEXT_SERVICE: attached_texts},
        database=SystemDatabase(backends.database),
    )


def _services(
    settings: Settings,
    team: Orchestrator,
    backends: Backends,
    observers: Observers,
    model: ModelChoice,
    read_source: ReadSource | None,
    processing: FileProcessing,
    erp_access: ErpAccess | None,
) -> Platform:
    database, log, queue, bus = backends.database, backends.log, backends.queue, backends.bus
    system = SystemDatabase(database)
    refusals = AccessRefusals()
    access = AccessControl(system, refusals, idle=timedelta(hours=settings.login_idle_hours))
    feed = SessionFeed(log, bus, backends.projector)
    kept_datasets = DatabaseDatasetStore(database, dataset_files(settings))
    datasets = Datasets(kept_datasets)
    agent_ids = frozenset(card.agent_id for card in team.registry.cards)
    preferences = UserPreferences(database, models=model.choices, agents=agent_ids)
    rights = ErpRightsSource(system, erp_policy(settings))
    erp = ErpRecords(erp_access, rights, preferences)

    async def exported_tables(session_id: str, caller: Caller) -> list[dict[str, Any]]:
        return await datasets.exported(session_id, lambda sources: erp.check_sources(caller, sources))

    sessions = Sessions(
        database,
        log,
        backends.audit,
        backends.projector,
        bus,
        feed,
        observer=observers.sink,
        read_tables=exported_tables,
    )
    turns = Turns(
        database,
        log,
        queue,
        bus,
        agent_ids=agent_ids,
        limits=TurnLimits.of(settings),
        observer=observers.sink,
        working_company=erp.working_company,
    )
    approvals = Approvals(
        database, log, queue, backends.projector, bus, people=system, rights=erp, observer=observers.sink
    )

    async def tile_services(caller: Caller) -> Mapping[str, object]:
        return {
            ERP_RIGHTS_SERVICE: rights.of(caller.workspace_id),
            COMPANY_SERVICE: await erp.working_company(caller),
        }

    refresher = TileRefresher(team.registry, kept_datasets)
    boards = Boards(database, log, kept_datasets, preferences, refresher, services_of=tile_services)
    streams, supervisor = LiveStreams(limits_of_connections(settings)), TaskSupervisor()
    commands = {**turn_commands(turns), **approval_commands(approvals)}
    sockets = SocketServer(settings, access, log, feed, commands, processing.precedence, refusals)
    return Platform(
        settings=settings,
        team=team,
        backends=backends,
        observers=observers,
        model=model,
        access=access,
        refusals=refusals,
        identity=Identity(system, settings, Passwords()),
        oidc=OidcLogins(system, settings),
        preferences=preferences,
        keys=ApiKeys(database),
        sessions=sessions,
        sources=Sources(database, read_source or _no_source),
        turns=turns,
        approvals=approvals,
        datasets=datasets,
        boards=boards,
        search=Search(database),
        files=processing.files,
        documents=processing.documents,
        jobs=processing.jobs,
        precedence=processing.precedence,
        agui=AguiRuns(log, feed, _agui_port(access, sessions, turns, approvals, database)),
        feed=feed,
        sockets=sockets,
        streams=streams,
        connections=LiveConnections(access, sockets, streams),
        erp=erp,
        health=Health(database, log, more={**backends.checks, "background work": supervisor.check}),
        supervisor=supervisor,
    )


async def _no_source(citation: Citation, user_id: str) -> str | None:
    return None


def _agui_port(
    access: AccessControl, sessions: Sessions, turns: Turns, approvals: Approvals, database: Database
) -> PlatformPort:
    async def own_session(caller: Caller, session_id: str) -> None:
        async def require() -> None:
            await access.check(EVENTS["session:join"], caller, {"session_id": session_id})

        try:
            await require()
        except NotFoundProblem:
            try:
                await sessions.create(caller, session_id=session_id)
            except NotFoundProblem:  # somebody has it: perhaps the same run, sent twice
                await require()

    async def send(caller: Caller, session_id: str, client_message_id: str, text: str) -> tuple[str, Position]:
        message = NewMessage(client_message_id=client_message_id, text=text)
        answer, position = await turns.accept(caller, session_id, message)
        return answer.turn_id, position

    async def decide(caller: Caller, session_id: str, approval_id: str, fields: Mapping[str, Any]) -> str:
        allowed = await access.check(EVENTS["approval:resolve"], caller, {"approval_id": approval_id})
        query = sa.select(approval_rows.c.turn_id).where(
            approval_rows.c.approval_id == approval_id.upper(), approval_rows.c.session_id == session_id
        )
        turn_id = await database.read(lambda connection: connection.execute(query).scalar())
        if turn_id is None:
            raise NotFoundProblem("This thread has no such interrupt. Resume the thread that raised it.")
        await approvals.decide(allowed, approval_id, DecisionRequest.model_validate(fields))
        return str(turn_id)

    return PlatformPort(own_session=own_session, send=send, decide=decide)


def _titler(backends: Backends, protection: ModelProtection, model: Model | None) -> SessionTitler | None:
    if model is None:
        return None
    counted = model if model.provider in FREE else LostTriesModel(model)
    return SessionTitler(backends.log, ResilientModel(counted, protection.protection))


def _gauges(backends: Backends, protection: ModelProtection) -> list[GaugeSource]:
    return [work_gauges(backends.queue, backends.projector), backends.storage, model_gauges(protection.limits)]
