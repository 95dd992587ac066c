from __future__ import annotations

import csv
import gc
import io
import json
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup

from tests.ui.hostile import HOSTILE
from ui import views as play_views
from ui.service import Service, datasets
from ui.service import play as playing
from ui.service.datasets import Datasets, shown_name
from ui.service.ground import MOST_CARDS
from ui.service.play import Play
from ui.state import PlayView
from ui.state_data import DataView, ImportView
from ui.texts import data as texts
from ui.views.data import card, picker, report

EASY = "easy_classify_respond"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def service(clock: Clock) -> Service:
    return Service.over(clock=clock, ttl=100)


@pytest.fixture
def play(service: Service) -> Play:
    return service.play


@pytest.fixture
def data(service: Service) -> Datasets:
    return service.datasets


def uploaded(folder: Path, text: str | bytes) -> Path:
    """A file where an upload is put."""
    place = folder / "a1b2"
    place.mkdir(exist_ok=True)
    path = place / "upload.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def rows(count: int, header: Iterable[str] = ("id", "message", "category", "answer")) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(header)
    for n in range(count):
        text = f"The export number {n} stops at row {n * 7} and I do not know why."
        answer = (
            f"The export stops at row {n * 7}: split it into files of {n + 20} rows and try again."
        )
        writer.writerow([f"X-{n:04}", text, ("Bug", "Billing")[n % 2], answer])
    return out.getvalue()


def found(view: DataView) -> ImportView:
    assert view.found is not None, view.error
    return view.found


def html(view: DataView) -> BeautifulSoup:
    return BeautifulSoup(picker(view) + report(view) + card(view), "html.parser")


def item(view: PlayView) -> tuple[str, str]:
    assert view.obs is not None
    return view.item_id, view.dataset


async def test_a_file_is_read_and_deleted(data: Datasets, tmp_path: Path) -> None:
    path = uploaded(tmp_path, rows(4) + "X-9,,Bug\n")
    view = await data.bring("a", path, "mine.csv")
    assert not path.parent.exists()
    shown = found(view)
    assert shown.playable and shown.rows == 4 and shown.skipped_count == 1
    assert shown.skipped[0][0] == 6 and shown.mapping["body"] == "message"
    assert [s.ticket_id for s in shown.samples] == ["X-0000", "X-0001", "X-0002"]
    assert dict((name, count) for name, count, _ in shown.tasks)["Classify and respond"] == 4
    text = html(view).get_text()
    assert "mine.csv: 4 tickets can be played" in text and "The export number 2" in text
    assert data.now("b").found is None


async def test_the_template_plays_every_task_that_a_file_can(
    data: Datasets, tmp_path: Path
) -> None:
    link = html(data.now("a")).select_one(".needs a[download]")
    assert link is not None and link["download"] == texts.TEMPLATE_NAME
    shown = found(await data.bring("a", uploaded(tmp_path, texts.TEMPLATE_CSV), "t.csv"))
    assert shown.rows == 3 and not shown.skipped and not shown.warnings
    assert len([count for _, count, _ in shown.tasks if count]) >= 3


async def test_columns_can_be_said(data: Datasets, tmp_path: Path) -> None:
    path = uploaded(tmp_path, rows(3, ("id", "what they wrote", "sort", "answer")))
    view = await data.bring("a", path, "mine.csv")
    assert not found(view).playable and "customer's message" in found(view).error
    assert found(view).mapping["ticket_id"] == "id"
    offered = html(view).select('select[data-field="body"] option')
    assert [o["value"] for o in offered] == ["", "id", "what they wrote", "sort", "answer"]
    said = {"body": "what they wrote", "category": "sort", "ticket_id": "", "reference": "answer"}
    view = await data.map("a", json.dumps(said))
    assert found(view).playable and "ticket_id" not in found(view).mapping
    assert found(view).samples[0].ticket_id != "X-0000"


@pytest.mark.parametrize(
    "sent", [None, 5, "", "[]", "{", '{"nope": "x"}', '{"body": 5}', "[" * 99_999, '{"body": null}']
)
async def test_odd_columns_change_nothing(data: Datasets, tmp_path: Path, sent: Any) -> None:
    await data.bring("a", uploaded(tmp_path, rows(3)), "mine.csv")
    view = await data.map("a", sent)
    assert view.error == texts.BAD_REQUEST and found(view).playable
    assert (await data.map("b", '{"body": "id"}')).error == texts.GONE


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\xff\xfe\x00" * 90,
        b"%PDF-1.7 x",
        b"one line",
        b"a,b\n1,2\n",
        b'"' * 400,
        b"body\n",
    ],
)
async def test_what_is_no_file_of_tickets_says_so(
    data: Datasets, tmp_path: Path, content: bytes
) -> None:
    view = await data.bring("a", uploaded(tmp_path, content), "mine.csv")
    assert not found(view).playable and found(view).error
    assert str(tmp_path) not in found(view).error and "supportops-" not in found(view).error
    assert data.play("a") == texts.GONE


async def test_what_is_too_large_is_not_read(play: Play, tmp_path: Path) -> None:
    data = Datasets(play, most_bytes=2_000)
    path = uploaded(tmp_path, rows(99))
    view = await data.bring("a", path, "mine.csv")
    assert "larger than 0.002 MB" in view.error and view.found is None and not path.exists()


