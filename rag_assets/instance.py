"""The Dagster instance of a library. Importing this module imports no Dagster."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from rag_query.library.files import exclusive, write_atomic
from rag_query.library.home import HOME_VARIABLE, Home

if TYPE_CHECKING:
    from dagster import DagsterInstance

_TEMPLATE = Path(__file__).with_name("dagster.yaml")


def prepare_instance(home: Home) -> Path:
    """Make ``<home>/dagster`` a ``DAGSTER_HOME`` and return it.

    A ``dagster.yaml`` that stands there already (perhaps changed by its owner, for example to use
    Postgres) is kept. Raises OSError.
    """
    path = home.dagster / "dagster.yaml"
    if not path.exists():
        config = yaml.safe_load(_TEMPLATE.read_text(encoding="utf-8"))
        config["storage"]["sqlite"]["base_dir"] = str(home.dagster)
        text = "# Written by excerpta; change it freely, it is not written again.\n"
        write_atomic(path, (text + yaml.safe_dump(config, sort_keys=False)).encode())
    return home.dagster


def open_instance(home: Home) -> DagsterInstance:
    """The library's instance, to be closed by the caller; imports Dagster.

    Its databases are made by one process at a time: Dagster's migrations fail when two processes
    meet in them, so whoever starts several calls this before.
    """
    from dagster import DagsterInstance

    with exclusive(home.locks / "dagster.lock", what="the Dagster instance"):
        return DagsterInstance.from_config(str(home.dagster))


def instance_environment(home: Home) -> dict[str, str]:
    """The environment of a process that works on this library's instance."""
    return {
        **os.environ,
        HOME_VARIABLE: str(home.root),
        "DAGSTER_HOME": str(home.dagster),
        "DAGSTER_DISABLE_TELEMETRY": "1",
    }
