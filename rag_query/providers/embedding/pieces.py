"""Token ids of a text, as a model's ``tokenizer.json`` says.

``tokenizers`` keeps the 250,000 pieces of a multilingual vocabulary in a tree of hash maps: 295 MB,
of a process that needs 60 for everything else in front of the graph. SentencePiece keeps the same
Unigram vocabulary in 57 MB, loads it in half the time and cuts a text in a third of it. So a
vocabulary of that kind is written in its form when the model is converted (:func:`write_pieces`);
what is done to a text before, normalizing it, is left to ``tokenizers``, without the vocabulary.
The two differ only where two ways to cut score the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict

from rag_query.contracts.errors import ErrorCode, ExcerptaError

_VOCABULARY, _RULES = "pieces.model", "pieces.json"
_BLANK = "▁"
_METASPACE = {"type": "Metaspace", "replacement": _BLANK, "prepend_scheme": "always", "split": True}
#: Texts that both encoders must cut alike before the vocabulary in pieces is used.
_SAMPLE = (
    "Green tea is steamed at once; black tea is oxidised for 2–4 hours (see §3.2).",
    "query: 绿茶经过蒸青，红茶经过发酵。",
    "  leading,  double  and trailing blanks \n\n\ttabs ",
    "def snake_case(x): return f'{x!r}' # v1.2.3rc1",
    "ﬁne ½ １２３ ｶﾞ é e\u0301 한국어 ไทย 😀 \u200b\ufffd",
    "</s> in <mask> a text <s>",
    "",
)


class TextEncoder(Protocol):
    """Token ids as a model takes them.

    Attributes:
        special: ids that stand for no part of a text.
        cut: texts that were longer than the model takes, since the encoder was opened.
    """

    @property
    def special(self) -> frozenset[int]: ...

    @property
    def cut(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Of each text, special tokens included, cut to the model's length."""
        ...


def open_encoder(tokenizer: Path, converted: Path, max_tokens: int) -> TextEncoder:
    """The encoder of a model.

    Args:
        tokenizer: its ``tokenizer.json``.
        converted: the folder of the conversion, which may hold the vocabulary in pieces.
        max_tokens: of an encoded text.

    Raises:
        ExcerptaError: ``MODEL_UNAVAILABLE`` when a file is damaged.
    """
    try:
        if (converted / _RULES).exists():
            return PieceEncoder(converted, max_tokens)
        return WholeEncoder(tokenizer, max_tokens)
    except Exception as exc:  # tokenizers raises nothing narrower
        raise ExcerptaError(
            ErrorCode.MODEL_UNAVAILABLE,
            f"The tokenizer of {tokenizer.parent.name} could not be loaded ({type(exc).__name__}).",
            hint="Delete the model's folder under models/; it is made again.",
        ) from exc


class WholeEncoder:
    """Any ``tokenizer.json``, by ``tokenizers``."""

    def __init__(self, path: Path, max_tokens: int) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)
        self.cut = 0

    @cached_property
    def special(self) -> frozenset[int]:
        return frozenset(self._tokenizer.encode("").ids)

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        encoded = self._tokenizer.encode_batch_fast(list(texts))
        self.cut += sum(bool(found.overflowing) for found in encoded)
        return [found.ids for found in encoded]


class _Added(BaseModel):
    """A token that is looked for in the text as it is, before anything is done to it."""

    model_config = ConfigDict(frozen=True)

    content: str
    id: int
    lstrip: bool
    rstrip: bool


class _Rules(BaseModel):
    """What surrounds the vocabulary.

    Attributes:
        before: ids in front of every text.
        after: ids behind it.
        normalizer: a ``tokenizer.json`` with the model's normalizer and no vocabulary.
    """

    model_config = ConfigDict(frozen=True)

    added: list[_Added]
    before: list[int]
    after: list[int]
    normalizer: str


