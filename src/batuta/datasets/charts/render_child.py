"""The process that draws charts without a browser: vl-convert, and then gone.

    python -I render_child.py < request.json > pictures.json

It holds the interpreter while it draws and cannot be interrupted, so it is run by `batuta.datasets.charts.rendering`
in a process that can be killed. It imports nothing of ours.
"""

import base64
import json
import resource
import sys
from typing import Any

import vl_convert

VEGA_LITE = "6.1"


def main() -> None:
    """Read a request, draw, end."""
    request = json.load(sys.stdin)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (request["max_seconds"] * 2, request["max_seconds"] * 2 + 1))
    try:
        answer: dict[str, Any] = {"pictures": [drawn(spec, request["format"]) for spec in request["specs"]]}
    except ValueError as error:
        answer = {"error": str(error)[:500]}
    json.dump(answer, sys.stdout)


def drawn(spec: dict[str, Any], wanted: str) -> Any:
    """One chart: a PNG in Base64, an SVG, or the scene."""
    # No address is ever fetched: specifications were checked before, and nothing is allowed here either.
    options: dict[str, Any] = {"vl_version": VEGA_LITE, "allowed_base_urls": []}
    if wanted == "svg":
        return vl_convert.vegalite_to_svg(spec, **options)
    if wanted == "scene":
        return vl_convert.vegalite_to_scenegraph(spec, **options)
    return base64.b64encode(vl_convert.vegalite_to_png(spec, scale=2, **options)).decode()


if __name__ == "__main__":
    main()
