"""A page as a small tree of elements, from the standard library's parser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_IGNORED = _names("script style template noscript svg canvas iframe object select textarea title")
_BLOCKS = _names(
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 head header hr html li main menu nav ol p pre section "
    "summary table tbody td tfoot th thead tr ul"
)
HEADINGS = _names("h1 h2 h3 h4 h5 h6")
VOID = _names("area base br col embed hr img input link meta source track wbr")
#: Elements a new one of the same kind ends, as browsers do, up to the element that holds them.
_ENDS = {
    "li": ({"li"}, {"ul", "ol", "menu"}),
    "tr": ({"tr", "td", "th"}, {"table"}),
    **dict.fromkeys(
        ["thead", "tbody", "tfoot"], ({"thead", "tbody", "tfoot", "tr", "td", "th"}, {"table"})
    ),
    "td": ({"td", "th"}, {"tr", "table"}),
    "th": ({"td", "th"}, {"tr", "table"}),
    "dt": ({"dt", "dd"}, {"dl"}),
    "dd": ({"dt", "dd"}, {"dl"}),
    **dict.fromkeys(["rb", "rt", "rp"], ({"rb", "rt", "rp"}, {"ruby"})),
}
_BLANKS = re.compile(r"[ \t\n\f\r]+")
#: Elements whose button is what they say, as that of an accordion's heading is.
_SAID_BY_BUTTONS = HEADINGS | {"summary", "dt"}
#: Never hidden for good: a script shows them.
_ALWAYS_SHOWN = _names("html body main")
_HIDING = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b", re.IGNORECASE)
#: So many times the rest is nearly all of a page.
_FAR_MORE = 4
#: What waits to be asked for, however long it is.
_DIALOGUE = re.compile(r"(?:^|[-_ ])(?:modal|dialog|popup|cookies?|consent)", re.IGNORECASE)
#: Icons drawn by the letters of a font, such as ``<i class="material-icons">home</i>``.
_ICON = re.compile(r"(?:^|[\s-])(?:icons?|symbols)", re.IGNORECASE)
#: What MathJax draws before the script that has the formula.
_DRAWN = ("MathJax", "mjx")
#: Of the numbers of code's lines in Pygments, Rouge, Chroma, CSDN and their like.
_LINE_NUMBERS = _names(
    "linenos lineno linenodiv lnt ln gutter rouge-gutter line-numbers line-number pre-numbering"
)
#: Of links of a place to itself.
PERMALINKS = _names("headerlink anchor anchor-link permalink header-anchor hash-link")
#: Of code and of what holds the title in Doxygen.
_OF_DOXYGEN = _names("fragment headertitle")
#: Tags with the classes and ids of what generators write for the mouse alone.
_NEVER_READ = frozenset(
    [
        ("div", "ttc"),  # Doxygen: what stands beside a name
        *(("summary", "hideme"), ("a", "srclink")),  # rustdoc: "Expand description", "source"
        *(("a", "toggle-all-docs"), ("button", "copy-path")),
        *(("span", "notable-traits"), ("div", "notable-traits")),
        *(("span", "mw-editsection"), ("a", "mw-jump-link")),  # MediaWiki: "[edit]"
    ]
)
_SEPARATOR = re.compile(r"\s*·\s*\Z")
#: Deeper markup is read as if it stood at this depth.
_MAX_DEPTH = 150


@dataclass(slots=True)
class Element:
    """``children`` are elements and text; what is not ``shown`` is no content."""

    tag: str
    given: dict[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)
    shown: bool = True

    @property
    def classes(self) -> list[str]:
        return self.given.get("class", "").split()

    @property
    def role(self) -> str:
        return self.given.get("role", "").strip().lower()

    @property
    def target(self) -> str:
        """Where it leads as a link; empty when it is none."""
        return self.given.get("href", "").strip() if self.tag == "a" else ""


@dataclass(frozen=True, slots=True)
class Place:
    """An element and those it stands in, the outermost first."""

    element: Element
    above: tuple[Element, ...]


class Tree(HTMLParser):
    """``root`` is there when all of a page was fed; damaged markup is read as far as it goes.

    ``mains`` are the elements that say they hold the page's content, ``first_headings`` its ``h1``,
    ``doxygen`` what by its class may be code or a title that Doxygen wrote, ``roles`` what has a
    role.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("html")
        self.title: Element | None = None
        self.metadata: dict[str, str] = {}
        self.mains: list[Place] = []
        self.first_headings: list[Place] = []
        self.doxygen: list[Element] = []
        self.roles: list[Element] = []
        self._open = [self.root]
        #: Numbers of lines, if digits are all they hold, and links to themselves, if no words are.
        self._numbers: list[Element] = []
        self._permalinks: list[Element] = []
        #: Hidden by their style, the outermost first.
        self._hidden: list[Element] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: _with_newlines(value or "") for name, value in attrs}
        if tag == "meta" and given.get("name") and given.get("content"):
            self._note(given["name"].lower(), given["content"].strip())
        if tag == "html":
            if given.get("lang"):
                self.metadata["lang"] = given["lang"]
            return
        if tag in _BLOCKS:
            self._end_paragraph()
            self._end_formula()
        if tag in _ENDS:
            self._end_until(*_ENDS[tag])
        element = Element(tag, given, shown=self._is_shown(tag, given))
        if given:
            self._mark(element)
        if tag == "h1":
            self.first_headings.append(Place(element, tuple(self._open)))
        elif (tag == "main" or given.get("role") == "main") and element.shown:
            self.mains.append(Place(element, tuple(self._open)))
        if tag == "title" and self.title is None and not self._in_drawing():
            self.title = element
        self._open[-1].children.append(element)
        if tag not in VOID and len(self._open) < _MAX_DEPTH:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        for at in range(len(self._open) - 1, 0, -1):
            if self._open[at].tag == tag:
                del self._open[at:]
                return
            if self._open[at].tag == "main":
                # One end tag too many; what follows would be none of the page's content.
                return

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(_with_newlines(data))

    def close(self) -> None:
        super().close()
        for element in self._numbers:
            words = "".join(texts(element)).split()
            element.shown = not words or not all(map(str.isdecimal, words))
        for element in self._permalinks:
            element.shown = any(map(str.isalnum, "".join(texts(element))))
        if self._hidden:
            self._show_text()

    def _show_text(self) -> None:
        """Show what is hidden and has more words, without those of links, than all that is shown: a
        script shows it when the page is loaded. Of what leaves no room (``display: none``), as
        answers that fold do, it is nearly all that the page has."""
        shown = _letters(self.root)
        held = [_letters(element, links=False) for element in self._hidden]
        said = shown + sum(held)
        for element, letters in zip(self._hidden, held, strict=True):
            leaves_room = "visibility" in element.given["style"].lower()
            if letters > (shown if leaves_room else _FAR_MORE * (said - letters)):
                element.shown = True

    def _note(self, name: str, value: str) -> None:
        """What a ``<meta>`` says. A page may say its keywords one by one."""
        before = self.metadata.get(name)
        self.metadata[name] = f"{before}, {value}" if before and name == "keywords" else value

    def _is_shown(self, tag: str, given: dict[str, str]) -> bool:
        if tag in _IGNORED:
            return tag == "script" and _is_tex(given)
        named = given.get("class", "")
        if any((tag, name) in _NEVER_READ for name in [*named.split(), given.get("id", "")]):
            return False
        if tag == "button" and not ("aria-controls" in given or given.get("role") == "tab"):
            return any(element.tag in _SAID_BY_BUTTONS for element in self._open)
        if not given or tag in _ALWAYS_SHOWN:
            return True
        if "hidden" in given:
            return False
        if "style" in given and _HIDING.search(given["style"]):
            # MediaWiki hides the formula that is read aloud and shows its picture.
            return "math" in named
        return not (given.get("aria-hidden") == "true" and _ICON.search(named))

    def _mark(self, element: Element) -> None:
        """Note what can only be judged when all of it is read."""
        given = element.given
        if "role" in given:
            self.roles.append(element)
        if element.tag in _BLOCKS and not element.shown and _HIDING.search(given.get("style", "")):
            named = f"{given.get('class', '')} {given.get('id', '')} {element.role}"
            if not _DIALOGUE.search(named):
                self._hidden.append(element)
        if element.tag == "script" and element.shown:
            self._drop_drawn()
        elif element.tag == "a" and not element.shown:
            self._drop_separator()
        elif "class" in given and element.shown:
            names = element.classes
            if not _LINE_NUMBERS.isdisjoint(names) and not self._is_code(element):
                self._numbers.append(element)
            elif element.target.startswith("#") and not PERMALINKS.isdisjoint(names):
                self._permalinks.append(element)
            elif element.tag == "div" and not _OF_DOXYGEN.isdisjoint(names):
                self.doxygen.append(element)

    def _is_code(self, element: Element) -> bool:
        """Of which Prism says that numbers shall be drawn at its lines."""
        return element.tag in ("pre", "code") and "line-numbers" in element.classes

    def _drop_drawn(self) -> None:
        """Leave out what was drawn of a formula that comes now."""
        beside = self._open[-1].children
        at = len(beside)
        while at:
            at -= 1
            child = beside[at]
            if isinstance(child, str):
                if child.strip():
                    return
            elif any(name.startswith(_DRAWN) for name in child.classes):
                del beside[at:]
            else:
                return

    def _drop_separator(self) -> None:
        """Leave out what parts a link that is not shown from the text before it."""
        beside = self._open[-1].children
        if beside and isinstance(before := beside[-1], str):
            beside[-1] = _SEPARATOR.sub("", before)

    def _in_drawing(self) -> bool:
        """Whose title is not the page's."""
        return any(element.tag == "svg" for element in self._open)

    def _end_paragraph(self) -> None:
        if self._open[-1].tag == "p":
            self._open.pop()

    def _end_formula(self) -> None:
        """No block stands in a formula; one that was not closed ends here."""
        for at, element in enumerate(self._open):
            if element.tag == "math":
                del self._open[at:]
                return

    def _end_until(self, ended: set[str], holders: set[str]) -> None:
        at = len(self._open)
        while at > 1 and self._open[at - 1].tag not in holders:
            at -= 1
        for number in range(at, len(self._open)):
            if self._open[number].tag in ended:
                del self._open[number:]
                return


