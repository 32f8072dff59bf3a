"""What replies say around the evidence, in the question's language: Chinese, else English."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag_query.contracts.answer import Candidate, Contradiction, Insufficient, Missing, Parent

_SECTIONS = {
    "ingredients": ("原料", "Ingredients"),
    "steps": ("步骤", "Steps"),
    "notes": ("注意事项", "Notes"),
    "intro": ("简介", "Introduction"),
    "answer": ("回答", "Answer"),
    # What stands beside the answer bears it out only now and then.
    "support": ("上下文", "Nearby"),
    "content": ("内容", "Content"),
}
_BLOCKS = {
    "ingredients": ("原料", "ingredients"),
    "operation": ("步骤", "steps"),
    "tips": ("注意事项", "notes"),
}
_TYPES = {
    "number": ("数量", "a number"),
    "date": ("时间", "a date or time"),
    "person": ("人物", "a person"),
    "place": ("地点", "a place"),
    "reason": ("原因", "a reason"),
    "method": ("方法", "a method"),
    "colour": ("颜色", "a colour"),
    "locator": ("地址或号码", "an address or number"),
    "yes_no": ("是或否的说明", "a statement for or against"),
}
_OPTIONS = {
    "release": (
        "解除对该文档的锁定，在整个文库中查找",
        "release the lock to ask the whole library",
    ),
    "other_version": ("改用该文档的其他版本", "ask another version of the document"),
    "rephrase": ("换一种问法", "put the question another way"),
    "other_document": ("解除锁定后改问下列文档", "release the lock and ask one of these documents"),
}


@dataclass(frozen=True, slots=True)
class Wording:
    """Phrases of one language."""

    chinese: bool

    @classmethod
    def of(cls, language: str) -> Wording:
        return cls(language == "zh")

    @property
    def language(self) -> str:
        return "zh" if self.chinese else "en"

    def section(self, name: str) -> str:
        """Title of an output section."""
        return self._pick(_SECTIONS.get(name, (name, name)))

    def source(self, parent: Parent) -> str:
        """Where all of an answer is from."""
        return self._pick((f"出处：《{parent.title}》", f"Source: {parent.title}"))

    def choice(self, candidates: list[Candidate]) -> str:
        """The question which parent is meant."""
        head = self._pick(
            (
                f"文库中有 {len(candidates)} 份文档可能相关，请选择一份（回复编号或名称）：",
                f"{len(candidates)} documents may fit. Which one is meant? "
                "(answer with its number or name)",
            )
        )
        lines = [head, ""]
        for candidate in candidates:
            reason = f" — {candidate.reason}" if candidate.reason else ""
            lines.append(f"{candidate.number}. **{candidate.parent.title}**{reason}")
        return "\n".join(lines)

    def insufficient(
        self, title: str, why: Insufficient, against: Sequence[Contradiction] = ()
    ) -> str:
        """Why there is no answer: what is missing, what there is, what can be done."""
        head = (f"《{title}》未提及所问的内容。", f"“{title}” does not say this.")
        if not why.missing:
            # All of it is there; that the document does not say it would be more than is known.
            head = (
                f"在《{title}》中没有找到足够的依据。",
                f"Not enough evidence was found in “{title}”.",
            )
        lines = [self._pick(head), ""]
        if why.missing:
            named = self._pick(("、", ", ")).join(self._missing(each) for each in why.missing)
            lines.append(self._pick((f"缺少：{named}", f"Missing: {named}")))
        if why.parent_holds:
            shown = self._pick(("、", ", ")).join(why.parent_holds[:12])
            lines.append(self._pick((f"该文档包含：{shown}", f"It holds: {shown}")))
        lines += [self.contradiction(each) for each in against]
        lines += ["", self._pick(("可以：", "You can:"))]
        lines += [f"- {self._pick(_OPTIONS[option])}" for option in why.options]
        lines += [f"  - {other.title} ({other.doc_id})" for other in why.other_documents]
        return "\n".join(lines)

    def nothing_found(self) -> str:
        return self._pick(
            ("文库中没有找到与问题有关的内容。", "The library holds nothing on this question.")
        )

    def released(self) -> str:
        return self._pick(
            (
                "已解除锁定，下一个问题将在整个文库中查找。",
                "The lock is released; the next question asks the whole library.",
            )
        )

    def contradiction(self, found: Contradiction) -> str:
        return self._pick(
            (
                f"注意：文档内部说法不一：“{found.first_text}” 与 “{found.second_text}”",
                f"Note: the document contradicts itself: “{found.first_text}” and "
                f"“{found.second_text}”",
            )
        )

    def _missing(self, each: Missing) -> str:
        match each.kind:
            case "block_type":
                return self._pick(_BLOCKS.get(each.what, (each.what, each.what)))
            case "answer_type":
                return self._pick(_TYPES.get(each.what, (each.what, each.what)))
            case "text":
                return self._pick(("文字内容", "text"))
            case _:
                return f"“{each.what}”"

    def _pick(self, both: tuple[str, str]) -> str:
        return both[0] if self.chinese else both[1]
