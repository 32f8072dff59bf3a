"""A loader that does what its document says, however bad; children are told to import it."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from rag_assets.loading.base import Loaded, LoadRequest
from rag_assets.loading.decoding import read_bytes
from rag_query.providers.registry import Params, register

MODULE = __name__


class HostileLoader:
    def __init__(self, params: Params) -> None:
        del params
        self._kept: list[bytearray] = []

    def load(self, data: Path | bytes, request: LoadRequest) -> Loaded:
        text = read_bytes(data).decode()
        order, _, _ = text.partition(" ")
        if order == "hang":
            while True:
                time.sleep(0.01)
        if order == "eat":
            while True:
                self._kept.append(bytearray(8 * 1024 * 1024))
        if order == "gulp":
            self._kept.append(bytearray(8 * 1024**3))
        if order == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if order == "exit":
            os._exit(3)
        if order == "raise":
            raise KeyError("no such thing")
        if order == "print":
            print("this must not be seen")  # noqa: T201
            os.write(1, b"nor this\n")
        return Loaded(
            loader_name="loader.test_hostile",
            loader_version="1",
            parser_engine="test",
            engine_version="1",
            md=text,
            title="",
            language="en",
        )


register("loader.test_hostile", version="1", build=HostileLoader)
