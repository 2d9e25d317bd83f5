"""The HTTP tool against real sockets: what it reads, and what it never connects to (F-56, SE-12)."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
from aiohttp import web
from yarl import URL

from batuta import AgentStep
from batuta.events import ToolRefused
from batuta.kernel.errors import ToolFailedError, ToolRefusedError
from batuta.kernel.messages import ToolCallBlock
from batuta.testing import CapturingSink, Reply, ScriptedModel, ToolCall
from batuta.tools import CallScope, Refusal, Tool, ToolInvoker, ToolSet
from batuta.tools.builtin.addresses import networks
from batuta.tools.builtin.http import HttpRules, fetch, http_tool


class Site:
    """A web site on the loopback address that counts who comes."""

    def __init__(self) -> None:
        self.visits: list[str] = []
        self.port = 0

    async def answer(self, request: web.Request) -> web.Response:
        self.visits.append(request.path)
        page: Callable[[web.Request], Awaitable[web.Response]] = getattr(self, f"_{request.path.strip('/')}")
        return await page(request)

    async def _page(self, request: web.Request) -> web.Response:
        return web.json_response({"price": 7})

    async def _redirect(self, request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": request.query["to"]})

    async def _loop(self, request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": "/loop"})

    async def _large(self, request: web.Request) -> web.Response:
        return web.Response(text="x" * 50_000)

    async def _image(self, request: web.Request) -> web.Response:
        return web.Response(body=b"\x89PNG", content_type="image/png")

    async def _bomb(self, request: web.Request) -> web.Response:
        return web.Response(body=b"\x1f\x8b", headers={"Content-Encoding": "gzip", "Content-Type": "text/plain"})

    async def _slow(self, request: web.Request) -> web.Response:
        await asyncio.sleep(10)
        return web.Response()

    async def _headers(self, request: web.Request) -> web.Response:
        return web.json_response(dict(request.headers))

    async def _missing(self, request: web.Request) -> web.Response:
        return web.Response(status=404, text="gone")


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    site = Site()
    app = web.Application()
    app.router.add_get("/{path:.*}", site.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    site.port = runner.addresses[0][1]
    yield site
    await runner.cleanup()


def open_rules(site: Site, **changes: Any) -> HttpRules:
    """Rules of an administrator who lets the tool into the loopback network."""
    facts: dict[str, Any] = {
        "hosts": frozenset({f"127.0.0.1:{site.port}", f"localhost:{site.port}"}),
        "schemes": frozenset({"http"}),
        "networks": networks(["127.0.0.0/8"]),
    }
    return HttpRules(**{**facts, **changes})


def open_tool(site: Site) -> Tool:
    """The tool of such an administrator."""
    hosts = [f"127.0.0.1:{site.port}", f"localhost:{site.port}"]
    return http_tool(hosts, allows_plain_http=True, allowed_networks=["127.0.0.0/8"])


async def refused_by(browser: Tool, url: str) -> ToolRefused:
    """The one security event of a real run in which the model asks for this page."""
    model = ScriptedModel([Reply(tool_calls=[ToolCall("fetch_url", {"url": url})]), Reply("sorry")])
    sink = CapturingSink()
    agent = AgentStep(name="clerk", model=model, output=str, tools=[browser])
    assert (await agent.run("read it", sink=sink, invoker=ToolInvoker())).value == "sorry"
    (answer,) = model.requests[1].tool_results
    assert answer.is_error
    (refused,) = sink.of(ToolRefused)
    return refused


async def test_a_page_of_an_allowed_host_is_read(site: Site) -> None:
    page = await fetch(f"http://localhost:{site.port}/page#part", open_rules(site))

    assert (page["status"], page["text"], page["content_type"]) == (200, '{"price": 7}', "application/json")
    assert page["is_cut"] is False


async def test_an_error_page_is_an_answer_too(site: Site) -> None:
    page = await fetch(f"http://localhost:{site.port}/missing", open_rules(site))

    assert (page["status"], page["text"]) == (404, "gone")


async def test_a_large_page_is_cut(site: Site) -> None:
    page = await fetch(f"http://localhost:{site.port}/large", open_rules(site, max_bytes=1_000))

    assert (len(page["text"]), page["is_cut"]) == (1_000, True)


@pytest.mark.parametrize(("path", "words"), [("image", "only text"), ("bomb", "compressed")])
async def test_what_is_no_text_is_not_read(site: Site, path: str, words: str) -> None:
    with pytest.raises(ToolFailedError, match=words):
        await fetch(f"http://localhost:{site.port}/{path}", open_rules(site))


async def test_a_slow_page_is_given_up(site: Site) -> None:
    with pytest.raises(ToolFailedError, match=r"within 0\.05 s"):
        await fetch(f"http://localhost:{site.port}/slow", open_rules(site, timeout=timedelta(seconds=0.05)))


async def test_nothing_of_ours_goes_along(site: Site) -> None:
    page = await fetch(f"http://localhost:{site.port}/headers", open_rules(site))

    sent = {name.lower() for name in json.loads(page["text"])}
    assert not {"cookie", "authorization", "referer"} & sent


FORMS_OF_LOOPBACK = [
    "127.0.0.1", "localhost", "2130706433", "0x7f000001", "017700000001", "0177.0.0.1", "0x7f.0.0.1", "127.1",
    "127.0.1", "0", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]",
    "127.0.0.1.", "localhost.", "LOCALHOST", "127。0。0。1", "①②⑦.0.0.1",
]  # fmt: skip


@pytest.mark.parametrize("host", FORMS_OF_LOOPBACK)
async def test_se12_no_form_of_a_private_address_is_ever_connected_to(site: Site, host: str) -> None:
    """Even a host on the allow-list leads nowhere when its address is not public."""

    class Everywhere(HttpRules):
        def require_allowed(self, url: Any) -> None:
            """An allow-list that lets everything pass, to try the second wall alone."""

    rules = Everywhere(hosts=frozenset(), schemes=frozenset({"http"}))
    with pytest.raises((ToolRefusedError, ConnectionError)):
        await fetch(f"http://{host}:{site.port}/page", rules)

    assert site.visits == []


ADDRESSES = [
    "http://169.254.169.254/latest/meta-data",
    "http://[::ffff:a9fe:a9fe]/latest",
    "http://10.0.0.1/",
    "http://[fd00::1]/",
    "http://metadata.google.internal/",
    "http://allowed.test@127.0.0.1/",
    "http://allowed.test:pw@allowed.test/",
    "http://allowed.test%00.evil.test/",
    "http://allowed.test\\@evil.test/",
    "http://evil.test#allowed.test",
    "http://evil.test/allowed.test",
    "http://allowed.test.evil.test/",
    "http://evilallowed.test/",
    "http://allowed.test:8080/",
    "http://sub.allowed.test/",
    "https://allowed.test/",
    "file:///etc/passwd",
    "ftp://allowed.test/",
    "gopher://allowed.test:70/",
    "data:text/plain,hi",
    "javascript:alert(1)",
    "//allowed.test/",
    "allowed.test",
    "",
    "http://",
    "http://allowed.test/ HTTP/1.1\r\nHost: x",
    "http://allowed.test:99999/",
    "http://[::1",
    "http://allowed.test/" + "x" * 3_000,
]


@pytest.mark.parametrize("address", ADDRESSES)
async def test_an_address_beside_the_allow_list_is_refused(address: str) -> None:
    rules = HttpRules(hosts=frozenset({"allowed.test"}), schemes=frozenset({"http"}))

    with pytest.raises(ToolRefusedError):
        await fetch(address, rules)


@pytest.mark.parametrize("host", ["a.example.com", "a.b.example.com", "A.EXAMPLE.COM", "a.example.com."])
def test_a_star_allows_what_is_below_a_name(host: str) -> None:
    HttpRules(hosts=frozenset({"*.example.com"})).require_allowed(URL(f"https://{host}/"))


@pytest.mark.parametrize("host", ["example.com", "badexample.com", "example.com.evil.test", "a.example.com:8443"])
def test_a_star_allows_nothing_else(host: str) -> None:
    with pytest.raises(ToolRefusedError):
        HttpRules(hosts=frozenset({"*.example.com"})).require_allowed(URL(f"https://{host}/"))


async def test_se12_a_name_that_changes_its_address_is_caught_where_the_socket_is_made(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rebinding: the first answer of the DNS is public, the one that is used is not."""
    answers = iter(["93.184.215.14", "127.0.0.1", "127.0.0.1"])

    def resolve(host: Any, port: Any, *args: Any, **more: Any) -> Any:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), site.port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    resolve("rebinding.test", site.port)
    browser = http_tool([f"rebinding.test:{site.port}"], allows_plain_http=True)

    refused = await refused_by(browser, f"http://rebinding.test:{site.port}/page")

    assert "not public" in refused.reason
    assert site.visits == []


@pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "::ffff:10.0.0.1", "fd00::1"])
async def test_a_name_that_stands_for_a_private_address_is_a_security_event(
    site: Site, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An allowed name whose DNS answer leads inside, in any family."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    place = (address, site.port, 0, 0) if ":" in address else (address, site.port)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(family, socket.SOCK_STREAM, 6, "", place)])
    browser = http_tool([f"inside.test:{site.port}"], allows_plain_http=True)

    refused = await refused_by(browser, f"http://inside.test:{site.port}/page")

    assert "not public" in refused.reason
    assert site.visits == []


async def test_a_redirect_within_the_allow_list_is_followed(site: Site) -> None:
    page = await fetch(f"http://localhost:{site.port}/redirect?to=/page", open_rules(site))

    assert page["text"] == '{"price": 7}'
    assert site.visits == ["/redirect", "/page"]


@pytest.mark.parametrize(
    "target",
    [
        "http://169.254.169.254/latest",
        "http://evil.test/",
        "file:///etc/passwd",
        "https://localhost/",
        "//evil.test/",
        "http://user@localhost/",
        "http://[::ffff:a9fe:a9fe]/",
        "javascript:alert(1)",
    ],
)
async def test_se12_a_redirect_is_checked_like_the_first_address(site: Site, target: str) -> None:
    """And told like it."""
    refused = await refused_by(open_tool(site), f"http://localhost:{site.port}/redirect?to={target}")

    assert refused.reason.startswith("fetch_url refused: ")
    assert site.visits == ["/redirect"]


async def test_redirects_without_end_are_given_up(site: Site) -> None:
    with pytest.raises(ToolRefusedError, match="more than 5 redirects"):
        await fetch(f"http://localhost:{site.port}/loop", open_rules(site))


async def test_a_refused_address_is_a_security_event() -> None:
    """F-51: the caller learns that this was no mere mistake."""
    block = ToolCallBlock(id="1", name="fetch_url", args={"url": "https://127.0.0.1/"})
    scope = CallScope(tools=ToolSet.of([http_tool(["127.0.0.1"])]))

    outcome = await ToolInvoker().invoke(block, scope)

    assert (outcome.refusal, outcome.is_security_event) == (Refusal.FORBIDDEN, True)


async def test_a_host_that_is_not_there_is_a_connection_error(site: Site) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        rules = open_rules(site, hosts=frozenset({f"127.0.0.1:{port}"}))
        with pytest.raises(ConnectionError, match="cannot be read"):
            await fetch(f"http://127.0.0.1:{port}/", rules)


async def test_the_tool_reads_https_by_default(site: Site) -> None:
    with pytest.raises(ToolRefusedError, match="use https"):
        await http_tool(["localhost"]).call(url="http://localhost/")
