"""The page on which a browser gives the token once."""

from __future__ import annotations

from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from mcp_app.http.access import Access
from mcp_app.http.guard import COOKIE, LOGIN

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Excerpta: log in</title>
<style>body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 24rem; margin: 15vh auto }}</style>
</head>
<body>
<main>
<h1>Excerpta</h1>
{message}
<form method="post">
<label for="token">Token of this server</label><br>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<button>Log in</button>
</form>
</main>
</body>
</html>
"""


def login_route(access: Access) -> Route:
    """``/login``: a form, and a cookie for whoever knows the token."""

    async def login(request: Request) -> Response:
        if request.method == "GET":
            return HTMLResponse(_PAGE.format(message=""))
        form = parse_qs((await request.body()).decode("utf-8", "replace"))
        if not access.accepts_token(form.get("token", [""])[0]):
            page = _PAGE.format(message='<p role="alert">That is not the token.</p>')
            return HTMLResponse(page, status_code=401)
        response = RedirectResponse("/", status_code=303)
        response.set_cookie(
            COOKIE,
            access.cookie(),
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return response

    return Route(LOGIN, login, methods=["GET", "POST"])
