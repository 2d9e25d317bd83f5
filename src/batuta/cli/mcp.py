"""`batuta mcp`: the ERP's tools for other clients, over the Model Context Protocol."""

import asyncio
import os
import secrets
from pathlib import Path
from typing import Annotated, Literal

import typer
import uvicorn

from batuta.cli.common import ConfigFile, DataDir, settings_from
from batuta.cli.output import err, fail, out
from batuta.kernel.errors import ConfigurationError
from batuta.server.config import make_data_dir
from batuta.server.erp.connection import erp_access, learn_erp_names
from batuta.server.erp.mcp import erp_mcp_server, http_app, serve_stdio
from batuta.server.erp.mcp_access import digest_of, load_tokens
from batuta.server.erp.service import erp_policy

TOKEN_VARIABLE = "BATUTA_MCP_TOKEN"  # noqa: S105 - the name of a variable
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})

app = typer.Typer(help="The ERP's tools for other clients, over the Model Context Protocol.", no_args_is_help=True)


@app.command("erp")
def erp(
    transport: Annotated[Literal["stdio", "http"], typer.Option(help="How clients reach it.")] = "stdio",
    host: Annotated[str, typer.Option(help="Where to listen, with http.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port, with http.")] = 8765,
    tokens: Annotated[
        Path | None, typer.Option(help="Accepted tokens by their hashes; see `batuta mcp token`.")
    ] = None,
    language: Annotated[Literal["en", "es"], typer.Option(help="The language of answers.")] = "en",
    config: ConfigFile = None,
    data_dir: DataDir = None,
) -> None:
    """Serve the ERP's tools. Read-only unless a token allows writes: over HTTP the request's, else BATUTA_MCP_TOKEN."""
    settings = settings_from(config, data_dir=data_dir)
    try:
        accepted = load_tokens(tokens)
        make_data_dir(settings.data_dir)
        access = erp_access(settings)
    except ConfigurationError as error:
        raise fail(str(error), 2) from error
    if access is None:
        raise fail("there is no ERP to serve; set BATUTA_ERP_URL", 2)
    if transport == "http" and host not in LOOPBACK and not accepted.is_required:
        raise fail("other machines can reach this host: give accepted tokens with --tokens", 2)
    token = os.environ.get(TOKEN_VARIABLE, "")
    if transport == "stdio" and token and accepted.grant(token) is None:
        raise fail(f"the token of {TOKEN_VARIABLE} is not in {tokens}", 2)
    if settings.erp_roles and not accepted.is_required:
        raise fail("rights in the ERP depend on roles (erp_roles): give tokens with roles with --tokens", 2)
    server = erp_mcp_server(access, accepted, token=token, policy=erp_policy(settings), language=language)

    async def serve() -> None:
        await learn_erp_names(access)
        if transport == "stdio":
            await serve_stdio(server)
            return
        err.print(f"the ERP's tools are served at http://{host}:{port}/mcp; stop with Ctrl-C", soft_wrap=True)
        settings = uvicorn.Config(http_app(server, accepted, host=host), host=host, port=port, log_level="warning")
        await uvicorn.Server(settings).serve()

    asyncio.run(serve())


@app.command("token")
def token(
    name: Annotated[str, typer.Argument(help="Whose token it is.")],
    write: Annotated[bool, typer.Option("--write", help="It may write, too.")] = False,
    role: Annotated[
        list[str] | None, typer.Option(help="A role whose rights in the ERP it has; may be repeated.")
    ] = None,
) -> None:
    """Make a token: the first line is the secret for the client, the second belongs into the tokens file."""
    made = secrets.token_urlsafe(32)
    out.print(made, soft_wrap=True, highlight=False)
    line = f"{digest_of(made)} {'write' if write else 'read'} {name} {','.join(role or ())}"
    out.print(line.rstrip(), soft_wrap=True, highlight=False)
