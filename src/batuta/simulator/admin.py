"""The endpoints tests steer the simulator with, under ``/simulator``.

GET    /simulator            what it plays and how many connections and streams are open
GET    /simulator/scenario   the scenario      PUT or POST  replace it (YAML or JSON)
GET    /simulator/requests   what was received DELETE       forget it
POST   /simulator/fault      strike the next request(s)
"""

from collections.abc import Callable

import yaml
from aiohttp import web
from pydantic import ValidationError

from batuta.simulator.answers import Fault
from batuta.simulator.edge import Edge
from batuta.simulator.playback import Playback
from batuta.simulator.scenario import ScenarioError, parse_scenario


class Admin:
    def __init__(self, edge: Edge, open_connections: Callable[[], int]) -> None:
        self._edge = edge
        self._open_connections = open_connections

    def add_routes(self, app: web.Application) -> None:
        app.router.add_get("/simulator", self._state)
        app.router.add_get("/simulator/scenario", self._scenario)
        app.router.add_put("/simulator/scenario", self._replace_scenario)
        app.router.add_post("/simulator/scenario", self._replace_scenario)
        app.router.add_get("/simulator/requests", self._requests)
        app.router.add_delete("/simulator/requests", self._forget_requests)
        app.router.add_post("/simulator/fault", self._inject)

    async def _state(self, request: web.Request) -> web.Response:
        edge = self._edge
        return web.json_response(
            {
                "scenario": edge.playback.scenario.name,
                "unused_answers": edge.playback.unused_answers,
                "requests": len(edge.ledger.exchanges),
                "open_requests": edge.ledger.open_requests,
                "open_streams": edge.ledger.open_streams,
                "open_connections": self._open_connections(),
            }
        )

    async def _scenario(self, request: web.Request) -> web.Response:
        return web.json_response(self._edge.playback.scenario.model_dump(mode="json", by_alias=True))

    async def _replace_scenario(self, request: web.Request) -> web.Response:
        try:
            data = yaml.safe_load(await request.text())
            scenario = parse_scenario(data if isinstance(data, dict) else {"answers": data})
        except (yaml.YAMLError, ScenarioError) as error:
            return web.json_response({"error": str(error)}, status=422)
        self._edge.playback = Playback(scenario)
        return web.json_response({"scenario": scenario.name, "answers": len(scenario.answers)})

    async def _requests(self, request: web.Request) -> web.Response:
        return web.json_response([exchange.to_json() for exchange in self._edge.ledger.exchanges])

    async def _forget_requests(self, request: web.Request) -> web.Response:
        self._edge.ledger.clear()
        return web.Response(status=204)

    async def _inject(self, request: web.Request) -> web.Response:
        try:
            fault = Fault.model_validate_json(await request.text())
        except ValidationError as error:
            return web.json_response({"error": str(error)}, status=422)
        self._edge.playback.inject(fault)
        return web.json_response({"kind": fault.kind, "times": fault.times})
