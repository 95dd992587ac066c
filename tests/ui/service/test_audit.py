"""The Audit tab's service: what is shown, one quick audit at a time, and odd programs in its place."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from env.settings import Settings
from policies.audit_report import RENEW, AuditReport, read_report
from tests.ui.hostile import HOSTILE, hostile_report
from ui import texts as common
from ui.service.audit import FRESH_S, Audits
from ui.state_audit import AuditView
from ui.texts import audit as texts
from ui.views import audit as views
from ui.views.text import esc

TASK = "ticket_classification"
SMALL = read_report().model_copy(update={"scores": (), "climbs": ()})
REPORT = json.dumps({"report": SMALL.model_dump(mode="json")})
STEP = '{"done": 1, "total": 3, "what": "playing"}'


class Clock:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def program(*lines: str, then: str = "") -> tuple[str, ...]:
    """A command that prints lines; it stands in for the audit, whose own command has its tests."""
    said = "".join(f"print({line!r}, flush=True)\n" for line in lines)
    return sys.executable, "-c", f"import sys, time\n{said}{then}"


def over(*lines: str, then: str = "", seconds: float = 30.0, clock: Clock | None = None) -> Audits:
    settings = Settings(audit_seconds=seconds)
    return Audits(settings, command=program(*lines, then=then), clock=clock or Clock())


async def ended(audits: Audits, visitor: str = "me") -> AuditView:
    view = audits.follow(visitor)
    async with asyncio.timeout(60):
        while view.going:
            await asyncio.sleep(0.01)
            view = audits.follow(visitor)
    return view


async def until_it_steps(audits: Audits) -> AuditView:
    async with asyncio.timeout(60):
        while True:
            view = audits.follow("me")
            if view.going and view.going.done:
                return view
            await asyncio.sleep(0.01)


def said(view: AuditView) -> str:
    assert view.notice is not None
    return view.notice.text


def test_the_shipped_audit_is_shown_first() -> None:
    view = over().view("me")
    assert view.report == read_report() and not view.report.quick
    assert view.wanted.source == "shipped" and not view.going and not view.here


@pytest.mark.parametrize("odd", [None, 7, "x" * 5_000, ["PASS"], {"a": 1}, "here", HOSTILE])
def test_what_makes_no_sense_counts_as_not_said(odd: object) -> None:
    audits = over()
    assert audits.view("me", source=odd, task=odd, status=odd) == audits.view("me")
    assert audits.download(source=odd, task=odd) == audits.download()


async def test_the_result_is_everybodys_and_stands_for_a_while() -> None:
    clock = Clock()
    audits = over(STEP, REPORT, clock=clock)
    assert audits.start("me", "").going is not None
    view = await ended(audits, "other")
    assert (said(view), view.wanted.source) == (texts.MEASURED, "here")
    assert view.report is not None and view.here
    assert audits.view("third", source="here").report == view.report
    file = audits.download(source="here")
    assert file is not None and AuditReport.model_validate_json(file[0]) == view.report

    again = audits.start("other", "")
    assert again.going is None and said(again) == texts.FRESH.format(n=11)
    clock.seconds += FRESH_S
    assert audits.start("other", "").going is not None
    await ended(audits)


async def test_one_at_a_time_and_only_ones_own_can_be_cancelled() -> None:
    audits = over(STEP, then="time.sleep(600)")
    audits.start("me", TASK, source="shipped", task="", status="")
    going = (await until_it_steps(audits)).going
    assert going is not None and (going.own, going.done, going.total) == (True, 1, 3)
    assert said(audits.start("me", "")) == texts.OWN_RUNS
    assert said(audits.start("other", "")) == texts.OTHER_RUNS
    other = await audits.cancel("other")
    assert other.going is not None and not other.going.own
    view = await audits.cancel("me")
    assert view.going is None and said(view) == texts.CANCELLED
    assert not view.here and (await audits.cancel("me")).going is None


async def test_who_leaves_ends_theirs() -> None:
    audits = over(STEP, then="time.sleep(600)")
    audits.start("me", "")
    audits.close("other")
    assert (await until_it_steps(audits)).going is not None
    audits.close("me")
    assert said(await ended(audits)) == texts.CANCELLED


async def test_it_may_not_take_too_long() -> None:
    audits = over(STEP, then="time.sleep(600)", seconds=0.5)
    audits.start("me", "")
    assert said(await ended(audits)) == texts.TOO_LONG.format(n=0)


@pytest.mark.parametrize(
    "lines", [(), (STEP,), ("no json",), ("[]",), ('{"report": {}}',), ('{"done": 1}',)]
)
async def test_a_program_that_breaks_is_told_and_changes_nothing(lines: tuple[str, ...]) -> None:
    audits = over(*lines, then="sys.exit(3)")
    audits.start("me", "")
    view = await ended(audits)
    assert (said(view), view.here, view.wanted.source) == (texts.BROKE, "", "shipped")


async def test_bad_requests_begin_nothing() -> None:
    audits = over(REPORT)
    for odd in (None, 3, "nonsense", ["x"], HOSTILE, "--json"):
        assert said(audits.start("me", odd)) == common.BAD_REQUEST
    assert said(audits.start(None, "")) == common.NO_SESSION
    assert said(over(seconds=0).start("me", "")) == texts.NOT_HERE
    assert audits.view("me").going is None


@pytest.mark.parametrize("content", [None, "{", "[]"])
def test_a_shipped_file_that_is_not_there_or_odd(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "audit.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    view = Audits(Settings(), shipped=path).view("me")
    assert view.report is None and view.problem
    shown = views.heading(view) + views.table(view)
    assert texts.BROKEN[0] in shown and esc(RENEW) in shown


def test_every_check_has_words() -> None:
    checks = {r.check for r in read_report().rows}
    assert checks == set(texts.CHECKS) == {c for g in texts.GROUPS.values() for c in g}


def test_figures_are_shown_as_they_were_measured() -> None:
    view = over().view("me")
    assert view.report is not None
    shown = views.table(view)
    for row in view.report.rows:
        assert all(esc(part) in shown for part in (row.check, row.measured, row.worst))
    for task in (c.task for c in view.report.climbs):
        best = max((c for c in view.report.climbs if c.task == task), key=lambda c: c.grade or 0)
        assert esc(best.reply) in shown
    one = views.table(over().view("me", task=TASK, status="PASS"))
    assert "hill-climber" in shown and texts.CLIMBER_NONE in one and ">SKIP<" not in one


def test_other_versions_and_hostile_texts_are_told_as_text() -> None:
    view = over().view("me")
    assert view.report is not None
    odd = hostile_report()
    seen = AuditView(view.wanted, odd, view.present, going=None, limit=1)
    shown = views.heading(seen) + views.table(seen)
    assert "<img" not in shown and "<script" not in shown and "<b>" not in shown
    assert texts.FAILED in shown and esc(HOSTILE) in shown
    now = view.present
    told = texts.OLD.format(data=HOSTILE, grader=HOSTILE, now_data=now[0], now_grader=now[1])
    assert esc(told) in shown
