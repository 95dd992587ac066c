"""Data whose every text attacks the page."""

from __future__ import annotations

from dataclasses import replace

from data import catalog as catalogs
from policies.audit_report import AuditReport, AuditRow, BestReply, read_report
from runs.store import Store
from tests.runs.conftest import played

HOSTILE = (
    "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    "${document.title='owned'}{{constructor.constructor(\"document.title='owned'\")()}}"
    "</textarea></div><b>bold</b>&amp;'\"` [x](javascript:alert(1)) ![i](http://203.0.113.1/i.png)"
)

OWNER = "the-secret-of-a-test-browser-01"
"""Whose the stored runs are."""


def hostile_store() -> Store:
    """Runs of a person and of a model, both with a hostile name; the person's belong to OWNER."""
    store = Store(None)
    for n in range(3):
        run = played("random", "ticket_classification", n, run_id=f"odd-{n}")
        store.save(run.model_copy(update={"kind": "human", "policy": HOSTILE}), owner=OWNER)
    model = {"kind": "model", "policy": "llm", "model": HOSTILE, "prompt_version": HOSTILE}
    store.save(run.model_copy(update={"run_id": "odd-m", **model}))
    return store


def hostile_catalog() -> catalogs.Catalog:
    """The built-in data with every text that a person could have written made hostile."""
    data = catalogs.builtin()
    return replace(
        data,
        tickets={
            i: t.model_copy(update={"subject": HOSTILE, "body": f"{HOSTILE}\n{'x' * 400}"})
            for i, t in data.tickets.items()
        },
        customers={
            i: c.model_copy(update={"name": HOSTILE, "history": (HOSTILE,)})
            for i, c in data.customers.items()
        },
        articles={
            i: a.model_copy(update={"title": HOSTILE, "body": f"## {HOSTILE}\n\n- {HOSTILE}"})
            for i, a in data.articles.items()
        },
    )


def hostile_report() -> AuditReport:
    """The shipped audit with every text made hostile."""
    row = AuditRow(
        check=HOSTILE, task=HOSTILE, status="FAIL", measured=HOSTILE, bound=HOSTILE,
        worst=HOSTILE, reason=HOSTILE,
    )  # fmt: skip
    climb = BestReply(
        task="draft_response", split="test", index=0, item=HOSTILE, edits=1, accepted=1, value=0.1,
        grade=0.1, reply=HOSTILE,
    )  # fmt: skip
    report = read_report()
    return report.model_copy(
        update={
            "rows": (row, *report.rows),
            "climbs": (climb,),
            "tasks": (*report.tasks, HOSTILE),
            "data_version": HOSTILE,
            "grader_version": HOSTILE,
        }
    )
