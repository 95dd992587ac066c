"""Results as JUnit XML, which CI systems show: a suite per task, a case per episode."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from policies.bench import Played
from policies.log import SUCCESS


def write_junit(path: Path, name: str, results: Sequence[Played]) -> None:
    """Write the file. A score below 0.5 is a failure, as in [END]; a run without a score an error.

    Raises:
        OSError: it can't be written.
    """
    root = ElementTree.Element("testsuites", name=_clean(f"supportops {name}"))
    tasks = dict.fromkeys(p.assignment.task_id for p in results)
    totals = [0, 0, 0]
    for task in tasks:
        own = [p for p in results if p.assignment.task_id == task]
        errors = sum(p.failed for p in own)
        failures = sum(not p.failed and p.score < SUCCESS for p in own)
        suite = ElementTree.SubElement(
            root, "testsuite", {"name": task, **_counts(own, failures, errors)}
        )
        totals = [a + b for a, b in zip(totals, (len(own), failures, errors), strict=True)]
        for played in own:
            _case(suite, played)
    for key, value in zip(("tests", "failures", "errors"), totals, strict=True):
        root.set(key, str(value))
    ElementTree.indent(root)
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _counts(own: Sequence[Played], failures: int, errors: int) -> dict[str, str]:
    return {"tests": str(len(own)), "failures": str(failures), "errors": str(errors)}


def _case(suite: ElementTree.Element, played: Played) -> None:
    a = played.assignment
    waited = played.spent.latency_s if played.spent else 0.0
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=a.task_id,
        name=f"{a.split} {a.index} seed {a.seed}",
        time=f"{waited:.3f}",
    )
    why = _clean(played.error or "")
    if played.failed:
        ElementTree.SubElement(case, "error", type=played.stop, message=why)
    elif played.score < SUCCESS:
        said = f"score {played.score:.3f} is below {SUCCESS}" + (f"; {why}" if why else "")
        ElementTree.SubElement(case, "failure", type="score", message=said)
    ElementTree.SubElement(case, "system-out").text = f"score={played.score:.3f}"


def _clean(text: str) -> str:
    """XML has no place for control characters, not even escaped."""
    return "".join(c if c in "\t\n" or c.isprintable() else "?" for c in text)
