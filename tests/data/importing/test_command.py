"""`python -m data.importing`: the report."""

import json
from pathlib import Path

import pytest

from data.importing.__main__ import main
from tests.data.importing.conftest import FIXTURES

TEMPLATES = str(FIXTURES / "templates.csv")


def test_a_report_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    code = main([TEMPLATES, "--map-category", "Technical fault=Bug"])
    out, err = capsys.readouterr()
    assert code == 0 and not err
    for said in (
        "The Lantern Pro does not switch on",
        "csv, utf-8, cells parted by commas",
        "body           Ticket Description",
        "priority       Ticket Priority (no task uses it)",
        "not used: Product Bought, Ticket Status",
        "11 tickets, 0 rows skipped",
        "1 row with a text that was there before",
        "10 answers: 0 can grade a reply, 10 unrelated to the ticket",
        "Technical fault 3 → Bug",
        "ticket_classification        3",
    ):
        assert said in out


def test_nothing_to_play_is_exit_2_and_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([TEMPLATES]) == 2
    out, err = capsys.readouterr()
    assert '--map-category "Refund wish=…"' in out
    assert err.startswith(f"{TEMPLATES}: nothing can be played: 11 tickets, but")


def test_a_report_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(FIXTURES / "outcomes.csv"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["rows"] == 4 and told["tasks"]["hard_escalation_safety"] == 4
    assert told["mapping"]["requires_escalation"] == "status"


def test_every_line_only_if_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("body,category\n" + ",Bug\n" * 30 + "It broke,Bug\n", encoding="utf-8")
    main([str(path)])
    assert "and 20 more (--report lists them)" in capsys.readouterr().out
    main([str(path), "--report"])
    assert capsys.readouterr().out.count("no message text") == 31


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--map", "body"], 'write it as --map "NAME=VALUE"'),
        (["--map", "boddy=x"], "no field 'boddy'; fields: ticket_id, subject, body"),
        (["--map", "body=Colour"], "no column 'Colour'; columns: Ticket ID"),
        (["--map-category", "x=Bugs"], "no category 'Bugs'; categories: Bug"),
        (["--kb", "nowhere"], "nowhere: no such file"),
        (["--max-bytes", "10"], "more than the limit"),
    ],
)
def test_what_it_refuses(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main([TEMPLATES, *arguments]) == 2
    assert said in capsys.readouterr().err


def test_formulas_and_markup_stay_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("id,body,category\n=1+1,=HYPERLINK(0) \x1b[31m,Bug\n", encoding="utf-8")
    main([str(path)])
    assert "\x1b" not in capsys.readouterr().out
