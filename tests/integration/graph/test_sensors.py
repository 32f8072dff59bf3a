"""What the sensor of the inbox asks for, and how long it holds the inbox for ingested."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import dagster as dg
import pytest

from rag_assets import sensors
from rag_assets.definitions import defs
from rag_assets.resources import LibraryResource
from rag_assets.sensors import FIRST_WAIT_S, LONGEST_WAIT_S, Cursor, inbox_changed
from rag_query.library.home import Home
from tests.integration.graph.conftest import write


@dataclass
class Inbox:
    """The sensor of a library's inbox, tick by tick."""

    home: Home
    instance: dg.DagsterInstance
    cursor: str | None = None

    def tick(self) -> dict[str, str] | str:
        """The tags of the run asked for, or why none is."""
        library = LibraryResource(home=str(self.home.root))
        with dg.build_sensor_context(
            self.instance, self.cursor, resources={"library": library}
        ) as context:
            answer = inbox_changed(context)
            self.cursor = context.cursor
        if isinstance(answer, dg.RunRequest):
            # With a key Dagster would skip an inbox that is as it was some time ago.
            assert answer.run_key is None
            return dict(answer.tags)
        assert isinstance(answer, dg.SkipReason) and answer.skip_message
        return answer.skip_message

    def asked(self) -> dg.DagsterRun:
        """The run that this tick asks for, as the daemon makes it."""
        tags = self.tick()
        assert isinstance(tags, dict)
        return self.instance.create_run_for_job(
            defs.resolve_job_def("ingest"), status=dg.DagsterRunStatus.STARTED, tags=tags
        )

    def succeed(self, run: dg.DagsterRun) -> None:
        """Dagster's record of a run that has succeeded."""
        event = dg.DagsterEvent(dg.DagsterEventType.RUN_SUCCESS.value, run.job_name)
        self.instance.report_dagster_event(event, run.run_id)


@pytest.fixture
def inbox(home: Home) -> Iterator[Inbox]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield Inbox(home, instance)


class Clock:
    """Of the sensor; that of Dagster's records does not move."""

    ahead_s = 0.0

    def time(self) -> float:
        return time.time() + self.ahead_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(sensors, "time", clock)
    return clock


def test_it_waits_until_the_inbox_is_at_rest(inbox: Inbox) -> None:
    write(inbox.home, "a.md", "# A")
    assert inbox.tick() == "The inbox is changing."
    write(inbox.home, "a.md", "# A, longer")
    assert inbox.tick() == "The inbox is changing."
    run = inbox.asked()
    assert inbox.tick() == "The ingest of the inbox has not ended."
    inbox.succeed(run)
    assert inbox.tick() == inbox.tick() == "The inbox is as it was ingested."


def test_what_a_killed_run_did_not_take_in_is_asked_for_again_ever_more_rarely(
    inbox: Inbox, clock: Clock
) -> None:
    write(inbox.home, "a.md", "# A")
    inbox.tick()
    for number in range(12):
        inbox.instance.report_run_failed(inbox.asked())
        wait = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2**number)
        for clock.ahead_s in (0, wait - 10):
            assert f"has not succeeded ({number + 1} tried)" in str(inbox.tick())
        clock.ahead_s = wait + 1
    inbox.succeed(inbox.asked())
    assert inbox.tick() == "The inbox is as it was ingested."


def test_a_change_is_asked_for_at_once_whatever_failed_before(inbox: Inbox) -> None:
    write(inbox.home, "a.md", "# A")
    inbox.tick()
    inbox.instance.report_run_failed(inbox.asked())
    write(inbox.home, "a.md", "# A, mended")
    assert inbox.tick() == "The inbox is changing."
    inbox.succeed(inbox.asked())
    assert inbox.tick() == "The inbox is as it was ingested."


def test_an_inbox_that_is_as_before_a_run_that_failed_is_not_held_for_ingested(
    inbox: Inbox,
) -> None:
    old = write(inbox.home, "a.md", "# A")
    inbox.tick()
    inbox.succeed(inbox.asked())
    inbox.tick()
    new = write(inbox.home, "b.md", "# B")
    inbox.tick()
    inbox.instance.report_run_failed(inbox.asked())  # it may have come far
    new.unlink()
    assert old.exists() and inbox.tick() == "The inbox is changing."
    inbox.asked()


def test_a_run_that_was_never_made_is_asked_for_again(inbox: Inbox, clock: Clock) -> None:
    write(inbox.home, "a.md", "# A")
    inbox.tick()
    assert isinstance(inbox.tick(), dict)
    assert "has not succeeded" in str(inbox.tick())
    clock.ahead_s = FIRST_WAIT_S + 1
    assert isinstance(inbox.tick(), dict)


def test_the_cursor_of_an_earlier_release_is_read() -> None:
    assert Cursor.of("abc def") == Cursor("abc", "def")
    assert Cursor.of("abc ") == Cursor("abc", "")
    assert Cursor.of(None) == Cursor("", "")
    assert Cursor.of(Cursor("abc", "", "12.5", 3).text()) == Cursor("abc", "", "12.5", 3)
