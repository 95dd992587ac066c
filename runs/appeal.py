"""An appeal: everything that is needed to argue about one grade, in one JSON file.

It holds what the agent saw and wrote, what the grader said and on what evidence, and under which
versions. On the test split it shows no label, as the report of a test episode shows none.
"""

from __future__ import annotations

from typing import Any

from env.episode import Arena
from env.view import dump_action, observe
from runs.record import Run, identity
from runs.regrade import replay

FORMAT, VERSION = "supportops-appeal", 1


def appeal(run: Run, arena: Arena | None = None) -> dict[str, Any]:
    """The case of one finished run, as plain data; `claim` is for a person to fill in.

    Raises:
        CannotReplay: the run can't be played again here, so its evidence can't be shown.
    """
    again = replay(run, arena)
    episode = again.episode
    seen = observe(episode, run.run_id)
    reply = next(
        (
            s.action.text
            for s in reversed(episode.steps)
            if s.action.action_type in ("respond", "draft_response")
        ),
        None,
    )
    lines = [
        {"step": number, **line.model_dump(mode="json", exclude_none=True)}
        for number, step in enumerate(episode.steps, 1)
        for line in step.lines
    ]
    report = again.report.model_dump(mode="json") if again.report else None
    return {
        "format": FORMAT,
        "version": VERSION,
        "claim": "Say here which line is wrong, and what it should be and why.",
        "run_id": run.run_id,
        "played_by": {"kind": run.kind, "player": run.player, "prompt_version": run.prompt_version},
        "episode": {
            **identity(episode),
            "knobs": episode.knobs.model_dump(mode="json"),
            "formula": episode.family.formula,
        },
        "stored": {
            "grade": run.grade,
            "stop": run.stop,
            "data_version": run.data_version,
            "grader_version": run.grader_version,
        },
        "differs_from_stored": list(again.differences),
        "ticket": seen.ticket.model_dump(mode="json") if seen.ticket else None,
        "tickets": [t.model_dump(mode="json") for t in seen.tickets],
        "customer_history": list(seen.customer_history),
        "articles_shown": list(episode.world.leaned_on),
        "actions": [dump_action(s.action) for s in episode.steps],
        "reply": reply,
        "evidence": lines,
        "report": report,
    }
