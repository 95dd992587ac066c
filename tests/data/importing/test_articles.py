"""A knowledge base of one's own."""

import json
from pathlib import Path

import pytest

from data.errors import DataError
from data.importing import Options, import_tickets
from data.importing.articles import read


def test_a_folder_of_markdown(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.md").write_text(
        "---\nid: KB-1\ntitle: Limits\ntags: [x]\n---\nTen a day.", encoding="utf-8"
    )
    (tmp_path / "sub" / "opening-hours.md").write_text(
        "# When we are open\n\nNine to five.\n", encoding="utf-8"
    )
    (tmp_path / "plain_text.md").write_text("No heading at all.", encoding="utf-8")
    found = {i: (a.title, a.body) for i, a in read(tmp_path).items()}
    assert found == {
        "KB-1": ("Limits", "Ten a day."),
        "opening-hours": ("When we are open", "Nine to five."),
        "plain_text": ("plain text", "No heading at all."),
    }


@pytest.mark.parametrize("name", ["kb.csv", "kb.json", "kb.jsonl"])
def test_a_table(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    rows = [{"id": "007", "title": "Limits", "body": "<p>Ten a day.</p>"}]
    if name.endswith("csv"):
        path.write_text('ID;Title;Content\n007;Limits;"<p>Ten a day.</p>"\n', encoding="utf-8")
    else:
        path.write_text(
            "\n".join(map(json.dumps, rows)) if "l" in name[-1] else json.dumps(rows),
            encoding="utf-8",
        )
    (article,) = read(path).values()
    assert (article.id, article.title, article.body) == ("007", "Limits", "Ten a day.")


@pytest.mark.parametrize(
    ("files", "where", "what"),
    [
        ({}, "kb", "no articles"),
        ({"a.md": "# Only a title"}, "a.md", "has no text"),
        ({"a.md": "---\nid: A\n---\nx"}, "a.md", "needs id and title"),
        ({"a.md": "# T\nx", "b/a.md": "# T\ny"}, "a.md", "id a is there twice"),
    ],
)
def test_what_is_wrong_with_a_folder(
    tmp_path: Path, files: dict[str, str], where: str, what: str
) -> None:
    folder = tmp_path / "kb"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=what) as caught:
        read(folder)
    assert caught.value.where.endswith(where)


def test_what_is_wrong_with_a_table(tmp_path: Path) -> None:
    path = tmp_path / "kb.csv"
    path.write_text("id,title,body\nA,T,x\nA,T,y\n", encoding="utf-8")
    with pytest.raises(DataError, match="twice") as caught:
        read(path)
    assert caught.value.where.endswith("kb.csv:3")
    path.write_text("id,title\nA,T\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"no column body \(found: id, title\)"):
        read(path)


def test_tickets_are_played_over_it(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(
        "id,body,kb_id\n1,How many a day?,007\n2,And a week?,KB-303\n", encoding="utf-8"
    )
    (tmp_path / "kb.csv").write_text("id,title,body\n007,Limits,Ten a day.\n", encoding="utf-8")
    catalog, report = import_tickets(path, Options(articles=read(tmp_path / "kb.csv")))
    assert list(catalog.articles) == ["007"]
    assert catalog.ids("medium_kb_grounded_response", "test") == ("1",)
    assert report.left_out["medium_kb_grounded_response"].startswith("1 of them")
