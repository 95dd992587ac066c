"""Which runs visitors see, and which not: the store's, the shipped ones, what they opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from env import episode as engine
from env.errors import UnknownName
from policies.base import play
from policies.scripted import POLICIES
from runs.baselines import shipped
from runs.export import jsonl_line
from runs.record import record
from runs.rows import Filter
from runs.shared import RunFileError
from runs.store import Store
from tests.runs.conftest import made_up, played
from ui.service.known import Place, Wanted, place_of, read_place
from ui.service.people import People
from ui.service.runs import MAX_PAGE, Runs

CLASSIFY, SORT = "ticket_classification", "priority_sorting"
OWNER, OTHER = "o" * 32, "p" * 32
JUNK: list[Any] = [None, 5, True, [], {}, "", "x" * 300, "nope", "<b>", "../x"]


@pytest.fixture
def store() -> Store:
    return Store(None)


@pytest.fixture
def runs(store: Store) -> Runs:
    people = People()
    people.meet("a", OWNER, "")
    people.meet("b", OTHER, "")
    return Runs(store, people)


def ids(runs: Runs, visitor: str = "a", **wanted: Any) -> list[str]:
    found, _ = runs.find(visitor, Wanted(**wanted), limit=MAX_PAGE)
    return [k.run.run_id for k in found]


def test_the_shipped_runs_are_there_but_those_that_are_the_answers(runs: Runs) -> None:
    found, total = runs.find("a", Wanted(task=CLASSIFY), limit=MAX_PAGE)
    own = [r for r in shipped() if r.task_id == CLASSIFY]
    assert total == len([r for r in own if r.policy != "oracle"]) < len(own)
    assert {k.source for k in found} == {"baseline"} and not any(k.mine for k in found)
    for run in own:
        known = runs.get("a", run.run_id)
        assert (known is None) == (run.policy == "oracle")


def test_the_oracle_on_test_stays_hidden_wherever_it_is(runs: Runs, store: Store) -> None:
    store.save(played("oracle", CLASSIFY, 0, "test", "secret"))
    store.save(played("oracle", CLASSIFY, 0, "train", "open"))
    assert runs.get("a", "secret") is None and runs.get("a", "open") is not None
    assert not {"secret"} & {*ids(runs, task=CLASSIFY)} and "open" in ids(runs, split="train")
    assert all(not r.reveals_labels for r in runs.every("a", Wanted(split="test")))
    assert runs.get("a", f"oracle-{CLASSIFY}-test-7-0") is None
    train = runs.get("a", f"oracle-{CLASSIFY}-train-7-0")
    assert train is not None and train.run.grade == 1.0 and train.source == "here"


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, ["c", "b", "a"]),
        ({"task": SORT}, ["b"]),
        ({"split": "train"}, ["c", "a"]),
        ({"player": "Ada"}, ["a"]),
        ({"kind": "human"}, ["c", "a"]),
        ({"failed_only": True}, ["c", "b"]),
        ({"kind": "human", "failed_only": True}, ["c"]),
        ({"place": Place(CLASSIFY, "train", "T-1")}, ["c", "a"]),
        ({"place": Place(CLASSIFY, "train", "T-1", "own.csv")}, []),
        ({"task": "nope"}, []),
    ],
)
def test_filters(runs: Runs, store: Store, wanted: dict[str, Any], expected: list[str]) -> None:
    human: dict[str, Any] = {"kind": "human", "split": "train", "item_id": "T-1"}
    store.save(made_up("a", 0.5, policy="Ada", **human))
    store.save(made_up("b", None, task_id=SORT, kind="model", model="m", stop="model_error"))
    store.save(made_up("c", 0.49, policy="Bo", **human))
    store.begin("d", identity_of("T-1"), kind="human", policy="Ada")  # not finished: not listed
    found = [i for i in ids(runs, **wanted) if len(i) == 1]
    assert found == expected
    assert sum(runs.places("a", Wanted(**wanted)).values()) == runs.find("a", Wanted(**wanted))[1]


def identity_of(item: str) -> Any:
    run = made_up(item_id=item, split="train")
    names = ("task_id", "split", "seed", "index", "item_id", "data_version", "grader_version")
    return {n: getattr(run, n) for n in names}


def test_pages_do_not_overlap_and_are_bounded(runs: Runs, store: Store, tmp_path: Path) -> None:
    for n in range(5):
        store.save(made_up(f"s{n}", task_id=SORT, split="train"))
    file = tmp_path / "runs.jsonl"
    file.write_text(jsonl_line(played("keyword", SORT, 0, "train")) + "\n", encoding="utf-8")
    runs.open_file("a", file)
    place = place_of(played("keyword", SORT, 0, "train"))
    runs.play_baselines("a", place, 42)
    wanted = Wanted(task=SORT, split="train")
    _, total = runs.find("a", wanted)
    several = [runs.find("a", wanted, limit=3, offset=o)[0] for o in range(0, total + 3, 3)]
    paged = [k for page in several for k in page]
    assert total == len(paged) == len({k.run.run_id for k in paged}) == 1 + 5 + 4
    assert [k.source for k in paged] == ["file"] + ["store"] * 5 + ["here"] * 4
    assert len(runs.find("a", Wanted(), limit=10**9)[0]) == MAX_PAGE
    assert runs.find("a", Wanted(), limit=-1, offset=-5)[0] == ()
    assert runs.find("a", Wanted(), offset=10**9)[0] == ()


@pytest.mark.parametrize("junk", JUNK)
def test_odd_ids_find_and_delete_nothing(runs: Runs, junk: Any) -> None:
    assert runs.get("a", junk) is None and not runs.delete("a", junk)
    assert read_place(junk) is None


def test_only_its_owner_deletes_a_run(runs: Runs, store: Store) -> None:
    store.save(made_up("mine", kind="human"), owner=OWNER)
    store.save(made_up("nobody's", kind="policy"))
    known = {v: runs.get(v, "mine") for v in ("a", "b", "c", None)}
    assert {v: k and k.mine for v, k in known.items()} == {
        "a": True,
        "b": False,
        "c": False,
        None: False,
    }
    for visitor in ("b", "c", None):
        assert not runs.delete(visitor, "mine") and not runs.delete(visitor, "nobody's")
    assert not runs.delete("a", "nobody's") and not runs.delete("a", shipped()[0].run_id)
    assert runs.delete("a", "mine") and not runs.delete("a", "mine")
    assert store.count() == 1


def test_what_others_played_on_their_own_data_is_theirs(runs: Runs, store: Store) -> None:
    own: dict[str, Any] = {"kind": "human", "data_version": "1.0.0+mine.csv", "task_id": SORT}
    store.save(made_up("own", **own), owner=OWNER)
    assert "own" in ids(runs, "a", task=SORT) and "own" not in ids(runs, "b", task=SORT)
    place = Place(SORT, "test", "T-1002", "mine.csv")
    assert place in runs.places("a", Wanted()) and place not in runs.places("b", Wanted())


def test_a_file_is_seen_by_who_opened_it_alone_and_not_stored(
    runs: Runs, store: Store, tmp_path: Path
) -> None:
    file = tmp_path / "runs.jsonl"
    true = played("keyword", SORT, 0, "train")
    file.write_text(jsonl_line(true.model_copy(update={"grade": 0.99})) + "\n", encoding="utf-8")
    (known,) = runs.open_file("a", file)
    assert known.source == "file" and (known.run.grade, known.then) == (true.grade, 0.99)
    assert runs.get("a", known.run.run_id) == known and runs.get("b", known.run.run_id) is None
    assert store.count() == 0
    assert runs.delete("a", known.run.run_id) and runs.get("a", known.run.run_id) is None
    file.write_text(jsonl_line(true) + "\nx\n", encoding="utf-8")
    with pytest.raises(RunFileError, match="Line 2"):
        runs.open_file("a", file)
    assert runs.find("a", Wanted(task=SORT, split="train"))[1] == 0


def test_what_a_visitor_opened_is_bounded_and_ends_with_the_visit(
    runs: Runs, tmp_path: Path
) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text((jsonl_line(played("keyword", SORT, 0, "train")) + "\n") * 120, "utf-8")
    for _ in range(3):
        runs.open_file("a", file)
    wanted = Wanted(task=SORT, split="train")
    assert runs.find("a", wanted)[1] == 200
    runs.close("a")
    assert runs.find("a", wanted)[1] == 0


@pytest.mark.parametrize("split", ["train", "test"])
@pytest.mark.parametrize("task", [SORT, "draft_response"])
def test_baselines_play_what_was_asked(runs: Runs, task: str, split: str) -> None:
    start = engine.start(task, split, 5, 1)
    place = Place(task, split, start.item_id)
    made = runs.play_baselines("a", place, 5)
    names = {"keyword", "retrieval", "random"} | ({"oracle"} if split == "train" else set())
    assert {k.run.policy for k in made} == names
    for known in made:
        assert place_of(known.run) == place
        if known.source == "here":
            finished = play(POLICIES[known.run.policy](start), start)
            again = record(finished, known.run.run_id, "policy", known.run.policy)
            assert known.run == again
            # The same address leads everybody to the same run.
            other = runs.get("b", known.run.run_id)
            assert other is not None and other.run == again
    assert runs.play_baselines("a", place, 5) == made
    # What stands there already is not played again, where the seed makes no difference.
    here = {k.run.policy for k in made if k.source == "here"}
    assert here == (names if split == "train" or task == SORT else {"random"})


def test_baselines_need_the_data(runs: Runs) -> None:
    for place in (Place(SORT, "train", "S-1", "gone.csv"), Place(SORT, "train", "nope")):
        with pytest.raises(UnknownName):
            runs.play_baselines("a", place, 0)


def test_what_is_exported_is_what_was_asked_for(runs: Runs) -> None:
    found, _ = runs.find("a", Wanted(task=SORT), limit=3)
    text = runs.export(k.run for k in found)
    assert text == "".join(jsonl_line(k.run) + "\n" for k in found) and '"report"' not in text


def test_without_a_secret_nothing_is_owned(store: Store) -> None:
    people = People()
    people.meet("a", "short", "")
    runs = Runs(store, people)
    store.save(made_up("x", kind="human"))
    known = runs.get("a", "x")
    assert known is not None and not known.mine and not runs.delete("a", "x")
    assert store.count(Filter(run_id="x")) == 1
