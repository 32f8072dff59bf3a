"""What is printed on every page of a text is none of its content."""

from rag_assets.loading.base import LoadRequest
from rag_assets.loading.text import TextLoader, TextParams

BODY = "\n".join(
    f"   Line {chr(97 + n)} of the page says what the gauge has read." for n in range(24)
)


def furniture(text: str) -> list[tuple[str, str]]:
    loaded = TextLoader(TextParams()).load(text.encode(), LoadRequest("name.txt"))
    return [(kind, " ".join(loaded.md[a:b].split())) for a, b, kind in loaded.furniture]


def test_heads_and_feet_of_a_memo_are_furniture() -> None:
    feet = [f"{BODY}\n\nPostel                        [Page {n}]\n" for n in (1, 2, 3, 4)]
    text = "\f\nRFC 9999          Testing          June 2024\n\n".join(feet)
    assert furniture(text) == [
        ("page_number", "Postel [Page 1]"),
        ("header", "RFC 9999 Testing June 2024"),
        ("page_number", "Postel [Page 2]"),
        ("header", "RFC 9999 Testing June 2024"),
        ("page_number", "Postel [Page 3]"),
        ("header", "RFC 9999 Testing June 2024"),
        ("page_number", "Postel [Page 4]"),
    ]


def test_pages_without_form_feeds_and_with_two_parts_of_a_number_are_seen() -> None:
    text = "\n\n".join(f"{BODY}\n\n    Guide of the harbour      {n}" for n in range(7, 11))
    assert len(furniture(text)) == 4
    text = "".join(f"{BODY}\n\f\n  THE GAUGE     PAGE 1-{n}\n\n" for n in range(1, 5))
    assert {kind for kind, _ in furniture(text)} == {"header"}
    assert len(furniture(text)) == 4


def test_numbered_content_is_no_furniture() -> None:
    chapters = "\n\n".join(f"Chapter {n}\n\n{BODY}" for n in range(1, 6))
    assert furniture(chapters) == []
    stanzas = "\n\n".join(f"{n}\n\n" + "Words.\n" * (20 + 9 * n) for n in range(1, 6))
    assert furniture(stanzas) == []
    rows = "\n\n".join(f"Gauge at the pier     {n}" for n in range(1, 9))
    assert furniture(rows) == []
    codes = "".join(f"{BODY}\n\n    load a\n    return 0\n\f\n" for _ in range(5))
    assert furniture(codes) == []
