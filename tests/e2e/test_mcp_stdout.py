"""Whatever a library prints, a client reads nothing but the protocol."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Excerpta
from tests.e2e.wire import HELLO

#: A library that prints in every way and at every time that one can.
NOISY = """
import atexit, ctypes, os, threading, time

def noise(when):
    print(f"python {when}", flush=True)
    libc = ctypes.CDLL(None)
    libc.printf(f"stdio {when}\\n".encode())
    libc.fflush(None)
    os.write(1, f"descriptor {when}\\n".encode())

def whisper():
    # What stays in the buffers until the process ends.
    print("python buffered")
    ctypes.CDLL(None).printf(b"stdio buffered\\n")

def during_calls():
    while True:
        noise("call")
        time.sleep(0.005)

noise("import")
atexit.register(noise, "exit")
whisper()
threading.Thread(target=during_calls, daemon=True).start()
"""
#: Has it imported together with one that the server uses.
HOOK = """
import sys

class Together:
    def find_spec(self, name, path=None, target=None):
        if name == "tantivy":
            sys.meta_path.remove(self)
            import noisy

sys.meta_path.insert(0, Together())
"""
WAYS = ("python", "stdio", "descriptor")


@pytest.fixture
def noisy(excerpta: Excerpta, tmp_path: Path) -> Excerpta:
    (tmp_path / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
    (tmp_path / "noisy.py").write_text(NOISY, encoding="utf-8")
    path = os.pathsep.join(filter(None, [str(tmp_path), excerpta.environment.get("PYTHONPATH")]))
    return Excerpta(excerpta.home, {**excerpta.environment, "PYTHONPATH": path})


@pytest.mark.parametrize(
    "options", [(), ("--rate-limit", "6000/minute")], ids=["quick start", "command line"]
)
def test_nothing_but_the_protocol_is_on_stdout(
    noisy: Excerpta, tmp_path: Path, options: tuple[str, ...]
) -> None:
    """Both entries of the command line: with nothing but --home, and by way of its commands."""
    with (tmp_path / "stderr").open("w+b") as stderr:
        server = subprocess.Popen(
            [*noisy.command, "mcp", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=dict(noisy.environment),
        )
        with server:
            lines = _talk(server)
        stderr.seek(0)
        heard = stderr.read().decode()
    assert [line["id"] for line in lines if "id" in line] == [1, 2, 3]
    for way in WAYS:
        for when in ("import", "call"):
            assert f"{way} {when}" in heard, f"the test did not print by {way} at {when}"


def _talk(server: subprocess.Popen[bytes]) -> list[dict[str, Any]]:
    """Every line of stdout up to its end, of a session with a question."""
    assert server.stdin is not None and server.stdout is not None
    question = {"name": "library_query", "arguments": {"query": "How is it calibrated?"}}
    lines = []
    for number, (method, params) in enumerate(
        [("initialize", HELLO), ("tools/list", {}), ("tools/call", question)], start=1
    ):
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        server.stdin.write(json.dumps(message).encode() + b"\n")
        server.stdin.flush()
        while not lines or lines[-1].get("id") != number:
            lines.append(json.loads(server.stdout.readline()))
    server.stdin.close()
    lines += [json.loads(line) for line in server.stdout]
    assert all(line["jsonrpc"] == "2.0" for line in lines)
    return lines
