"""What the environment tells about itself: tasks, baselines, grades, the Task API, schemas, docs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from env import endless
from env import episode as engine
from env.tasks import BY_ID, FAMILIES
from supportops_env.models import SupportAction, SupportObservation, SupportState
from tests.server.wire import BUG, Json, ask, oracle, plain, reset, step, wandering

VERBS = ("get", "put", "post", "delete", "patch")


def got(client: httpx.Client, path: str) -> Any:
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


def posted(client: httpx.Client, path: str, body: Json) -> Any:
    answer = client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_health_says_this_and_nothing_else(client: httpx.Client) -> None:
    answer = client.get("/health")
    assert (answer.status_code, answer.text) == (200, '{"status":"healthy"}')


def test_tasks_are_the_registry_in_its_order(client: httpx.Client) -> None:
    tasks = got(client, "/tasks")
    catalog = engine.builtin_arena().catalog
    assert [t["id"] for t in tasks] == [f.id for f in FAMILIES]
    for task, family in zip(tasks, FAMILIES, strict=True):
        assert task == got(client, f"/tasks/{family.id}")
        assert task["actions"] == list(family.actions)
        assert (task["max_steps"], task["formula"]) == (family.max_steps, family.formula)
        assert task["episodes"] == {s: len(catalog.ids(family.id, s)) for s in engine.SPLITS}
        assert task["action_schema"] == SupportAction.model_json_schema()


def test_an_unknown_task_is_404_and_lists_the_tasks(client: httpx.Client) -> None:
    answer = client.get("/tasks/refunds")
    assert answer.status_code == 404
    assert all(f.id in answer.json()["detail"] for f in FAMILIES)


def test_published_baselines_are_labelled_and_measured_ones_versioned(
    client: httpx.Client,
) -> None:
    answer = got(client, "/baseline")
    published = answer["published"]
    assert published["label"] == "published, not measured here" and published["source"]
    scores = {r["task_id"]: r["score"] for r in published["rows"]}
    assert scores == {
        "ticket_classification": 0.80,
        "priority_sorting": 0.55,
        "draft_response": 0.42,
    }
    assert answer["measured"] and "version" in answer["note"]
    for row in answer["measured"]:
        assert row["data_version"] and row["grader_version"]
        assert row["task_id"] in BY_ID and row["episodes"] > 0
        assert 0 <= row["mean_score"] <= 1
    assert {"keyword", "random", "oracle"} <= {r["player"] for r in answer["measured"]}


NOTHING: Json = {"score": 0.0, "done": False, "grade": None, "breakdown": []}


def test_the_grader_grades_a_finished_episode_by_id(client: httpx.Client) -> None:
    local = engine.start("easy_classify_respond", "test", seed=2)
    observation = reset(client, task_id="easy_classify_respond", split="test", seed=2)
    episode_id = observation["episode_id"]
    for action in oracle(local):
        running = posted(client, "/grader", {"episode_id": episode_id})
        assert running == {**NOTHING, "task_id": "easy_classify_respond"}
        observation = step(client, plain(action), episode_id).json()["observation"]
    graded = posted(client, "/grader", {"episode_id": episode_id})
    assert graded["done"] is True and graded["score"] == observation["grade"]["grade"] >= 0.95
    assert graded["grade"] == observation["grade"] and graded["grade"]["expected"] is None
    assert graded["breakdown"] == observation["reward_breakdown"]


@pytest.mark.parametrize("task", BY_ID)
def test_a_posted_train_trajectory_gets_the_grade_that_it_was_played_for(
    client: httpx.Client, task: str
) -> None:
    local = engine.start(task, "train", seed=8)
    actions = [plain(a) for a in wandering(local)]
    episode_id = reset(client, task_id=task, seed=8)["episode_id"]
    for action in actions:
        last = step(client, action, episode_id).json()["observation"]
    place = {"task_id": task, "split": "train", "seed": 8, "index": last["index"]}
    graded = posted(client, "/grader", {**place, "actions": actions})
    assert graded["grade"] == last["grade"] and graded["score"] == last["grade"]["grade"]
    assert graded == posted(client, "/grader", {"episode_id": episode_id})
    running = posted(client, "/grader", {**place, "actions": actions[:-1]})
    assert running == {**NOTHING, "task_id": task}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"actions": []},
        {"task_id": "draft_response"},
        {"task_id": "draft_response", "split": "test", "actions": []},
        {"task_id": "easy_classify_respond", "actions": [BUG]},
    ],
    ids=["empty", "no actions", "task alone", "test, no actions", "running"],
)
def test_nothing_to_grade_is_no_error(client: httpx.Client, body: Json) -> None:
    assert posted(client, "/grader", body) == {**NOTHING, "task_id": body.get("task_id")}


def test_the_grader_takes_no_body_at_all(client: httpx.Client) -> None:
    answer = client.post("/grader")
    assert (answer.status_code, answer.json()) == (200, {**NOTHING, "task_id": None})


@pytest.mark.parametrize(
    ("body", "status", "hint"),
    [
        ({"task_id": "ticket_classification", "split": "test", "actions": [BUG]}, 422, "train"),
        ({"task_id": "refunds", "actions": [BUG]}, 422, "ticket_classification"),
        ({"task_id": "ticket_classification", "index": 999, "actions": [BUG]}, 422, "0 to "),
        ({"task_id": "ticket_classification", "actions": [{"action_type": "x"}]}, 422, "classify"),
        ({"task_id": "ticket_classification", "actions": [BUG] * 65}, 422, "64"),
        ({"episode_id": "no-such-episode"}, 404, "/reset"),
        ({"trajectory": []}, 422, "trajectory"),
    ],
    ids=["test split", "task", "index", "action", "too many", "id", "key"],
)
def test_what_can_not_be_graded_is_refused(
    client: httpx.Client, body: Json, status: int, hint: str
) -> None:
    answer = client.post("/grader", json=body)
    assert answer.status_code == status and hint in answer.text
    assert "grade" not in answer.json()


@pytest.mark.parametrize("split", engine.SPLITS)
@pytest.mark.parametrize("name", ["supportops_env", "supportops", "SupportOps_Env"])
def test_the_task_api_lists_what_reset_takes(client: httpx.Client, name: str, split: str) -> None:
    assert got(client, "/list_environments") == ["supportops_env"]
    splits = [{"name": s, "type": s} for s in engine.SPLITS]
    assert got(client, f"/{name}/splits") == [*splits, {"name": "endless", "type": "train"}]
    tasks = posted(client, f"/{name}/tasks", {"split": split})["tasks"]
    assert posted(client, f"/{name}/num_tasks", {"split": split}) == {"num_tasks": len(tasks)}
    assert list(dict.fromkeys(t["task_id"] for t in tasks)) == [f.id for f in FAMILIES]
    for place in (0, len(tasks) // 2, len(tasks) - 1):
        spec = tasks[place]
        assert spec["flat_index"] == place
        assert posted(client, f"/{name}/task", {"split": split, "index": place})["task"] == spec
        flat = reset(client, split=split, index=place, seed=1)
        named = reset(client, task_id=spec["task_id"], split=split, index=spec["index"], seed=1)
        assert {**flat, "episode_id": ""} == {**named, "episode_id": ""}
    for start, stop in ((None, None), (2, 5), (0, 0), (3, None), (None, 4), (5, 10_000)):
        body = {"split": split, "start": start, "stop": stop}
        assert posted(client, f"/{name}/task_range", body)["tasks"] == tasks[start:stop]


@pytest.mark.parametrize(
    ("path", "body", "status", "hint"),
    [
        ("/other_env/tasks", {"split": "train"}, 404, "supportops_env"),
        ("/supportops_env/tasks", {"split": "all"}, 422, "train, test"),
        ("/supportops_env/tasks", {}, 422, "split"),
        ("/supportops_env/num_tasks", {"split": 7}, 422, "split"),
        ("/supportops_env/task", {"split": "train", "index": -1}, 400, "0 to "),
        ("/supportops_env/task", {"split": "train", "index": 10_000}, 400, "0 to "),
        ("/supportops_env/task", {"split": "train", "index": "1"}, 422, "index"),
        ("/supportops_env/task", {"split": "train"}, 422, "index"),
        ("/supportops_env/task_range", {"split": "train", "start": -1}, 400, "start"),
        ("/supportops_env/task_range", {"split": "train", "start": 5, "stop": 2}, 400, "stop"),
    ],
)
def test_the_task_api_refuses_what_is_not_there(
    client: httpx.Client, path: str, body: Json, status: int, hint: str
) -> None:
    answer = client.post(path, json=body)
    assert answer.status_code == status and hint in answer.text


def test_the_schemas_are_those_of_the_wire(client: httpx.Client) -> None:
    schema = got(client, "/schema")
    assert schema["action"] == SupportAction.model_json_schema()
    assert schema["observation"] == SupportObservation.model_json_schema()
    assert schema["state"] == SupportState.model_json_schema()
    assert {"task_id", "cumulative_reward", "actions"} <= set(schema["state"]["properties"])


def test_the_metadata_name_the_tasks(client: httpx.Client) -> None:
    metadata = got(client, "/metadata")
    assert metadata["name"] and metadata["version"]
    assert all(f.id in metadata["description"] for f in FAMILIES)


def call(method: str, **rest: Any) -> Json:
    return {"jsonrpc": "2.0", "method": method, "id": 7, **rest}


@pytest.mark.parametrize("method", ["tools/list", "tools/call", "resources/list"])
def test_mcp_answers_json_rpc(client: httpx.Client, method: str) -> None:
    answer = posted(client, "/mcp", call(method, params={"name": "reset"}))
    assert (answer["jsonrpc"], answer["id"]) == ("2.0", 7)
    assert ("result" in answer) != bool(answer.get("error"))
    address = str(client.base_url).replace("http://", "ws://").rstrip("/") + "/mcp"
    with connect(address, proxy=None) as socket:
        over_socket = ask(socket, call(method, params={"name": "reset"}))
    assert (over_socket["jsonrpc"], over_socket["id"]) == ("2.0", 7)


@pytest.mark.parametrize(
    "body", ["", "[]", "{", "7", '{"jsonrpc": "1.0"}', "[" * 900 + "]" * 900, '{"a": "\\ud800"}']
)
def test_mcp_answers_what_is_no_request_as_json(client: httpx.Client, body: str) -> None:
    answer = client.post("/mcp", content=body)
    assert answer.status_code in (200, 422)
    assert answer.json().get("error") or answer.json()["detail"]


def operations(openapi: Json) -> Iterator[tuple[str, str, Json]]:
    for path, item in openapi["paths"].items():
        yield from ((path, verb, item[verb]) for verb in VERBS if verb in item)


def examples_of(openapi: Json, schema: Json) -> list[Any]:
    """The examples of a schema: its own, else one made of its properties' first examples."""
    if "$ref" in schema:
        return examples_of(openapi, openapi["components"]["schemas"][schema["$ref"].split("/")[-1]])
    if schema.get("examples"):
        return list(schema["examples"])
    for option in schema.get("anyOf", ()):
        if option.get("type") != "null":
            return examples_of(openapi, option)
    made = {n: e[0] for n, p in schema.get("properties", {}).items() if (e := p.get("examples"))}
    return [made] if made else []


