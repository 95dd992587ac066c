"""What a check of the data says, and how a list of results reads as a table or as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

from data.catalog import Catalog

_SHOWN_FAULTS = 12


@dataclass(frozen=True, slots=True)
class Result:
    """One line of the report.

    `measured` is what was found and `wanted` what must hold; `details` are more figures, shown in
    any case; `faults` name each record that breaks it.
    """

    name: str
    passed: bool
    measured: str
    wanted: str
    details: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


Check = Callable[[Catalog], Iterable[Result]]
"""A check looks at a whole catalog and gives one or more results."""


def without(
    faults: Sequence[str], name: str, measured: str, wanted: str, details: Iterable[str] = ()
) -> Result:
    """A result that passes where there are no faults."""
    return Result(name, not faults, measured, wanted, tuple(details), tuple(faults))


def count(faults: Sequence[str]) -> str:
    """How many faults, in words."""
    return f"{len(faults)} fault{'' if len(faults) == 1 else 's'}" if faults else "no fault"


def run(catalog: Catalog, checks: Iterable[Check]) -> Iterator[Result]:
    """Run the checks in order. One that crashes is a failed line, and the others still run."""
    for check in checks:
        try:
            yield from tuple(check(catalog))
        except Exception as crash:
            name = getattr(check, "__name__", "check").replace("_", " ")
            said = " ".join(f"{type(crash).__name__}: {crash}".split())
            yield Result(name, False, "could not run", "runs to its end", faults=(said,))


def table(title: str, results: Sequence[Result]) -> str:
    """The report for people: a line per result, its details and faults indented below."""
    names = max(len(r.name) for r in results)
    figures = max(len(r.measured) for r in results)
    lines = [title]
    for result in results:
        verdict = "PASS" if result.passed else "FAIL"
        lines.append(
            f"{verdict}  {result.name:<{names}}  {result.measured:<{figures}}  {result.wanted}"
        )
        lines += [f"        {detail}" for detail in result.details]
        lines += [f"      ! {fault}" for fault in result.faults[:_SHOWN_FAULTS]]
        if len(result.faults) > _SHOWN_FAULTS:
            lines.append(
                f"      ! and {len(result.faults) - _SHOWN_FAULTS} more (--json lists all)"
            )
    failed = sum(1 for r in results if not r.passed)
    noun = "check" if len(results) == 1 else "checks"
    lines.append(f"{len(results)} {noun}, {failed or 'none'} failed")
    return "\n".join(lines) + "\n"


def as_json(title: str, results: Sequence[Result]) -> str:
    """The report for machines: title, whether all passed, every result with all its faults."""
    report = {
        "data": title,
        "passed": all(r.passed for r in results),
        "checks": [asdict(r) for r in results],
    }
    return json.dumps(report, indent=2, ensure_ascii=False) + "\n"
