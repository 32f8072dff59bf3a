"""The Dagster instance of a library, and the files at the root of the repository."""

from __future__ import annotations

from pathlib import Path

import yaml
from dagster._core.run_coordinator import DefaultRunCoordinator

from rag_assets.instance import instance_environment, open_instance, prepare_instance
from rag_query.library.home import Home

ROOT = Path(__file__).parents[3]


def test_a_librarys_instance(tmp_path: Path) -> None:
    home = Home(tmp_path / "library")
    folder = prepare_instance(home)
    assert folder.is_absolute()
    assert instance_environment(home)["DAGSTER_HOME"] == str(folder)
    with open_instance(home) as instance:
        assert not instance.telemetry_enabled
        assert instance.run_monitoring_enabled
        assert isinstance(instance.run_coordinator, DefaultRunCoordinator)
        assert instance.event_log_storage.get_pool_config().default_pool_limit == 1
    assert (home.dagster / "history" / "runs.db").exists()


def test_its_owner_may_change_it(tmp_path: Path) -> None:
    home = Home(tmp_path)
    path = prepare_instance(home) / "dagster.yaml"
    path.write_text("telemetry: {enabled: false}\n")
    prepare_instance(home)
    assert path.read_text() == "telemetry: {enabled: false}\n"


def test_the_files_at_the_root() -> None:
    packaged = ROOT / "rag_assets" / "dagster.yaml"
    assert (ROOT / "dagster.yaml").read_text() == packaged.read_text()
    assert yaml.safe_load(packaged.read_text())["telemetry"] == {"enabled": False}
    (origin,) = yaml.safe_load((ROOT / "workspace.yaml").read_text())["load_from"]
    assert origin["python_module"] == {
        "module_name": "rag_assets.definitions",
        "location_name": "excerpta",
    }
