"""Reading a data set: errors name file and line, and say in one line what is wrong."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from data.catalog import BUILTIN, builtin, load, read_article
from data.errors import DataError

from .conftest import DataCopy


def put(name: str, text: str | bytes) -> Callable[[DataCopy], None]:
    """Overwrite a file of the copy."""

    def act(copy: DataCopy) -> None:
        content = text.encode("utf-8") if isinstance(text, str) else text
        (copy.folder / name).write_bytes(content)

    return act


def drop(name: str) -> Callable[[DataCopy], None]:
    def act(copy: DataCopy) -> None:
        (copy.folder / name).unlink()

    return act


def append(name: str, line: str) -> Callable[[DataCopy], None]:
    def act(copy: DataCopy) -> None:
        with (copy.folder / name).open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    return act


def twice(name: str) -> Callable[[DataCopy], None]:
    """Write the first line again, as the last one."""

    def act(copy: DataCopy) -> None:
        first = (copy.folder / name).read_text(encoding="utf-8").split("\n", 1)[0]
        append(name, first)(copy)

    return act


def folder_instead(name: str) -> Callable[[DataCopy], None]:
    def act(copy: DataCopy) -> None:
        drop(name)(copy)
        (copy.folder / name).mkdir()

    return act


def no_articles(copy: DataCopy) -> None:
    for path in (copy.folder / "kb").glob("*.md"):
        path.unlink()


def lines(name: str) -> int:
    return len((BUILTIN / name).read_text(encoding="utf-8").rstrip("\n").split("\n"))


CUSTOMER = '{"customer_id": "C-1", "name": "A", "company": "", "tier": "Team", "since": ""'
FIRST_TICKET = next(iter(builtin().tickets))

FAULTS: list[tuple[str, Callable[[DataCopy], None], str, str]] = [
    ("no meta", drop("meta.json"), "meta.json", "no such file"),
    ("no tickets", drop("tickets.jsonl"), "tickets.jsonl", "no such file"),
    ("no labels", drop("labels.jsonl"), "labels.jsonl", "no such file"),
    ("no customers", drop("customers.jsonl"), "customers.jsonl", "no such file"),
    ("no sets", drop("priority_sets.jsonl"), "priority_sets.jsonl", "no such file"),
    ("no priorities", drop("priority_labels.jsonl"), "priority_labels.jsonl", "no such file"),
    ("no concepts", drop("concepts.json"), "concepts.json", "no such file"),
    ("no articles", no_articles, "kb", "no *.md articles"),
    ("a folder", folder_instead("concepts.json"), "concepts.json", "cannot be read (Is a dir"),
    ("not UTF-8", put("tickets.jsonl", b"\xff\xfe{}"), "tickets.jsonl", "not UTF-8"),
    ("meta not JSON", put("meta.json", '{\n"name": x}'), "meta.json:2", "not JSON: Expecting"),
    ("meta a list", put("meta.json", "[]"), "meta.json", "must hold a JSON object"),
    ("meta without version", put("meta.json", '{"name": "x"}'), "meta.json", "needs version"),
    ("meta number", put("meta.json", '{"name": 1, "version": "1"}'), "meta.json", "needs name"),
    ("concepts a text", put("concepts.json", '{"add": "add"}'), "concepts.json", "add must be a"),
    ("concepts numbers", put("concepts.json", '{"add": [1]}'), "concepts.json", "add must be a"),
    (
        "not JSON",
        append("customers.jsonl", "{oops}"),
        f"customers.jsonl:{lines('customers.jsonl') + 1}",
        "Invalid JSON",
    ),
    (
        "field missing",
        put("customers.jsonl", f'{CUSTOMER}}}\n\n{{"customer_id": "C-2"}}\n'),
        "customers.jsonl:3",
        "name: Field required",
    ),
    (
        "field unknown",
        put("customers.jsonl", f'{CUSTOMER}, "age": 3}}\n'),
        "customers.jsonl:1",
        "age: Extra inputs",
    ),
    (
        "field out of range",
        append("tickets.jsonl", '{"ticket_id": "X", "subject": "", "body": "", "customer_id": "C",'
               ' "created_at": "", "sentiment_score": 2, "sla_hours": 1, "channel": "web"}'),
        f"tickets.jsonl:{lines('tickets.jsonl') + 1}",
        "sentiment_score: Input should be less than or equal to 1",
    ),
    (
        "ticket twice",
        twice("tickets.jsonl"),
        f"tickets.jsonl:{lines('tickets.jsonl') + 1}",
        f"ticket_id {FIRST_TICKET} is there twice",
    ),
    (
        "label twice",
        twice("labels.jsonl"),
        f"labels.jsonl:{lines('labels.jsonl') + 1}",
        "is there twice",
    ),
    (
        "label of no ticket",
        append("labels.jsonl", '{"ticket_id": "T-0", "category": "Bug", "category_reason": "",'
               ' "requires_escalation": false}'),
        "labels.jsonl",
        "labels T-0, which is no ticket",
    ),
    (
        "article twice",
        put("kb/KB-102.md", "---\nid: KB-101\ntitle: Again\n---\nText.\n"),
        "KB-102.md",
        "id KB-101 is there twice",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("fault", "where", "what"), [f[1:] for f in FAULTS], ids=[f[0] for f in FAULTS]
)
def test_errors_name_the_place(
    copy: DataCopy, fault: Callable[[DataCopy], None], where: str, what: str
) -> None:
    fault(copy)
    with pytest.raises(DataError) as caught:
        load(copy.folder)
    assert caught.value.where.endswith(where)
    assert what in caught.value.what
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no front matter"),
        ("Just text.\n", "no front matter"),
        ("Before\n---\nid: A\ntitle: B\n---\nText.\n", "no front matter"),
        ("---\nid: A\ntitle: B\n", "no front matter"),
        ("---\ntitle: B\n---\nText.\n", "front matter needs id and title ('id')"),
        ("---\nid: A\n---\nText.\n", "front matter needs id and title ('title')"),
        ("---\n---\nText.\n", "front matter needs id and title"),
        ("---\n- id\n- title\n---\nText.\n", "front matter needs id and title"),
        ("---\nid title\n---\nText.\n", "front matter needs id and title"),
        ("---\nid: [A\ntitle: B\n---\nText.\n", "front matter needs id and title"),
        ("---\nid: 2024-13-45\ntitle: B\n---\nText.\n", "front matter needs id and title"),
        ("---\nid: 7\ntitle: B\n---\nText.\n", "front matter: id: Input should be a valid string"),
        ("---\nid: A\ntitle: B\ntags: one\n---\nText.\n", "front matter: tags: Input should be"),
        ("---\nid: A\ntitle: B\ntags: 3\n---\nText.\n", "front matter: tags: Input should be"),
    ],
)
def test_bad_front_matter(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "A.md"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_article(path)
    assert caught.value.where == str(path)
    assert what in caught.value.what
    assert "\n" not in str(caught.value)


def test_an_article(tmp_path: Path) -> None:
    path = tmp_path / "A.md"
    path.write_bytes(
        b"---\r\nid: A\r\ntitle: 'B: c'\r\ntags: [x, y]\r\n---\r\n\r\nOne.\r\n\r\n---\r\nTwo."
    )
    article = read_article(path)
    assert (article.id, article.title, article.tags) == ("A", "B: c", ("x", "y"))
    assert article.body == "One.\n\n---\nTwo."


@pytest.mark.parametrize("mark", ["\u2028", "\u0085", "\x0b"])
def test_odd_line_ends_inside_a_text_are_no_line_ends(copy: DataCopy, mark: str) -> None:
    body = f"one{mark}two"
    escaped = r"\u000b" if mark == "\x0b" else mark
    row = f'{CUSTOMER}, "history": ["one{escaped}two"]}}\n'
    put("customers.jsonl", row)(copy)
    assert load(copy.folder).customers["C-1"].history == (body,)


def test_the_order_is_by_id_whatever_the_files_say(copy: DataCopy) -> None:
    for name in ("tickets", "labels", "priority_sets"):
        copy.write(name, copy.rows(name)[::-1])
    mine, shipped = load(copy.folder), builtin()
    assert list(mine.tickets) == sorted(mine.tickets) == list(shipped.tickets)
    assert list(mine.articles) == sorted(mine.articles)
    assert mine.items == shipped.items


def test_items() -> None:
    catalog = builtin()
    assert len({task for task, _ in catalog.items}) == 6
    for split in ("train", "test"):
        every = set(catalog.ids("ticket_classification", split))
        assert every == {i for i in catalog.labels if catalog.tickets[i].split == split}
        assert set(catalog.ids("hard_escalation_safety", split)) <= every
        assert set(catalog.ids("draft_response", split)) <= every
        assert set(catalog.ids("priority_sorting", split)) <= set(catalog.sets)
    assert catalog.ids("no_such_task", "test") == ()


def test_it_is_read_once() -> None:
    assert builtin() is builtin()


def test_records_are_frozen() -> None:
    ticket = builtin().tickets[FIRST_TICKET]
    with pytest.raises(ValidationError):
        ticket.body = "other"  # type: ignore[misc]


def test_an_error_carries_its_fields() -> None:
    error = DataError("file:3", "is wrong")
    assert (error.where, error.what, str(error)) == ("file:3", "is wrong", "file:3: is wrong")