def requests_in(openapi: Json) -> Iterator[tuple[str, str, Json | None]]:
    """Every request that the document shows: verb, path, body."""
    for path, verb, operation in operations(openapi):
        for parameter in operation.get("parameters", ()):
            if parameter["in"] == "path":
                found = examples_of(openapi, parameter["schema"]) or [parameter.get("example")]
                assert found[0] is not None, f"{path} has no example for {parameter['name']}"
                path = path.replace(f"{{{parameter['name']}}}", found[0])
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if content is None:
            yield verb, path, None
            continue
        own = [content["example"]] if "example" in content else []
        own += [e["value"] for e in content.get("examples", {}).values()]
        found = own or examples_of(openapi, content["schema"])
        assert found, f"{verb} {path} has no example body"
        yield from ((verb, path, body) for body in found)


def test_no_operation_id_is_there_twice(client: httpx.Client) -> None:
    openapi = got(client, "/openapi.json")
    found = list(operations(openapi))
    ids = Counter(o["operationId"] for _, _, o in found)
    assert len(found) >= 15 and max(ids.values()) == 1
    for path in ("/reset", "/step", "/state", "/schema", "/grader", "/tasks", "/baseline"):
        assert path in openapi["paths"]


def test_every_example_of_a_request_works_when_it_is_sent(client: httpx.Client) -> None:
    openapi = got(client, "/openapi.json")
    for verb, path, body in requests_in(openapi):
        reset(client, task_id="ticket_classification", seed=1)
        answer = client.request(verb, path, json=body) if body else client.request(verb, path)
        assert answer.status_code == 200, (verb, path, body, answer.text)
        assert answer.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("number", range(3))
