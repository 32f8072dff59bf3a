"""``excerpta ui``: the console and the Dagster UI of a library, in the foreground."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mcp_app.commands.invocation import HomeOption, command, console, resolve_home

if TYPE_CHECKING:
    from rag_query.library.home import Home

_START_TIMEOUT_S = 90.0
_END_TIMEOUT_S = 15.0


@command
def ui(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Of the Dagster UI. 0: any that is free.")
    ] = 0,
    console_port: Annotated[
        int, typer.Option(min=0, max=65535, help="Of the console. 0: any that is free.")
    ] = 0,
    home: HomeOption = None,
) -> None:
    """Open the console and the Dagster UI of this library."""
    from rag_assets.webserver import Webserver
    from rag_query.library.settings import load_settings

    place = resolve_home(home)
    load_settings(place)
    if (running := Webserver.find(place)) is not None:
        console().print("This library's UI runs already:")
        console().print(_addresses(running.console, running.url))
        return
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        _serve(place, port or _free_port(), console_port or _free_port())
    except KeyboardInterrupt:
        console(stderr=True).print("Stopped.")


def _serve(home: Home, port: int, console_port: int) -> None:
    from rag_assets.dead_runs import settle_dead_runs
    from rag_assets.instance import instance_environment, open_instance, prepare_instance
    from rag_assets.webserver import forget_webserver, record_webserver

    prepare_instance(home)
    # Two processes that make its databases at once would fail each other's migrations.
    with open_instance(home) as instance:
        settle_dead_runs(home, instance)
    workspace = _write_workspace(home)
    environment = instance_environment(home)
    url = f"http://127.0.0.1:{port}"
    options = ["-w", str(workspace)]
    server = ["dagster_webserver", "-h", "127.0.0.1", "-p", str(port), *options]
    daemon = ["dagster._daemon", "run", *options]
    address = f"127.0.0.1:{console_port}"
    pages = ["mcp_app", "--home", str(home.root), "mcp", "--http", address]
    with (
        _process(server, environment, home.logs / "ui-webserver.log") as webserver,
        _process(daemon, environment, home.logs / "ui-daemon.log") as daemon_process,
        _process(pages, dict(os.environ), home.logs / "ui-console.log") as console_process,
    ):
        console(stderr=True).print("Starting …")
        _wait_for(f"http://{address}/healthz", console_process, "console")
        _wait_for(f"{url}/server_info", webserver, "webserver")
        record_webserver(home, url, webserver.pid, console=f"http://{address}")
        try:
            console().print(f"{_addresses(f'http://{address}', url)}\nCtrl-C ends both.")
            sys.stdout.flush()
            parts = {
                "webserver": webserver,
                "daemon": daemon_process,
                "console": console_process,
            }
            while not (ended := [name for name, p in parts.items() if p.poll() is not None]):
                time.sleep(0.5)
        finally:
            forget_webserver(home)
    _raise_ended(ended[0])


def _addresses(pages: str, dagster: str) -> str:
    known = [f"Console    {pages}"] if pages else []
    return "\n".join([*known, f"Dagster UI {dagster}"])


def _write_workspace(home: Home) -> Path:
    from rag_assets.webserver import LOCATION
    from rag_query.library.files import write_atomic

    path = home.dagster / "workspace.yaml"
    module = {"module_name": "rag_assets.definitions", "location_name": LOCATION}
    # JSON is YAML.
    write_atomic(path, json.dumps({"load_from": [{"python_module": module}]}).encode())
    return path


@contextmanager
def _process(
    arguments: list[str], environment: dict[str, str], log: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a group of its own, ended with everything it started; interrupted when this
    process is killed."""
    from rag_assets.child_processes.parent import die_with

    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            env=environment,
            start_new_session=True,
            # This process has no other threads.
            preexec_fn=partial(die_with, os.getpid(), signal.SIGINT),  # noqa: PLW1509
        )
    try:
        yield process
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        # Dagster ends its code servers itself when it is interrupted.
        process.send_signal(signal.SIGINT)
        try:
            process.wait(_END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait_for(url: str, process: subprocess.Popen[bytes], which: str) -> None:
    import urllib.request

    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with opener.open(url, timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    _raise_ended(which)


def _raise_ended(which: str) -> None:
    from rag_query.contracts.errors import ErrorCode, ExcerptaError

    raise ExcerptaError(
        ErrorCode.RUN_FAILED,
        f"The {which} did not start or ended by itself.",
        hint=f"See logs/ui-{which}.log in the library; --port and --console-port choose others.",
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt
