"""Runs as files: whole for an import, as conversations for training, as CSV, as an appeal."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import Any

import pytest

from data.catalog import builtin
from env import episode as engine
from env.tasks import family
from env.view import observe
from policies.base import action
from policies.parsing import parse
from policies.prompt import describe, load
from runs.appeal import appeal
from runs.export import CSV_COLUMNS, csv_lines, grpo_row, jsonl_line, sft_row
from runs.files import read_runs
from runs.record import Run, Usage, record
from supportops_env.models import SupportAction
from tests.runs.conftest import made_up, played


def test_a_line_is_a_run(sample: tuple[Run, ...], tmp_path) -> None:  # type: ignore[no-untyped-def]
    runs = [*sample, made_up("failed", None, stop="timeout", error="slow")]
    path = tmp_path / "runs.jsonl"
    path.write_text("".join(jsonl_line(r) + "\n" for r in runs), encoding="utf-8")
    assert read_runs(path) == tuple(r.model_copy(update={"report": None}) for r in runs)
    assert "reference_reply" not in path.read_text(encoding="utf-8")


def test_a_conversation_has_a_message_pair_per_step(sample: tuple[Run, ...]) -> None:
    for run in sample:
        row = sft_row(run)
        roles = [m["role"] for m in row["messages"]]
        assert roles == ["system", *["user", "assistant"] * len(run.actions)]
        answers = [m["content"] for m in row["messages"] if m["role"] == "assistant"]
        for answer, stored in zip(answers, run.actions, strict=True):
            (again,) = parse(answer, family(run.task_id).actions).actions
            wanted = SupportAction.model_validate(stored)
            assert (again.action_type, again.text) == (wanted.action_type, wanted.text)
            assert json.loads(answer)["action_type"] == wanted.action_type
        first = row["messages"][1]["content"]
        for ticket_id in _tickets(run):
            assert builtin().tickets[ticket_id].body in first


def test_a_model_is_trained_on_the_prompt_that_it_is_measured_with(sample: tuple[Run, ...]) -> None:
    for run in sample:
        seen = observe(engine.start(run.task_id, run.split, run.seed, run.index), "")
        asked = [m["content"] for m in grpo_row(run)["prompt"]]
        assert asked == [load("agent").text, describe(seen)]
        assert sft_row(run)["prompt_version"] == load("agent").version


def _tickets(run: Run) -> tuple[str, ...]:
    catalog = builtin()
    return catalog.sets[run.item_id].ticket_ids if run.item_id in catalog.sets else (run.item_id,)


def test_a_conversation_shows_what_was_found_and_opened() -> None:
    episode = engine.start("draft_response", "train", 1, 0)
    episode = engine.step(episode, action("search_kb", query="plans and prices"))
    article = episode.arena.catalog.articles[episode.world.hits[0].id]
    episode = engine.step(episode, action("search_kb", query=article.id))
    episode = engine.step(episode, action("mark_resolved", reason="done"))
    messages = sft_row(record(episode, "x", "human", "Ada"))["messages"]
    assert f"{article.id}: {article.title} - " in messages[3]["content"]
    assert article.body not in messages[3]["content"]
    assert article.body in messages[5]["content"]


@pytest.mark.parametrize("split", engine.SPLITS)
@pytest.mark.parametrize("task", ["hard_escalation_safety", "medium_kb_grounded_response"])
def test_no_label_is_in_a_training_row(split: str, task: str) -> None:
    run = played("keyword", task, 1, split)
    labels = builtin().labels[run.item_id]
    hidden = {labels.reference_reply, labels.category_reason, labels.escalation_reason} - {""}
    for row in (sft_row(run), grpo_row(run)):
        text = json.dumps(row, ensure_ascii=False)
        assert not any(json.dumps(h, ensure_ascii=False)[1:-1] in text for h in hidden if h)
        assert not set(_keys(row)) & {
            "expected", "reference_reply", "requires_escalation", "report", "reward_breakdown",
        }  # fmt: skip


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner)


def test_a_grpo_row_resets_to_its_episode(sample: tuple[Run, ...]) -> None:
    for run in sample:
        row = grpo_row(run)
        assert [m["role"] for m in row["prompt"]] == ["system", "user"]
        reset = row["reset"]
        episode = engine.start(reset["task_id"], reset["split"], reset["seed"], reset["index"])
        assert episode.item_id == run.item_id and row["reward"] == run.grade
        assert row["prompt"] == sft_row(run)["messages"][:2]


def test_rows_of_one_form_have_the_same_fields_and_types(sample: tuple[Run, ...]) -> None:
    model = sample[0].model_copy(update={"kind": "model", "model": "m", "prompt_version": "x-1.0"})
    for make in (sft_row, grpo_row):
        shapes = {_shape(json.loads(json.dumps(make(run)))) for run in (*sample, model)}
        assert len(shapes) == 1 and "NoneType" not in shapes.pop()


def _shape(value: Any) -> str:
    """A value's type as a column has it: a list has that of its items, which have to agree."""
    if isinstance(value, dict):
        return str({key: _shape(inner) for key, inner in value.items()})
    if isinstance(value, list):
        (only,) = {_shape(inner) for inner in value}
        return f"[{only}]"
    return type(value).__name__


def test_csv_is_read_back_and_holds_no_formula() -> None:
    usage = Usage(tokens_in=10, tokens_out=2, cost_usd=0.5)
    runs = [
        made_up("1", 0.25, usage=usage),
        made_up("2", None, stop="timeout", policy='=HYPERLINK("x")', error="a\nb, c"),
    ]
    head, *rows = csv.reader("\n".join(csv_lines(runs)).splitlines(keepends=True))
    assert tuple(head) == CSV_COLUMNS
    first, second = (dict(zip(head, row, strict=True)) for row in rows)
    assert (first["grade"], first["tokens_in"], first["steps"]) == ("0.25", "10", "1")
    assert (second["grade"], second["cost_usd"], second["error"]) == ("", "", "a\nb, c")
    assert second["policy"] == second["player"] == '\'=HYPERLINK("x")'


@pytest.mark.parametrize("split", engine.SPLITS)
def test_an_appeal_holds_the_case(split: str) -> None:
    run = played("keyword", "draft_response", 0, split)
    case = json.loads(json.dumps(appeal(run)))
    assert case["ticket"]["ticket_id"] == run.item_id == case["episode"]["item_id"]
    assert case["episode"]["data_version"] and case["episode"]["grader_version"]
    assert case["actions"] == list(run.actions) and case["claim"]
    written = [a for a in run.actions if a["action_type"] == "draft_response"]
    assert case["reply"] == written[-1]["payload"]["response_text"]
    assert case["report"]["grade"] == pytest.approx(case["stored"]["grade"], abs=1e-5)
    paid = sum(line["points"] for line in case["evidence"])
    assert paid == pytest.approx(case["report"]["grade"], abs=1e-9)
    assert case["differs_from_stored"] == []
    shown = json.dumps(case)
    reference = builtin().labels[run.item_id].reference_reply
    assert (json.dumps(reference) in shown) == (split == "train")


def test_an_appeal_over_a_set_has_its_tickets() -> None:
    case = appeal(played("keyword", "priority_sorting"))
    assert case["ticket"] is None and len(case["tickets"]) == 5 and case["reply"] is None
