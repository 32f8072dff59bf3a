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
    assert instance_environment(home)["PYTHONUTF8"] == "1"
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


def test_a_librarys_records_go_along_with_it(tmp_path: Path) -> None:
    # YAML folds and quotes a path such as this one.
    first, moved = Home(tmp_path / ("first é " * 20)), Home(tmp_path / "moved: 'it'")
    path = prepare_instance(first) / "dagster.yaml"
    owned = path.read_text().replace("telemetry:", "# ours\ntelemetry:")
    path.write_text(owned.replace("default_limit: 1", "default_limit: 2"))
    open_instance(first).dispose()
    first.root.rename(moved.root)
    with open_instance(Home(prepare_instance(moved).parent)) as instance:
        assert instance.event_log_storage.get_pool_config().default_pool_limit == 2
    assert not first.root.exists()
    text = (moved.dagster / "dagster.yaml").read_text()
    assert "# ours\n" in text
    assert yaml.safe_load(text)["storage"]["sqlite"]["base_dir"] == str(moved.dagster)
    prepare_instance(moved)
    assert (moved.dagster / "dagster.yaml").read_text() == text


def test_a_configuration_that_is_not_ours_or_no_yaml_is_left(tmp_path: Path) -> None:
    home = Home(tmp_path)
    path = prepare_instance(home) / "dagster.yaml"
    for text in (
        "storage: {sqlite: {base_dir: /records}}\n",
        "# Written by excerpta\nstorage: {sqlite: {base_dir: /records}}\n",
        "# Written by excerpta\nstorage: {postgres: {base_dir: /records}}\n",
        "# Written by excerpta\nstorage: [\n",
        "# Written by excerpta\n",
    ):
        path.write_text(text)
        prepare_instance(home)
        assert path.read_text() == text


def test_the_files_at_the_root() -> None:
    packaged = ROOT / "rag_assets" / "dagster.yaml"
    assert (ROOT / "dagster.yaml").read_text() == packaged.read_text()
    assert yaml.safe_load(packaged.read_text())["telemetry"] == {"enabled": False}
    (origin,) = yaml.safe_load((ROOT / "workspace.yaml").read_text())["load_from"]
    assert origin["python_module"] == {
        "module_name": "rag_assets.definitions",
        "location_name": "excerpta",
    }