def _with_newlines(text: str) -> str:
    """``text`` with carriage returns, which a page has as entities, as ends of lines, as the facts
    will have them."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _is_tex(given: dict[str, str]) -> bool:
    """Whether a script is a formula, as MathJax 2 finds them."""
    return given.get("type", "").startswith("math/tex")


def texts(element: Element) -> Iterator[str]:
    """All text in an element, also what is not shown."""
    for child in element.children:
        if isinstance(child, str):
            yield child
        else:
            yield from texts(child)


def _letters(element: Element, *, links: bool = True) -> int:
    """How much text is shown in an element, whether it is shown itself or not."""
    letters = 0
    for child in element.children:
        if isinstance(child, str):
            letters += sum(map(len, child.split()))
        elif child.shown and (links or child.tag != "a"):
            letters += _letters(child, links=links)
    return letters


def elements(element: Element) -> Iterator[Element]:
    """All elements in one, also those that are not shown, in order."""
    for child in element.children:
        if isinstance(child, Element):
            yield child
            yield from elements(child)


def flat(text: str) -> str:
    """``text`` on one line; a no-break space is no blank."""
    return one_blank(text).strip()


def one_blank(text: str) -> str:
    return _BLANKS.sub(" ", text)


def holds_blocks(element: Element) -> bool:
    """Whether an element is a block or has one within."""
    if element.tag in _BLOCKS:
        return True
    return any(isinstance(child, Element) and holds_blocks(child) for child in element.children)


def content(children: list[Element | str]) -> Iterator[Element | str]:
    """Shown elements and text at any depth, in order."""
    for child in children:
        if isinstance(child, str):
            yield child
        elif child.shown:
            yield child
            yield from content(child.children)


def move_links_into_blocks(element: Element, target: str = "") -> str:
    """A link around blocks becomes one of the first text in them: Markdown has no others.

    Args:
        target: of a link around ``element`` that found no text before it.

    Returns:
        ``target``, empty when it found text.
    """
    own = element.target or target
    children: list[Element | str] = []
    run: list[Element | str] = []
    for child in [*element.children, None]:
        if isinstance(child, str) or (child is not None and not holds_blocks(child)):
            run.append(child)
            continue
        if own and _can_be_linked(run):
            run, own = [Element("a", {"href": own}, run)], ""
        children += run
        run = []
        if child is not None:
            children.append(child)
            # Code holds no link.
            if child.shown and child.tag != "pre":
                own = move_links_into_blocks(child, own)
    element.children = children
    return target if element.target else own


def _can_be_linked(run: list[Element | str]) -> bool:
    says = False
    for node in content(run):
        if isinstance(node, Element) and node.target:
            return False
        says |= bool(node.strip()) if isinstance(node, str) else node.tag == "img"
    return says
