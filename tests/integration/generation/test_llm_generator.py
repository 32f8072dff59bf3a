"""``generator.llm`` against a server of both vendors' wire formats that misbehaves on command.

Whatever the model does, no sentence reaches the client that its chunks do not bear out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from rag_query.contracts.answer import Answer, AnswerStatus, Check, MapEntry
from rag_query.generation.answers.llm import whole_sentences
from rag_query.generation.conversation.asker import Asker
from rag_query.generation.conversation.replay import replay
from rag_query.library.home import Home
from rag_query.retrieval.open import open_retriever
from rag_query.strategies.strategy import StageConfig, Strategy
from tests.hashed_words import small_strategy
from tests.integration.generation.conftest import GAUGE
from tests.llm_server import Asked, Fault, Reply, Script, Vendor, serving_llm

QUESTION = "How many hours does the calibration of the tide gauge take?"
TRUE = "The calibration takes 3 hours."
AskIt = Callable[..., Answer]


@pytest.fixture(scope="module")
def served() -> Iterator[Script]:
    with serving_llm() as script:
        yield script


PRICE = {"input": 2, "output": 10}


def strategy(served: Script, vendor: Vendor, **generator: Any) -> Strategy:
    kind = "openai_compatible" if vendor == "openai" else "anthropic"
    llm = {"model": "m", "base_url": served.base_url(vendor), "api_key_env": "THE_KEY"}
    stages = {
        "generate": StageConfig(provider="generator.llm", params={"deadline_s": 5} | generator),
        "llm": StageConfig(provider=f"llm.{kind}", params=llm | {"max_retries": 0, "price": PRICE}),
    }
    base = small_strategy()
    return base.model_copy(update={"stages": base.stages.model_copy(update=stages)})


@pytest.fixture(params=["openai", "anthropic"])
def vendor(request: pytest.FixtureRequest) -> Vendor:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def ask(
    served: Script, vendor: Vendor, recipes: Home, monkeypatch: pytest.MonkeyPatch
) -> Iterator[AskIt]:
    monkeypatch.setenv("THE_KEY", "secret")
    with open_retriever(recipes, sinks=()) as retriever:

        def asked(heard: list[MapEntry] | None = None, **generator: Any) -> Answer:
            asker = Asker(retriever, strategy=strategy(served, vendor, **generator))
            on_released = heard.append if heard is not None else None
            return asker.ask(QUESTION, lock=GAUGE.doc_id, on_released=on_released)

        yield asked


def passages(asked: Asked) -> list[dict[str, str]]:
    content = asked.body["messages"][-1]["content"]
    said = content if isinstance(content, str) else content[0]["text"]
    sent: list[dict[str, str]] = json.loads(said)["passages"]
    return sent


def saying(*sentences: tuple[str, str], chunk: str | None = None, **rest: Any) -> Any:
    """A well-formed answer that cites the passage the true sentence is from."""

    def reply(asked: Asked) -> str:
        source = next(p["id"] for p in passages(asked) if TRUE in p["text"])
        found = [
            {"section": section, "text": text, "chunk_ids": [chunk or source]}
            for section, text in sentences
        ]
        return json.dumps({"insufficient": False, "missing": "", "sentences": found} | rest)

    return reply


def shown(answer: Answer) -> list[str]:
    return [entry.text for entry in answer.generation_map]


def test_a_good_answer_is_shown_with_its_chunks_and_usage(served: Script, ask: AskIt) -> None:
    served.set(saying(("answer", TRUE), ("support", "It was first done in 1954.")))
    heard: list[MapEntry] = []
    answer = ask(heard)
    assert answer.status is AnswerStatus.ANSWERED
    assert shown(answer) == [TRUE, "It was first done in 1954."] == [e.text for e in heard]
    assert answer.generator is not None and answer.generator.provider_id == "generator.llm"
    assert (answer.generator.input_tokens, answer.generator.output_tokens) == (11, 7)
    assert answer.generator.cost == pytest.approx((11 * 2 + 7 * 10) / 1e6)
    assert answer.generator.prompt_profile_id.startswith("answer.v1:")
    assert all(GAUGE.text[s.char_start : s.char_end] == TRUE
               for s in answer.generation_map[0].spans[:1])  # fmt: skip
    (asked,) = served.asked
    assert "never followed" in asked.prompt and asked.body["stream"] is True
    assert {p["id"] for p in passages(asked)} == set(
        answer.evidence_set.chunk_ids if answer.evidence_set else []
    )


@pytest.mark.parametrize(
    ("invented", "check"),
    [
        ("The calibration takes 4 hours.", Check.NUMBERS),
        ("The calibration takes 3 days.", Check.UNITS),
        ("The calibration does not take 3 hours.", Check.NEGATION),
        ("The calibration was done by the Royal Navy.", Check.NAMES),
        ("Engineers compare pressure readings with satellites.", Check.WORDING),
    ],
)
@pytest.mark.parametrize("stream", [True, False])
def test_an_invented_sentence_never_reaches_the_client(
    served: Script, ask: AskIt, invented: str, check: Check, stream: bool
) -> None:
    served.set(saying(("answer", TRUE), ("support", invented)))
    heard: list[MapEntry] = []
    answer = ask(heard, stream=stream)
    assert shown(answer) == [TRUE]
    assert invented not in answer.text and invented not in [e.text for e in heard]
    assert answer.generator is not None
    (cut,) = answer.generator.cut
    assert check in {c.check for c in cut.checks if not c.passed}
    assert any("were cut" in warning for warning in answer.warnings)


def test_a_foreign_chunk_cannot_be_cited(served: Script, ask: AskIt, recipes: Home) -> None:
    served.set(saying(("answer", TRUE), chunk="chk_" + "0" * 24))
    answer = ask()
    assert answer.status is AnswerStatus.INSUFFICIENT and not answer.generation_map
    assert TRUE not in answer.text


def test_a_model_that_declines_is_believed(served: Script, ask: AskIt) -> None:
    served.set('{"insufficient": true, "missing": "the hours", "sentences": []}')
    answer = ask()
    assert answer.status is AnswerStatus.INSUFFICIENT
    assert answer.generator is not None and not answer.generator.generation_failed


@pytest.mark.parametrize("stream", [True, False])
def test_a_model_that_declines_and_talks_on_is_believed(
    served: Script, ask: AskIt, stream: bool
) -> None:
    served.set(saying(("answer", TRUE), insufficient=True))
    heard: list[MapEntry] = []
    answer = ask(heard, stream=stream)
    assert answer.status is AnswerStatus.INSUFFICIENT
    assert not heard and not answer.generation_map
    assert answer.generator is not None and not answer.generator.generation_failed


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply('{"sentences": [{"section": "answer", "te'), "LLM_BAD_OUTPUT"),
        (Reply("The calibration takes 90 hours."), "LLM_BAD_OUTPUT"),
        (Reply('{"sentences": []}'), "LLM_BAD_OUTPUT"),
        (Reply("x", Fault.RATE_LIMITED), "LLM_RATE_LIMITED"),
        (Reply("x", Fault.SERVER_ERROR), "LLM_UNAVAILABLE"),
        (Reply("x", Fault.UNAUTHORIZED), "LLM_MISCONFIGURED"),
        (Reply("x", Fault.HANG_UP), "LLM_UNAVAILABLE"),
        (Reply("x", Fault.REFUSED), "LLM_REFUSED"),
        (Reply('{"sentences": [' + " " * 200, Fault.CUT_STREAM), "LLM_UNAVAILABLE"),
        (Reply("x" * 100, Fault.ERROR_EVENT), "LLM_UNAVAILABLE"),
        (Reply("x", Fault.SILENT), "LLM_TIMEOUT"),
        (Reply("x", Fault.DRIBBLE), "LLM_TIMEOUT"),
    ],
)
def test_every_failure_ends_in_the_evidence_itself(
    served: Script, ask: AskIt, reply: Reply, code: str
) -> None:
    served.set(reply)
    slow = reply.fault in (Fault.SILENT, Fault.DRIBBLE)
    answer = ask(deadline_s=0.5 if slow else 5)
    assert answer.status is AnswerStatus.ANSWERED
    assert TRUE in shown(answer) or "The calibration takes 5 hours." in shown(answer)
    assert all(entry.passed for entry in answer.generation_map)
    assert answer.generator is not None and answer.generator.generation_failed
    assert answer.generator.fallback_mode == "structured_response"
    assert answer.generator.failure_code == code
    assert any(code in warning for warning in answer.warnings)
    assert "90" not in answer.text and "secret" not in answer.model_dump_json()


def test_a_stream_cut_after_a_true_sentence_shows_no_half_one(served: Script, ask: AskIt) -> None:
    def reply(asked: Asked) -> str:
        whole: str = saying(("answer", TRUE), ("support", "The calibration takes 4 hours."))(asked)
        return whole

    served.set(Reply(reply, Fault.CUT_STREAM))
    heard: list[MapEntry] = []
    answer = ask(heard)
    assert answer.generator is not None and answer.generator.generation_failed
    assert all(entry.passed for entry in heard)
    assert "4 hours" not in answer.text


def test_the_evidence_is_cut_to_the_models_budget(served: Script, ask: AskIt) -> None:
    served.set(saying(("answer", TRUE)))
    ask(max_evidence_chars=200)
    assert sum(len(p["text"]) for p in passages(served.asked[0])) <= 400


def test_a_written_answer_replays_without_the_model(
    served: Script, vendor: Vendor, recipes: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THE_KEY", "secret")
    served.set(saying(("answer", TRUE)))
    with open_retriever(recipes, sinks=()) as retriever:
        asker = Asker(retriever, strategy=strategy(served, vendor))
        session = asker.ask(QUESTION, lock=GAUGE.doc_id).session_id
        found = replay(asker, session)
    assert found.equal and len(served.asked) == 1


def test_sentences_are_found_in_the_beginning_of_an_answer() -> None:
    text = '{"insufficient": false, "sentences": [{"section":"answer","text":"a","chunk_ids":["c"]}, {"sec'  # noqa: E501
    assert [s.text for s in whole_sentences(text)] == ["a"]
    assert whole_sentences('{"insuff') == []


def test_a_model_that_obeys_a_document_is_cut(
    served: Script, vendor: Vendor, recipes: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THE_KEY", "secret")

    def obey(asked: Asked) -> str:
        (passage,) = passages(asked)
        said = ("The boiler runs at 90 bar.", "The secret key of the boiler is 1234.")
        found = [{"section": "answer", "text": t, "chunk_ids": [passage["id"]]} for t in said]
        return json.dumps({"insufficient": False, "missing": "", "sentences": found})

    served.set(obey)
    with open_retriever(recipes, sinks=()) as retriever:
        asker = Asker(retriever, strategy=strategy(served, vendor))
        answer = asker.ask("At how many bar does the boiler run?", lock="injected.md")
    assert not answer.generation_map and "90 bar" not in answer.text
    assert answer.generator is not None and len(answer.generator.cut) == 2
