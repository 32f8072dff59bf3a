"""One library, opened when it is first needed and shared by every call of a process.

Opening costs a second or two (search libraries, the index, the embedding model), so a server
lets :meth:`LibraryService.start_warming` do it in the background.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mcp_app.options import ServerOptions
from rag_query.cancellation import checkpoint
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.library.home import Home

if TYPE_CHECKING:
    from rag_query.contracts.pack import EvidencePack
    from rag_query.contracts.plan import RetrievalPlan
    from rag_query.generation.conversation.asker import Asker
    from rag_query.library.snapshot import Snapshot
    from rag_query.retrieval.pipeline import Retriever
    from rag_query.tracing.sinks import BackgroundSink

log = logging.getLogger(__name__)

PATIENCE_VARIABLE = "EXCERPTA_EMBEDDER_WAIT_S"
DEFAULT_PATIENCE_S = 2.0
_POLL_S = 0.01
#: Share of a call's time that it waits for the embedder; the rest is for the answer.
_WAITING_SHARE = 0.8
#: Seconds the warm-up waits for a search by words before it goes on.
_COURTESY_S = 0.5
#: Seconds after which a thread gives way. With Python's own 0.005 a call would wait long for its
#: turn beside two importing threads.
_SWITCH_S = 0.0005
NOTHING_THERE = (ErrorCode.LIBRARY_NOT_FOUND, ErrorCode.NOT_PUBLISHED)


class LibraryService:
    """A library for a server. Safe to use from several threads.

    Args:
        home: of the library; it need not exist yet.
        patience_s: how long a semantic query waits for an embedder that is still loading before
            it is answered by what words alone find; ``EXCERPTA_EMBEDDER_WAIT_S`` by default.
        options: of the server, for its tools.
    """

    def __init__(
        self,
        home: Home,
        *,
        patience_s: float | None = None,
        options: ServerOptions | None = None,
    ) -> None:
        self.home = home
        self.options = options or ServerOptions()
        self._patience = _patience() if patience_s is None else patience_s
        self._longest_wait = _WAITING_SHARE * self.options.deadline_s
        self._lock = threading.Lock()
        self._retriever: Retriever | None = None
        self._sink: BackgroundSink | None = None
        self._asker: Asker | None = None
        self._warming: threading.Thread | None = None
        self._warm = False
        self._words = threading.Condition()
        self._searching = 0

    def start_warming(self) -> None:
        """Begin to open everything in the background; returns at once.

        While there is nothing to open yet, the next call tries again.
        """
        with self._lock:
            if self._warm or (self._warming is not None and self._warming.is_alive()):
                return
            self._warming = threading.Thread(target=self._open_all, name="warm-up", daemon=True)
            self._warming.start()

    def answer(self, plan: RetrievalPlan, *, by_words: bool = True) -> EvidencePack:
        """Run a plan. Raises what :meth:`Retriever.run` raises.

        While the embedder loads, what words alone find is an answer, and its warnings say so;
        that they find nothing is none, and the embedder is waited for as long as a call may take.

        Args:
            by_words: false waits so in any case, for an answer that shows no warnings.
        """
        if all(query.mode == "exact" for query in plan.queries):
            with self._words_alone():
                return self._open().run(plan)
        retriever = self._open()
        if not self._wait_for_embedder(retriever, self._patience) and not (
            by_words and _words_find(retriever, plan)
        ):
            self._wait_for_embedder(retriever, self._longest_wait)
        return retriever.run(plan, wait_for_embedder=False)

    def asker(self, *, looks: bool = True) -> Asker:
        """Who answers.

        The embedder is waited for as long as a call may take: an answer is kept with its
        conversation, and its replay must find the same. After that, words alone are looked by.

        Args:
            looks: false when nothing is looked for, and nothing has to be waited for.
        """
        retriever = self._open()
        if looks:
            self._wait_for_embedder(retriever, self._longest_wait)
        with self._lock:
            if self._asker is None:
                from rag_query.generation.conversation.asker import Asker

                self._asker = Asker(retriever, wait_for_embedder=False)
            return self._asker

    def snapshot(self) -> Snapshot:
        """The published snapshot. Raises what :meth:`Library.open` and ``snapshot`` raise."""
        return self._open().library.snapshot()

    def close(self, timeout_s: float) -> None:
        """Hand over the traces that wait; takes no longer than ``timeout_s``."""
        with self._lock:
            sink, self._sink, self._retriever, self._asker = self._sink, None, None, None
        if sink is not None:
            sink.close(timeout_s)

    def _open(self) -> Retriever:
        with self._lock:
            if self._retriever is None:
                from rag_query.retrieval.open import open_retriever
                from rag_query.tracing.outlets import background_sink

                sink = background_sink(self.home)
                self._retriever = open_retriever(self.home, sinks=(sink,))
                self._sink = sink
            return self._retriever

    def _wait_for_embedder(self, retriever: Retriever, most_s: float) -> bool:
        """Wait at most so many seconds; whether the embedder then no longer loads."""
        deadline = time.monotonic() + most_s
        try:
            if not retriever.embedder_ready():
                retriever.warm()
            while (loading := retriever.embedder_loading()) and time.monotonic() < deadline:
                checkpoint()
                time.sleep(_POLL_S)
            return not loading
        except ExcerptaError as exc:
            if exc.code is ErrorCode.CANCELED:
                raise
            # The query says so itself, and answers by words where it can.
            log.info("no embedder: %s", exc)
            return True

    @contextmanager
    def _words_alone(self) -> Iterator[None]:
        """While a search by words runs, the warm-up begins nothing that would hold it up."""
        with self._words:
            self._searching += 1
        try:
            yield
        finally:
            with self._words:
                self._searching -= 1
                self._words.notify_all()

    def _let_words_pass(self) -> None:
        with self._words:
            self._words.wait_for(lambda: not self._searching, timeout=_COURTESY_S)

    def _open_all(self) -> None:
        with _undisturbed():
            self._open_parts()

    def _open_parts(self) -> None:
        try:
            retriever = self._open()
            snapshot = retriever.library.snapshot()
        except ExcerptaError as exc:
            if exc.code not in NOTHING_THERE:
                log.warning("warm-up: %s", exc)
            return
        self._warm = True
        from rag_query.library.lance import connect

        parts: dict[str, Callable[[], Any]] = {
            # The dictionary and the BM25 index first: they are quick, and answer alone meanwhile.
            "search by words": lambda: retriever.run(_WARMING_PLAN),
            # Loading its tokenizer lets no other thread run for half a second.
            "embedder": retriever.warm,
            # A snapshot opens one part at a time; lancedb's import must not hold the others up.
            "vector database": lambda: connect(self.home.lance),
            "vector index": lambda: snapshot.vectors,
        }
        for name, warm in parts.items():
            self._let_words_pass()
            try:
                warm()
            except Exception as exc:
                # The call that needs the part reports it; the others must not miss theirs.
                log.warning("warm-up of the %s: %s", name, exc)


def _words_find(retriever: Retriever, plan: RetrievalPlan) -> bool:
    """Whether the plan finds something while the embedder loads. Leaves no trace."""
    untraced = plan.debug.model_copy(update={"trace": False})
    look = plan.model_copy(update={"debug": untraced})
    return bool(retriever.run(look, wait_for_embedder=False).evidences)


def _patience() -> float:
    named = os.environ.get(PATIENCE_VARIABLE)
    try:
        return float(named) if named else DEFAULT_PATIENCE_S
    except ValueError:
        log.warning("%s is not a number of seconds: %r", PATIENCE_VARIABLE, named)
        return DEFAULT_PATIENCE_S


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Import quickly, and let calls in between.

    The garbage collector finds nothing among classes but takes a fifth of the time of importing
    them; what was made stays out of later collections.
    """
    interval = sys.getswitchinterval()
    gc.disable()
    sys.setswitchinterval(_SWITCH_S)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
        gc.freeze()
        gc.enable()


#: Leaves no trace.
_WARMING_PLAN: dict[str, Any] = {
    "version": "0.1",
    "queries": [{"text": "excerpta 文档", "mode": "exact"}],
    "budget": {"top_k": 1},
    "debug": {"trace": False},
}
