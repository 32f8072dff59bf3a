"""The Dagster instance of a library. Importing this module imports no Dagster."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from rag_query.library.files import exclusive, write_atomic
from rag_query.library.home import HOME_VARIABLE, Home

if TYPE_CHECKING:
    from dagster import DagsterInstance

_TEMPLATE = Path(__file__).with_name("dagster.yaml")
#: How a file begins that was written here, by this release or an earlier one.
_MARK = "# Written by excerpta"
_HEADER = f"""\
{_MARK}; change it freely. Only base_dir is written again, and only when the
# library's folder has another place; without these lines it is not.
"""


def prepare_instance(home: Home) -> Path:
    """Make ``<home>/dagster`` a ``DAGSTER_HOME`` and return it.

    A ``dagster.yaml`` that stands there already (perhaps changed by its owner, for example to use
    Postgres) is kept; only where a library that was moved or copied keeps its records is put
    right. Raises OSError.
    """
    path = home.dagster / "dagster.yaml"
    if not path.exists():
        config = yaml.safe_load(_TEMPLATE.read_text(encoding="utf-8"))
        config["storage"]["sqlite"]["base_dir"] = str(home.dagster)
        write_atomic(path, (_HEADER + yaml.safe_dump(config, sort_keys=False)).encode())
        return home.dagster
    before = path.read_bytes()
    after = _moved(before.decode("utf-8", "surrogateescape"), home.dagster)
    if after is not None:
        write_atomic(path, after.encode("utf-8", "surrogateescape"))
    return home.dagster


def _moved(text: str, folder: Path) -> str | None:
    """A configuration with ``base_dir`` of this library, everything else as it stands; None when
    it is so already or is not ours to change.

    Dagster takes no ``base_dir`` that is relative to the file.
    """
    if not text.startswith(_MARK):
        return None
    try:
        node: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return None  # Dagster says what is wrong with it
    for key in ("storage", "sqlite", "base_dir"):
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        node = next((value for name, value in pairs if name.value == key), None)
    if not isinstance(node, yaml.ScalarNode) or node.value == str(folder):
        return None
    if Path(node.value).name != folder.name:
        return None  # no library's own: its owner chose it
    place = json.dumps(str(folder), ensure_ascii=False)
    return text[: node.start_mark.index] + place + text[node.end_mark.index :]


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
        # Names of files are the same whatever the locale of who starts it.
        "PYTHONUTF8": "1",
    }