def test_every_example_of_an_action_is_taken_by_a_task(client: httpx.Client, number: int) -> None:
    examples = got(client, "/schema")["action"]["examples"]
    action = examples[number]
    task = next(f for f in FAMILIES if action["action_type"] in f.actions)
    episode_id = reset(client, task_id=task.id, seed=1)["episode_id"]
    assert step(client, action, episode_id).status_code == 200
    assert len(examples) == 3


@pytest.mark.parametrize("path", ["/docs", "/redoc"])
def test_the_documentation_loads_nothing_from_outside(client: httpx.Client, path: str) -> None:
    page = client.get(path)
    assert page.status_code == 200
    loaded = re.findall(r"""\b(?:src|href|url|spec-url)\s*[=:]\s*["']([^"']+)""", page.text)
    assert any(link.endswith(".js") for link in loaded)
    for link in loaded:
        assert not re.match(r"(?:https?:)?//", link), link
        assert client.get(link).status_code == 200, link
    assert not re.search(r"""@import|url\(["']?(?:https?:)?//""", page.text)


def test_the_endless_split_is_listed_as_what_it_is(client: httpx.Client) -> None:
    assert all(t["endless"] and "endless" not in t["episodes"] for t in got(client, "/tasks"))
    base, asked = "/supportops_env", {"split": "endless"}
    count = posted(client, f"{base}/num_tasks", asked)["num_tasks"]
    assert count == endless.LISTED * len(FAMILIES)
    first = posted(client, f"{base}/tasks", asked)["tasks"]
    assert 0 < len(first) < count, "a preview"
    assert {t["task_id"] for t in first} == set(BY_ID)
    assert [t["flat_index"] for t in first] == list(range(len(first)))
    part = posted(client, f"{base}/task_range", {**asked, "start": 600, "stop": 606})["tasks"]
    assert part == first[600:606]
    last = posted(client, f"{base}/task", {**asked, "index": count - 1})["task"]
    seen = reset(client, **{k: last[k] for k in ("task_id", "split", "seed", "index")})
    assert (seen["task_id"], seen["seed"]) == (FAMILIES[-1].id, endless.LISTED - 1)
    refused = client.post(f"{base}/task", json={**asked, "index": count})
    assert refused.status_code == 400 and str(count - 1) in refused.text


def test_knobs_over_http(client: httpx.Client) -> None:
    knobs = {"distractors": 24, "twist": "injection"}
    place = {"task_id": "medium_kb_grounded_response", "split": "endless", "seed": 12}
    seen = reset(client, **place, knobs=knobs)
    assert seen["knobs"] == {**knobs, "knowledge": "search"}
    found = {"X-Session-ID": seen["episode_id"]}
    state = client.get("/state", headers=found).json()
    assert state["knobs"] == seen["knobs"] and state["item_id"] == "E-12"
    action = {"action_type": "respond", "content": "Hello."}
    ended = step(client, action, seen["episode_id"]).json()["observation"]
    graded = posted(client, "/grader", {**place, "knobs": knobs, "actions": [action]})
    assert graded["grade"] == ended["grade"] and ended["grade"]["expected"]
    again = reset(client, episode_id=seen["episode_id"])
    assert {**again, "episode_id": ""} == {**seen, "episode_id": ""}
    refused = client.post("/reset", json={"knobs": {"twist": "nobody"}})
    assert refused.status_code == 422 and "legal_threat" in refused.text
    schemas = got(client, "/schema")
    for name in ("observation", "state"):
        assert "Knobs" in schemas[name]["$defs"]
