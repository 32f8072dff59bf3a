"""Attributes behind a heading are no words of its title."""

import pytest

from rag_query.text.heading_attributes import id_of, without_attributes


@pytest.mark.parametrize(
    ("title", "bare", "name"),
    [
        ("Install {#how-to}", "Install", "how-to"),
        ("Install {#how-to .wide}", "Install", "how-to"),
        ("安装{#install}", "安装", "install"),
        ("More {: .no_toc #more-stuff}", "More", "more-stuff"),
        ("More {:#more}", "More", "more"),
        ("Preface {.unnumbered}", "Preface", None),
        ("The set {1, 2}", "The set {1, 2}", None),
        ("{{ page.title }}", "{{ page.title }}", None),
        ("{#all}", "{#all}", "all"),
        ("Plain", "Plain", None),
    ],
)
def test_attributes_are_no_words_of_a_title(title: str, bare: str, name: str | None) -> None:
    assert without_attributes(title) == bare
    assert id_of(title) == name