async def test_too_many_tickets(
    data: Datasets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(datasets, "MOST_TICKETS", 10)
    shown = found(await data.bring("a", uploaded(tmp_path, rows(11)), "mine.csv"))
    assert not shown.playable and "11 tickets are more than this page takes (10)" in shown.error


async def test_only_the_visitor_plays_on_the_file(
    service: Service, play: Play, data: Datasets, tmp_path: Path
) -> None:
    before = item(play.begin("a", EASY, "train", 3))
    others = item(play.begin("b", EASY, "train", 3))
    await data.bring("a", uploaded(tmp_path, rows(5)), "mine.csv")
    assert data.play("a") == "" and len(data) == 0
    assert item(play.now("a")) == ("X-0000", "mine.csv") and item(play.now("b")) == others
    assert data.now("a").playing == "mine.csv" and not data.now("b").playing
    assert item(play.pick("a", "X-0003")) == ("X-0003", "mine.csv")
    assert item(play.new("a", EASY, "test", 0))[1] == "mine.csv"
    assert play.begin("a", "priority_sorting", "test", 0).notice is not None
    assert play.begin("a", EASY, "endless", 0).notice is not None
    view = await play.act("a", "classify", text="Bug")
    view = await play.write("a", "Hello, please try the export again. Kind regards")
    assert view.phase == "done" and view.export and view.notice is None
    assert service.store.count() == 0 and play.played("a") is None
    assert 'data-act="compare"' not in play_views.finish(view)
    assert service.api.now("a", None, "").own_data and not service.api.now("b", None, "").own_data
    assert item(play.leave("a")) == before and item(play.leave("a")) == before


async def test_a_reload_goes_on_with_the_file(play: Play, data: Datasets, tmp_path: Path) -> None:
    await data.bring("a", uploaded(tmp_path, rows(5)), "mine.csv")
    data.play("a")
    run_id = play.now("a").run_id
    play.close("a")
    again = await play.resume("a2", run_id)
    assert again is not None and item(again) == ("X-0000", "mine.csv")
    assert item(play.leave("a2"))[1] == ""


async def test_files_are_forgotten(
    service: Service, play: Play, data: Datasets, clock: Clock, tmp_path: Path
) -> None:
    for n in range(9):
        await data.bring(f"v{n}", uploaded(tmp_path, rows(2)), "mine.csv")
    assert len(data) == 6 and data.now("v0").found is None
    service.close("v8")
    assert len(data) == 5
    data.play("v7")
    run = play.visitors.run("v7")
    assert run is not None
    ground = weakref.ref(run.ground)
    del run
    clock.now = 1_000
    assert play.now("v7").phase == "expired"
    gc.collect()
    assert ground() is None


async def test_files_in_play_are_bounded(
    play: Play, data: Datasets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playing, "MOST_HELD", 10)
    play.begin("z", EASY, "train", 0)
    for visitor in "abc":
        await data.bring(visitor, uploaded(tmp_path, rows(5)), "mine.csv")
        data.play(visitor)
    assert play.now("a").phase == "expired"
    assert item(play.now("b"))[1] and item(play.now("c"))[1] and item(play.now("z"))[1] == ""


async def test_a_long_queue_shows_a_part(play: Play, data: Datasets, tmp_path: Path) -> None:
    await data.bring("a", uploaded(tmp_path, rows(400)), "mine.csv")
    data.play("a")
    for ticket in ("X-0000", "X-0200", "X-0399"):
        view = play.pick("a", ticket)
        assert len(view.cards) == MOST_CARDS and ticket in {c.item_id for c in view.cards}
        shown = play_views.queue(view)
        assert f"Shown: {view.cards_from + 1} to {view.cards_from + MOST_CARDS}." in shown
        assert ">400</span>" in shown
    assert view.next_id == "X-0000"


async def test_hostile_names_and_cells_stay_text(
    play: Play, data: Datasets, tmp_path: Path
) -> None:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([HOSTILE, "message", "category", "id", "customer"])
    writer.writerow(["x", f"{HOSTILE} and more", "Bug", HOSTILE, HOSTILE])
    writer.writerow(["=cmd|'/c calc'!A1", "", HOSTILE, "2", "x"])
    view = await data.bring("a", uploaded(tmp_path, out.getvalue()), f"../../{HOSTILE}.csv")
    pages = [html(view), html(await data.map("a", json.dumps({"subject": HOSTILE})))]
    data.play("a")
    now = play.now("a")
    shown = play_views.head(now) + play_views.queue(now) + play_views.thread(now)
    pages += [BeautifulSoup(shown, "html.parser"), html(data.now("a"))]
    for page in pages:
        assert not page.find_all(["img", "script", "b", "iframe"])
        assert not [t for t in page.find_all(True) if any(a.startswith("on") for a in t.attrs)]
        links = [str(a["href"]) for a in page.find_all("a")]
        assert all(a.startswith(("data:text/csv;", "?task=")) for a in links)
    assert "javascript:alert(1)" in pages[0].get_text()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("tickets.csv", "tickets.csv"),
        ("C:\\Users\\me\\Täglich (2).csv", "Täglich (2).csv"),
        ("../../etc/passwd", "passwd"),
        ("a\u202e\n\x00b.csv", "a___b.csv"),
        ("..", texts.UNNAMED),
        (None, texts.UNNAMED),
        (["x"], texts.UNNAMED),
    ],
)
def test_a_name_is_only_shown(name: Any, shown: str) -> None:
    assert shown_name(name) == shown
    assert len(shown_name("x" * 500)) == 60


def test_the_card_counts_the_built_in_data(data: Datasets, play: Play) -> None:
    view = data.now("a", downloads=True)
    text = html(view).get_text()
    assert view.card.version in text and str(view.card.tickets) in text
    counts = [int(td.get_text()) for td in html(view).select(".data-card td.num")]
    assert counts == [count for task in play.tasks for _, count in task.sizes]
    assert html(view).select_one('.data-card a[download="dataset.csv"]') is not None
