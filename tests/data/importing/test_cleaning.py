"""From what is stored to what was written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.importing.cleaning import clean, from_html, one_line, safe, subject_of

MAIL = "Hi,\n\nthe export stops again."


@pytest.mark.parametrize(
    ("raw", "text", "mark"),
    [
        ("<p>One&nbsp;&amp; two</p><ul><li>a</li><li>b</li></ul>", "One & two\n\n- a\n- b", "HTML"),
        ("a<br>\nb<br/>c <b>d</b>", "a\nb\nc d", "HTML"),
        ("<div>x<script>alert(1)</script><style>p{}</style></div>y", "x\ny", "HTML"),
        ("<p>mine</p><blockquote type=cite>theirs</blockquote>", "mine", "HTML"),
        ('<p>mine</p><div class="gmail_quote">theirs</div>', "mine", "HTML"),
        ("5 &lt; 6 &amp; 7", "5 < 6 & 7", "HTML entities"),
        (r"one\n\nTwo\r\nThree", "one\n\nTwo\nThree", r"literal \n"),
        (f"{MAIL}\n\nOn Mon, 3 Mar 2025 at 10:00, Desk <d@mail.example> wrote:\n> Did it?", MAIL, "quoted mail"),
        (f"{MAIL}\n\n-----Original Message-----\nFrom: D <d@mail.example>\nSent: Monday\nSubject: x\n\nOld", MAIL, "quoted mail"),
        (f"{MAIL}\n\n-- \nA. Person\nNorthlight", MAIL, "signature"),
        (f"{MAIL}\n\nBest regards,\nA. Person\n+1 555 0100", MAIL, "signature"),
        (f"{MAIL}\n\nSent from my phone", MAIL, "signature"),
        ("a\x00b\u202ec\x1b[31m", "abc[31m", "control characters"),
        ("half \ud83d pair", "half \ufffd pair", "control characters"),
        ("CafÃ© au lait", "CafÃ© au lait", "mojibake, left as it is"),
    ],
)  # fmt: skip
def test_what_goes(raw: str, text: str, mark: str) -> None:
    cleaned = clean(raw)
    assert cleaned.text == text
    assert mark in cleaned.marks
    assert clean(cleaned.text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "site is down & nobody can log in, a < b > c",
        "List<String> fails in <Enter> mode, see C:\\new\\test",
        "Thanks for nothing.\nThe app crashes. Regards to the team.",
        "I tried:\n- one\n- two\n--\nand then it was gone, as I said before.",
        "See below\n> is this a quote?\nNo, and I mean the sign.",
        "Thanks",
        "naïve café, 東京, emoji 👩‍👩‍👧",
        "Kind regards,\nI don't know what you mean by that, as I never wrote to you before?",
    ],
)
def test_what_stays(text: str) -> None:
    assert clean(text).text == text and clean(text).marks == ()


def test_mojibake_is_mended_only_if_asked() -> None:
    assert clean("CafÃ©", repair=True).text == "Café"
    assert clean("Café", repair=True).marks == ()


def test_a_forwarded_message_is_the_message() -> None:
    raw = "Begin forwarded message:\n\nFrom: A <a@mail.example>\nSubject: Hi\nDate: Monday\n\nThe real text of it"
    assert clean(raw).text == "The real text of it"


def test_deep_and_broken_markup_is_no_danger() -> None:
    assert from_html("<div>" * 5_000 + "x").strip() == "x"
    assert "x" in from_html("<<p <a href='<b>x</b")


def test_short_fields() -> None:
    assert one_line(" two\nlines <b>bold</b> &amp; more ", 80) == "two lines bold & more"
    assert one_line("a long subject that goes on", 12) == "a long"
    assert subject_of("Hi,\n\nthe export stops at page three") == "the export stops at page three"
    assert subject_of("Help!") == "Help!" and subject_of("") == ""


@given(st.text(st.characters(), max_size=300))
def test_any_text(raw: str) -> None:
    text = clean(raw).text
    assert safe(text) == text
    text.encode("utf-8")
