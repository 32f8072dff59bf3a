"""Answers cannot leave their evidence: whole conversations on a real library."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from rag_query.contracts.answer import Answer, AnswerStatus, LockDecider, LockStatus
from rag_query.contracts.errors import ErrorCode, ExcerptaError
from rag_query.generation.conversation import conversations
from rag_query.generation.conversation.asker import MAX_QUESTION_CHARS, Asker
from rag_query.generation.conversation.conversations import forget_about, release_idle
from rag_query.generation.conversation.replay import replay
from rag_query.library.home import Home
from rag_query.library.manifests import pins
from rag_query.retrieval.open import open_retriever
from rag_query.strategies.strategy import StageConfig
from rag_query.tracing.reader import read_traces
from tests.hashed_words import small_strategy
from tests.integration.generation.conftest import DOCUMENTS, GAUGE, PORK
from tests.library_builder import build_library
from tests.small_documents import SmallDoc


def texts(answer: Answer, section: str) -> list[str]:
    found = [s for s in answer.sections if s.name == section]
    return [answer.generation_map[i].text for s in found for i in s.sentences]


def every_sentence_stands_in_its_parent(answer: Answer, document: SmallDoc) -> None:
    assert answer.lock.parent is not None and answer.evidence_set is not None
    assert answer.lock.parent.parent_id == document.version_id
    for entry in answer.generation_map:
        assert entry.passed and entry.used_chunks
        assert set(entry.used_chunks) <= set(answer.evidence_set.chunk_ids)
        for span in entry.spans:
            assert document.text[span.char_start : span.char_end].strip()


def test_a_dish_with_several_recipes_is_a_choice_then_a_whole_recipe(asker: Asker) -> None:
    first = asker.ask("红烧肉怎么做？")
    assert first.status is AnswerStatus.CHOICE and not first.generation_map
    assert first.lock.status is LockStatus.CANDIDATES
    assert sorted(c.parent.title for c in first.lock.candidates) == [
        "南派红烧肉的做法", "徽派红烧肉的做法", "湖南红烧肉的做法",
    ]  # fmt: skip
    assert all(c.reason and c.reason in first.text for c in first.lock.candidates)
    assert first.lock.explanation["min_margin"] > first.lock.explanation["margin"]

    second = asker.ask("南派的", first.session_id)
    assert second.status is AnswerStatus.ANSWERED and second.question == "红烧肉怎么做？"
    assert second.lock.decided_by is LockDecider.USER
    every_sentence_stands_in_its_parent(second, PORK)
    assert texts(second, "ingredients") == ["五花肉", "冰糖", "五花肉：500g", "冰糖：50g"]
    assert texts(second, "steps") == [
        "五花肉切块，每块 3 cm",
        "冷水下锅，煮 15 分钟去掉血腥",
        "加入 50g 冰糖，小火炒至融化",
        "炖煮 50 分钟，切记不可收干",
    ]
    assert [e.output_section for e in second.generation_map if "step" in e.output_section] == [
        "step_1", "step_2", "step_3", "step_4",
    ]  # fmt: skip
    assert texts(second, "notes") == ["葱是整根，不需要切碎。"]

    third = asker.ask("冰糖放多少？", first.session_id)
    every_sentence_stands_in_its_parent(third, PORK)
    assert "50g" in texts(third, "answer")[0] and "100g" not in third.text
    fourth = asker.ask("需要哪些原料？", first.session_id)
    assert fourth.evidence_set is not None
    assert {c.block_type for c in fourth.evidence_set.chunks} == {"ingredients"}
    assert fourth.evidence_set.rebuilt_because == "kind_changed"
    fifth = asker.ask("第三步怎么做？", first.session_id)
    assert texts(fifth, "steps") == ["加入 50g 冰糖，小火炒至融化"]


@pytest.mark.parametrize("reply", ["2", "第二个", "选2"])
def test_a_choice_by_number(asker: Asker, reply: str) -> None:
    first = asker.ask("红烧肉怎么做？")
    chosen = asker.ask(reply, first.session_id)
    assert chosen.lock.parent == first.lock.candidates[1].parent


@pytest.mark.parametrize("reply", ["2", "第二个", "the second one", "1954", "next", "更多"])
def test_a_choice_without_one_open_is_answered_from_no_document(asker: Asker, reply: str) -> None:
    with pytest.raises(ExcerptaError) as raised:
        asker.ask(reply)
    assert raised.value.code is ErrorCode.LOCK_STATE and "session_id" in raised.value.hint


@pytest.mark.parametrize("asked", ["第二项", "No. 2", "Option 2"])
def test_what_a_locked_document_numbers_is_asked_of_it(asker: Asker, asked: str) -> None:
    first = asker.ask("西红柿要切块吗？")
    assert first.lock.status is LockStatus.LOCKED
    again = asker.ask(asked, first.session_id)
    assert again.lock.parent == first.lock.parent


def test_a_number_that_none_has_leaves_the_choice_open(asker: Asker) -> None:
    first = asker.ask("红烧肉怎么做？")
    with pytest.raises(ExcerptaError, match="none of the 3"):
        asker.ask("9", first.session_id)
    chosen = asker.ask("2", first.session_id)
    assert chosen.lock.parent == first.lock.candidates[1].parent
    with pytest.raises(ExcerptaError, match="no choice is open"):
        asker.ask("3", first.session_id)


def test_a_number_alone_that_was_answered_once_does_not_hide_the_other_turns(own: Home) -> None:
    with open_retriever(own, sinks=()) as retriever:
        asker = Asker(retriever)
        session = asker.ask("西红柿要切块吗？").session_id
        asker.ask("西红柿要切块吗?", session)
        log = own.conversations / f"{session}.jsonl"
        log.write_text(log.read_text("utf-8").replace("西红柿要切块吗?", "7"), "utf-8")
        found = replay(asker, session)
    assert [[d.what for d in turn.differences] for turn in found.turns] == [[], ["status"]]


def test_a_dish_named_in_full_needs_no_choice(asker: Asker) -> None:
    answer = asker.ask("徽派红烧肉怎么做？")
    assert answer.status is AnswerStatus.ANSWERED
    assert answer.lock.parent is not None and answer.lock.parent.title == "徽派红烧肉的做法"
    assert answer.lock.decided_by is LockDecider.EVIDENCE


def test_what_the_parent_does_not_hold_is_said_and_not_made_up(asker: Asker) -> None:
    first = asker.ask("南派红烧肉怎么做？")
    answer = asker.ask("西红柿要切成什么样？", first.session_id)
    assert answer.status is AnswerStatus.INSUFFICIENT and not answer.generation_map
    assert answer.insufficient is not None
    assert any("西红柿" in m.what for m in answer.insufficient.missing)
    assert "操作" in answer.insufficient.parent_holds
    assert {"release", "rephrase", "other_document"} <= set(answer.insufficient.options)
    assert answer.insufficient.other_documents[0].title == "西红柿炒鸡蛋的做法"
    assert "西红柿切块" not in answer.text, "another document's text stays out"
    assert answer.lock.parent is not None and answer.lock.parent.doc_id == PORK.doc_id

    released = asker.release(first.session_id)
    assert released.status is AnswerStatus.RELEASED
    assert released.lock.status is LockStatus.RELEASED
    elsewhere = asker.ask("西红柿炒鸡蛋怎么做？", first.session_id)
    assert elsewhere.lock.parent is not None
    assert elsewhere.lock.parent.title == "西红柿炒鸡蛋的做法"


def test_english_facts_and_a_contradiction_inside_the_document(asker: Asker) -> None:
    answer = asker.ask("How many hours does the calibration of the tide gauge take?")
    assert answer.status is AnswerStatus.ANSWERED and answer.language == "en"
    every_sentence_stands_in_its_parent(answer, GAUGE)
    assert "takes 3 hours" in answer.text or "takes 5 hours" in answer.text
    (found,) = answer.contradictions
    assert {found.first_text, found.second_text} == {
        "The calibration takes 3 hours.", "The calibration takes 5 hours.",
    }  # fmt: skip
    assert "contradicts itself" in answer.text


def test_a_refusal_shows_what_the_document_says_twice_and_differently(asker: Asker) -> None:
    answer = asker.ask("How much does the calibration cost?", lock=GAUGE.doc_id)
    assert answer.status is AnswerStatus.INSUFFICIENT and not answer.generation_map
    (found,) = answer.contradictions
    assert found.about == "3 / 5"
    assert "contradicts itself" in answer.text


def test_what_a_document_says_twice_is_answered_once(tmp_path: Path) -> None:
    said = "The gauge is calibrated every May."
    doc = SmallDoc("twice.md", f"# Gauge\n\n{said} It is red.\n\n## Notes\n\n{said}\n")
    with open_retriever(build_library(tmp_path, [doc]), sinks=()) as retriever:
        answer = Asker(retriever).ask("When is the gauge calibrated?", lock=doc.doc_id)
    assert [entry.text for entry in answer.generation_map].count(said) == 1


def test_a_parent_can_be_named(asker: Asker) -> None:
    by_id = asker.ask("When is it calibrated?", lock=GAUGE.doc_id)
    assert by_id.lock.decided_by is LockDecider.DOCUMENT_ID
    assert "May" in by_id.text
    assert (
        asker.ask("冰糖放多少", lock=PORK.version_id).lock.parent
        == asker.ask("冰糖放多少", lock="南派红烧肉的做法").lock.parent
    )


def test_a_question_in_another_language_than_the_document(recipes: Home) -> None:
    base = small_strategy()

    def asked(question: str, cosine: float | None) -> Answer:
        params = {"across_languages": cosine}
        stage = StageConfig(provider="sufficiency.features", params=params)
        stages = base.stages.model_copy(update={"sufficiency": stage})
        strategy = base.model_copy(update={"stages": stages})
        with open_retriever(recipes, sinks=()) as retriever:
            return Asker(retriever, strategy=strategy).ask(question, lock=GAUGE.doc_id)

    answer = asked("潮位计由谁校准？calibrated every May", 0.2)
    assert answer.language == "zh" and answer.status is AnswerStatus.ANSWERED
    assert "calibrated every May" in texts(answer, "answer")[0]
    for cosine in (0.99, None):
        refused = asked("潮位计多久校准一次？", cosine)
        assert refused.status is AnswerStatus.INSUFFICIENT
        assert refused.text.startswith("《")


def test_instructions_in_a_document_are_text(asker: Asker) -> None:
    answer = asker.ask("At how many bar does the boiler run?", lock="injected.md")
    assert answer.status is AnswerStatus.ANSWERED
    assert texts(answer, "answer") == ["The boiler runs at 4 bar."]
    assert any("treated as text" in w for w in answer.warnings)


def test_a_document_of_images_alone_has_no_text_to_answer_from(asker: Asker) -> None:
    answer = asker.ask("What do the pictures show?", lock="images.md")
    assert answer.status is AnswerStatus.INSUFFICIENT and answer.insufficient is not None
    assert [m.kind for m in answer.insufficient.missing] == ["text"]


@pytest.mark.parametrize("question", ["", "   ", "x" * (MAX_QUESTION_CHARS + 1)])
def test_an_empty_or_huge_question_is_refused(asker: Asker, question: str) -> None:
    with pytest.raises(ExcerptaError) as raised:
        asker.ask(question)
    assert raised.value.code is ErrorCode.INVALID_ARGUMENT


@pytest.mark.parametrize("session", ["ses_" + "0" * 24, "../../etc/passwd", "x"])
def test_an_unknown_conversation(asker: Asker, session: str) -> None:
    with pytest.raises(ExcerptaError) as raised:
        asker.ask("红烧肉", session)
    assert raised.value.code is ErrorCode.SESSION_NOT_FOUND


def test_a_conversation_of_another_library(asker: Asker, recipes: Home, tmp_path: Path) -> None:
    session = asker.ask("徽派红烧肉怎么做？").session_id
    log = recipes.conversations / f"{session}.jsonl"
    other = build_library(tmp_path / "other", [PORK])
    other.conversations.mkdir()
    (other.conversations / log.name).write_bytes(log.read_bytes())
    with open_retriever(other, sinks=()) as retriever, pytest.raises(ExcerptaError) as raised:
        Asker(retriever).ask("红烧肉", session)
    assert raised.value.code is ErrorCode.SESSION_OF_OTHER_LIBRARY


def test_a_cut_last_line_is_a_turn_that_never_was(own: Home) -> None:
    with open_retriever(own, sinks=()) as retriever:
        asker = Asker(retriever)
        session = asker.ask("徽派红烧肉怎么做？").session_id
        log = own.conversations / f"{session}.jsonl"
        whole = log.read_bytes()
        log.write_bytes(whole + whole[len(whole) // 2 : -1])
        answer = asker.ask("冰糖放多少？", session)
        assert answer.turn == 2 and "100g" in answer.text
        assert [t.turn for t in asker.log.read(session).turns] == [1, 2]
        log.write_bytes(b"not json\n")
        with pytest.raises(ExcerptaError) as raised:
            asker.ask("冰糖放多少？", session)
        assert raised.value.code is ErrorCode.SESSION_DAMAGED


def test_a_deleted_chunk_changes_the_answer(own: Home) -> None:
    cut = replace(PORK, text=PORK.text.replace("3. 加入 50g 冰糖，小火炒至融化\n", ""))
    without = replace(PORK, text=PORK.text.split("## 操作")[0])
    with open_retriever(own, sinks=()) as retriever:
        asker = Asker(retriever)
        session = asker.ask("南派红烧肉怎么做？").session_id
        build_library(own.root, [cut, *DOCUMENTS[1:]])
        changed = asker.ask("南派红烧肉怎么做？")
        assert len(texts(changed, "steps")) == 3
        kept = asker.ask("步骤有哪些？", session)
        assert len(texts(kept, "steps")) == 4, "the conversation stays with the version it locked"
        assert any("not its newest" in warning for warning in kept.warnings)
        older = asker.ask("步骤有哪些？", lock=PORK.version_id)
        assert len(texts(older, "steps")) == 4, "an older version can be named"
        silent = asker.ask("可以用无人机送货吗？", older.session_id).insufficient
        assert silent is not None and "other_version" in silent.options
        assert silent.other_versions == [cut.version_id]
        build_library(own.root, [without, *DOCUMENTS[1:]])
        refused = asker.ask("第二步怎么做？", lock="南派红烧肉的做法")
        assert refused.status is AnswerStatus.INSUFFICIENT

        build_library(own.root, DOCUMENTS[1:])
        gone = asker.ask("冰糖放多少？", session)
        assert any("no longer in the library" in warning for warning in gone.warnings)
        with pytest.raises(ExcerptaError) as raised:
            asker.ask("冰糖放多少？", lock=PORK.doc_id)
        assert raised.value.code is ErrorCode.DOCUMENT_NOT_FOUND


def test_a_conversation_is_replayed_on_its_own_snapshot(own: Home) -> None:
    with open_retriever(own, sinks=()) as retriever:
        asker = Asker(retriever)
        session = asker.ask("红烧肉怎么做？").session_id
        for question in ("湖南", "冰糖放多少？", "西红柿要切块吗？"):
            asker.ask(question, session)
        asker.release(session)
        changed = [replace(d, text=d.text.replace("6g", "9g")) for d in DOCUMENTS]
        build_library(own.root, changed)
        asker.ask("湖南红烧肉怎么做？", session)

        found = replay(asker, session)
        assert found.equal, [t.differences for t in found.turns]
        assert [t.recorded.snapshot for t in found.turns] == [1, 1, 1, 1, 1, 2]
        assert any("locked: 湖南红烧肉的做法" in line for line in found.turns[1].explanation)
        assert sorted(pins(own).values()) == [1, 2]

        # A record that was tampered with does not replay.
        log = own.conversations / f"{session}.jsonl"
        log.write_text(log.read_text("utf-8").replace("冰糖：6g", "冰糖：7g"), "utf-8")
        differing = replay(asker, session)
        assert not differing.equal
        assert "text" in {d.what for t in differing.turns for d in t.differences}

        asker.log.forget(session)
        assert not pins(own) and not log.exists()


def test_snapshots_of_idle_conversations_are_let_go(own: Home) -> None:
    with open_retriever(own, sinks=()) as retriever:
        asker = Asker(retriever)
        answer = asker.ask("徽派红烧肉怎么做？")
        assert list(pins(own).values()) == [answer.snapshot]
        month, later = timedelta(days=30), answer.answered_at + timedelta(days=31)
        assert release_idle(own, month, answer.answered_at) == []
        assert release_idle(own, month, later) == [answer.session_id]
        assert not pins(own)
        assert asker.ask("冰糖放多少？", answer.session_id).status is AnswerStatus.ANSWERED


def test_a_document_that_is_to_leave_no_trace_takes_its_conversations_along(own: Home) -> None:
    with open_retriever(own, sinks=()) as retriever:
        asker = Asker(retriever)
        choice = asker.ask("红烧肉怎么做？").session_id
        about = asker.ask("南派红烧肉怎么做？").session_id
        other = asker.ask("Is green tea steamed?").session_id
        forgotten = forget_about(own, lambda parent: parent.doc_id == PORK.doc_id)
        assert sorted(forgotten) == sorted([choice, about])
        assert asker.log.sessions() == [other]
        assert len(pins(own)) == 1


def test_where_nothing_can_be_written_a_question_is_answered_and_the_turn_not_kept(
    own: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with open_retriever(own, sinks=()) as retriever:
        asker = Asker(retriever)
        monkeypatch.setattr(conversations, "pin", full)
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            answer = asker.ask("徽派红烧肉怎么做？")
        assert answer.status is AnswerStatus.ANSWERED
        assert any("not kept" in warning for warning in answer.warnings)
        assert asker.log.sessions() == [] and not pins(own)
        with pytest.raises(ExcerptaError) as caught:
            asker.ask("冰糖放多少？", answer.session_id)
        assert caught.value.code is ErrorCode.SESSION_NOT_FOUND


def test_a_turn_leaves_its_events(own: Home) -> None:
    with open_retriever(own) as retriever:
        answer = Asker(retriever).ask("徽派红烧肉怎么做？")
    (trace,) = [t for t in read_traces(own, "query") if t.trace_id == answer.trace_id]
    events = {e.kind: e.payload for e in trace.events}
    assert answer.evidence_set is not None
    assert events["evidence_built"]["chunk_ids"] == answer.evidence_set.chunk_ids
    assert events["generation_started"]["evidence_size"] == len(answer.evidence_set.chunks)
    done = events["generation_completed"]
    assert done["output_sections"] == ["ingredients", "steps", "notes"]
    assert len(done["evidence_mapping"]) == len(answer.generation_map)
    assert json.loads(trace.model_dump_json())["replay"]["session_id"] == answer.session_id


def test_twenty_conversations_never_leave_their_parent(asker: Asker) -> None:
    asked = [
        "怎么做？",
        "冰糖放多少？",
        "需要哪些原料？",
        "第二步怎么做？",
        "西红柿切块吗？",
        "有什么注意事项？",
    ]
    for number in range(20):
        name = ("南派", "徽派", "湖南")[number % 3]
        first = asker.ask(f"{name}红烧肉{asked[0]}")
        assert first.lock.parent is not None
        for question in asked[1:]:
            answer = asker.ask(question, first.session_id)
            assert answer.lock.parent == first.lock.parent
            for entry in answer.generation_map:
                assert answer.evidence_set and set(entry.used_chunks) <= set(
                    answer.evidence_set.chunk_ids
                )
            for chunk in answer.evidence_set.chunks if answer.evidence_set else []:
                assert chunk.text in next(d.text for d in DOCUMENTS if name in d.name)


def test_a_summary_takes_the_head_of_every_section(asker: Asker) -> None:
    answer = asker.ask("Give me a summary", lock=GAUGE.doc_id)
    every_sentence_stands_in_its_parent(answer, GAUGE)
    assert len(answer.generation_map) == 3


def test_a_document_of_a_thousand_short_chunks(tmp_path: Path) -> None:
    lines = "\n\n".join(f"Sensor {n} stands at mark {n * 7} of the pier." for n in range(1000))
    steps = "\n\n".join(f"{n}. 拧紧第 {n} 号螺丝" for n in range(1, 101))
    documents = (
        SmallDoc("sensors.md", f"# Sensors\n\n{lines}\n"),
        SmallDoc("screws.md", f"# 装配\n\n## 必备原料和工具\n\n- 螺丝\n\n## 操作\n\n{steps}\n"),
    )
    home = build_library(tmp_path / "long", documents)
    with open_retriever(home, sinks=()) as retriever:
        asker = Asker(retriever)
        answer = asker.ask("At which mark of the pier does sensor 321 stand?", lock="sensors.md")
        assert answer.generation_map[0].text == "Sensor 321 stands at mark 2247 of the pier."
        assert answer.evidence_set is not None and len(answer.evidence_set.chunks) == 1
        cut = asker.ask("步骤有哪些？", lock="screws.md")
        assert len(texts(cut, "steps")) == 64
        assert any("left out" in warning for warning in cut.warnings)


def test_documents_in_another_language_that_are_close_are_a_choice(tmp_path: Path) -> None:
    text = "# Pump\n\nThe warranty of the pump is {} months.\n"
    # The vectors of 18 and 24 months are as near to the question, that of 12 is farther.
    pumps = [SmallDoc(f"{months}.md", text.format(months)) for months in (12, 18, 24)]
    with open_retriever(build_library(tmp_path / "pumps", pumps), sinks=()) as retriever:
        across = Asker(retriever).ask("水泵的保修期多长？")
    assert across.status is AnswerStatus.CHOICE and across.lock.parent is None
