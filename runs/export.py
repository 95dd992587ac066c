"""Runs as files: JSONL (whole, to be imported again), SFT and GRPO rows for training, CSV.

SFT and GRPO lines have the same fields with the same types in every line, none of them null, so
that `datasets.load_dataset("json", data_files=...)` takes files of any length. Whole runs leave out
what is empty: a model's have fields that a policy's have not.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from env.episode import Arena
from runs import chat
from runs.record import Run
from runs.regrade import rebuild

CSV_COLUMNS = (
    "run_id", "kind", "player", "policy", "model", "prompt_version", "task_id", "split", "seed",
    "index", "item_id", "data_version", "grader_version", "grade", "partial", "stop", "steps",
    "invalid_answers", "tokens_in", "tokens_out", "cost_usd", "latency_s", "error", "started_at",
)  # fmt: skip


def jsonl_line(run: Run) -> str:
    """A run whole, without its report, which replaying makes again (and which may show labels)."""
    whole = run.model_dump(mode="json", exclude={"report"})
    # A run that failed says that it has no grade; other empty fields are left out.
    filled = {n: value for n, value in whole.items() if value is not None or n == "grade"}
    return json.dumps(filled, ensure_ascii=False, separators=(",", ":"))


def sft_row(run: Run, arena: Arena | None = None) -> dict[str, Any]:
    """A run as a conversation: a message pair per step, after the system message.

    Raises:
        CannotReplay: its observations can't be made again here.
    """
    return {
        "messages": chat.conversation(rebuild(run, arena)),
        "prompt_version": chat.PROMPT.version,
        "run_id": run.run_id,
        "task_id": run.task_id,
        "split": run.split,
        "grade": run.grade,
    }


def grpo_row(run: Run, arena: Arena | None = None) -> dict[str, Any]:
    """An episode's prompt, the arguments that reset it, and what this run earned.

    Raises:
        CannotReplay: its observations can't be made again here.
    """
    episode = rebuild(run, arena)
    return {
        "prompt": chat.prompt(episode),
        "prompt_version": chat.PROMPT.version,
        "reset": {
            "task_id": run.task_id,
            "split": run.split,
            "seed": run.seed,
            "index": episode.index,
            **({"knobs": run.knobs.changed} if run.knobs.changed else {}),
        },
        "reward": run.grade,
        "run_id": run.run_id,
    }


TRAINING: dict[str, Callable[[Run, Arena | None], dict[str, Any]]] = {
    "sft": sft_row,
    "grpo": grpo_row,
}


def training_line(form: str, run: Run, arena: Arena | None = None) -> str:
    """One line of an SFT or GRPO file."""
    return json.dumps(TRAINING[form](run, arena), ensure_ascii=False)


def csv_lines(runs: Iterable[Run]) -> Iterator[str]:
    """A CSV file with one run a row; the head comes first."""
    yield _csv_line(CSV_COLUMNS)
    for run in runs:
        usage = run.usage
        fields: dict[str, Any] = {
            **{name: getattr(run, name, None) for name in CSV_COLUMNS},
            "steps": len(run.actions),
            "invalid_answers": len(run.refusals),
            "tokens_in": usage and usage.tokens_in,
            "tokens_out": usage and usage.tokens_out,
            "cost_usd": usage and usage.cost_usd,
            "latency_s": usage and usage.latency_s,
        }
        yield _csv_line([fields[name] for name in CSV_COLUMNS])


def csv_cell(value: Any) -> Any:
    """A value that no spreadsheet takes for a formula."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return "'" + value
    return value


def _csv_line(values: Iterable[Any]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow([csv_cell(v) for v in values])
    return out.getvalue()
