"""Reading the cookies of a WebSocket handshake."""

from http.cookies import CookieError, SimpleCookie


def cookies_of(header: str) -> dict[str, str]:
    """The cookies of a header; none of one that cannot be read."""
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load(header)
    except CookieError:
        return {}
    return {name: morsel.value for name, morsel in jar.items()}
