"""The library's Dagster webserver from outside: submit a run, end a run. Imports no Dagster."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from rag_assets.process_identity import process_lives, process_start
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.files import write_json
from rag_query.library.home import Home

LOCATION = "excerpta"
REPOSITORY = "__repository__"

_LAUNCH = """
mutation Launch($params: ExecutionParams!) {
  launchRun(executionParams: $params) {
    __typename
    ... on LaunchRunSuccess { run { runId } }
    ... on PythonError { message }
    ... on RunConfigValidationInvalid { errors { message } }
  }
}"""

_TERMINATE = """
mutation Terminate($run: String!) {
  terminateRun(runId: $run, terminatePolicy: SAFE_TERMINATE) {
    __typename
    ... on TerminateRunFailure { message }
    ... on PythonError { message }
  }
}"""


class WebserverAddress(BaseModel):
    """``<home>/dagster/webserver.json``, written by whoever starts the webserver.

    Attributes:
        home: the library's folder; in a copy of the library it is another's.
        started: of :func:`process_start`; earlier releases wrote epoch seconds.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str
    pid: int
    started: str | float | None
    home: str
    console: str = ""


def address_file(home: Home) -> Path:
    """Where the address stands."""
    return home.dagster / "webserver.json"


def record_webserver(home: Home, url: str, pid: int, *, console: str = "") -> None:
    """Say where the library's webserver answers, and the console beside it. Raises OSError."""
    address = WebserverAddress(
        url=url, pid=pid, started=process_start(pid), home=_place(home), console=console
    )
    write_json(address_file(home), address.model_dump())


def forget_webserver(home: Home) -> None:
    """The webserver was stopped."""
    address_file(home).unlink(missing_ok=True)


class Webserver:
    """A webserver that answered when it was looked for."""

    def __init__(self, url: str, console: str = "") -> None:
        self.url = url.rstrip("/")
        self.console = console

    @classmethod
    def find(cls, home: Home) -> Webserver | None:
        """The library's webserver, when its address is known and it answers.

        None for what a copied library brought with it, or a process that was killed left behind:
        at that address another library's webserver may answer.
        """
        try:
            address = WebserverAddress.model_validate_json(address_file(home).read_bytes())
            if address.home != _place(home) or not process_lives(address.pid, address.started):
                return None
            with _open(f"{address.url.rstrip('/')}/server_info", timeout=1.0) as response:
                response.read()
        except (OSError, ValidationError):
            return None
        return cls(address.url, address.console)

    def launch(self, job: str, tags: dict[str, str], config: dict[str, Any]) -> str:
        """Start a job with Dagster's run config; its run id.

        Raises:
            ExcerptaError: ``RUN_FAILED`` when the webserver refuses or is gone.
        """
        params = {
            "selector": {
                "jobName": job,
                "repositoryName": REPOSITORY,
                "repositoryLocationName": LOCATION,
            },
            "runConfigData": config,
            "executionMetadata": {
                "tags": [{"key": key, "value": value} for key, value in tags.items()]
            },
        }
        answer = self._ask(_LAUNCH, {"params": params})["launchRun"]
        if answer["__typename"] != "LaunchRunSuccess":
            raise _refused(answer)
        return str(answer["run"]["runId"])

    def terminate(self, run_id: str) -> None:
        """End a run. Raises ExcerptaError ``RUN_FAILED``."""
        answer = self._ask(_TERMINATE, {"run": run_id})["terminateRun"]
        if answer["__typename"] != "TerminateRunSuccess":
            raise _refused(answer)

    def _ask(self, query: str, variables: dict[str, Any]) -> dict[str, Any]:
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = urllib.request.Request(
            f"{self.url}/graphql", body, {"Content-Type": "application/json"}
        )
        try:
            with _open(request, timeout=60.0) as response:
                answer = json.loads(response.read())
        except (OSError, ValueError) as exc:
            raise ExcerptaError(
                ErrorCode.RUN_FAILED,
                f"The Dagster webserver of this library did not answer: {exc}.",
                hint="Stop `excerpta ui` and try again.",
                transient=True,
            ) from exc
        if answer.get("errors"):
            raise _refused({"message": answer["errors"][0].get("message", "")})
        data: dict[str, Any] = answer["data"]
        return data


def _place(home: Home) -> str:
    return str(home.root.resolve())


def _open(request: str | urllib.request.Request, timeout: float) -> Any:
    # The webserver is on this machine; a proxy from the environment must not be asked for it.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    return opener.open(request, timeout=timeout)


def _refused(answer: dict[str, Any]) -> ExcerptaError:
    message = answer.get("message") or answer.get("errors") or answer.get("__typename")
    return ExcerptaError(
        ErrorCode.RUN_FAILED, f"The Dagster webserver refused the request: {message}"
    )