class PieceEncoder:
    """A Unigram vocabulary by SentencePiece; see :func:`write_pieces`."""

    def __init__(self, folder: Path, max_tokens: int) -> None:
        from sentencepiece import SentencePieceProcessor
        from tokenizers import Tokenizer

        rules = _Rules.model_validate_json((folder / _RULES).read_bytes())
        self._rules = rules
        self._room = max_tokens - len(rules.before) - len(rules.after)
        self._normalizer = Tokenizer.from_str(rules.normalizer).normalizer
        self._pieces = SentencePieceProcessor()
        self._pieces.Load(str(folder / _VOCABULARY))
        self._ids = {added.content: added.id for added in rules.added}
        self._added = re.compile("|".join(map(_pattern, rules.added)) or r"(?!)")
        self.cut = 0

    @property
    def special(self) -> frozenset[int]:
        return frozenset([*self._rules.before, *self._rules.after])

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> list[int]:
        found: list[int] = []
        end = 0
        for match in self._added.finditer(text):
            found += self._cut(text[end : match.start()])
            found.append(self._ids[match[0].strip()])
            end = match.end()
        found += self._cut(text[end:])
        self.cut += len(found) > self._room
        return [*self._rules.before, *found[: self._room], *self._rules.after]

    def _cut(self, text: str) -> list[int]:
        if self._normalizer is not None:
            text = self._normalizer.normalize_str(text)
        if not text:
            return []
        text = text.replace(" ", _BLANK)
        ids: list[int] = self._pieces.encode(text if text[0] == _BLANK else _BLANK + text)
        return ids


def write_pieces(tokenizer: Path, target: Path) -> bool:
    """Write the vocabulary of a ``tokenizer.json`` for :class:`PieceEncoder`.

    Holds the whole vocabulary in memory twice, so it is called where a model is converted.

    Returns:
        False, and nothing is written, for another kind of vocabulary or of rules around it.
    """
    parsed = json.loads(tokenizer.read_bytes())
    try:
        rules = _rules_of(parsed)
    except (KeyError, TypeError, ValueError):  # another form of the file
        return False
    if rules is None:
        return False
    (target / _VOCABULARY).write_bytes(_vocabulary(parsed["model"], rules))
    (target / _RULES).write_text(rules.model_dump_json(), encoding="utf-8")
    if PieceEncoder(target, 64).encode(_SAMPLE) == WholeEncoder(tokenizer, 64).encode(_SAMPLE):
        return True
    (target / _VOCABULARY).unlink()
    (target / _RULES).unlink()
    return False


def _rules_of(parsed: dict[str, Any]) -> _Rules | None:
    """The rules around the vocabulary; None where :class:`PieceEncoder` does not know them."""
    model, template = parsed["model"], parsed["post_processor"]
    added = parsed["added_tokens"]
    around: list[list[int]] = [[]]
    for part in template["single"]:
        if "SpecialToken" in part:
            around[-1] += template["special_tokens"][part["SpecialToken"]["id"]]["ids"]
        else:
            around.append([])
    before, after = around
    known = (
        model["type"] == "Unigram"
        and not model.get("byte_fallback")
        and parsed["pre_tokenizer"] == _METASPACE
        and template["type"] == "TemplateProcessing"
        and all(a["special"] and not (a["single_word"] or a["normalized"]) for a in added)
    )
    if not known:
        return None
    without = dict.fromkeys(parsed) | {
        "version": parsed["version"],
        "added_tokens": [],
        "normalizer": parsed["normalizer"],
        "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0]]},
    }
    return _Rules(added=added, before=before, after=after, normalizer=json.dumps(without))


def _vocabulary(model: dict[str, Any], rules: _Rules) -> bytes:
    """A model file of SentencePiece that does nothing but cut."""
    from transformers.utils import sentencepiece_model_pb2_new as proto

    made = proto.ModelProto()
    control = {added.content for added in rules.added}
    kinds = proto.ModelProto.SentencePiece.Type
    for number, (text, score) in enumerate(model["vocab"]):
        piece = made.pieces.add()
        piece.piece, piece.score = text, score
        if number == model["unk_id"]:
            piece.type = kinds.Value("UNKNOWN")
        elif text in control:
            piece.type = kinds.Value("CONTROL")
    made.trainer_spec.model_type = proto.TrainerSpec.ModelType.Value("UNIGRAM")
    made.normalizer_spec.name = "identity"
    made.normalizer_spec.add_dummy_prefix = False
    made.normalizer_spec.remove_extra_whitespaces = False
    made.normalizer_spec.escape_whitespaces = False
    data: bytes = made.SerializeToString()
    return data


def _pattern(added: _Added) -> str:
    left, right = (r"\s*" if strip else "" for strip in (added.lstrip, added.rstrip))
    return f"{left}{re.escape(added.content)}{right}"
