"""An OpenAI-compatible server on loopback that answers as a test scripts it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

KEY = "sk-test-0123456789abcdef0123456789"
PLANS: dict[str, list[dict[str, str]]] = {
    "classify": [{"action_type": "classify", "category": "Billing"}],
    "respond": [{"action_type": "respond", "response_text": "Dear customer, thank you."}],
    "mark_resolved": [
        {"action_type": "draft_response", "response_text": "Dear customer, thank you."},
        {"action_type": "mark_resolved", "reason": "answered"},
    ],
}


def completion(
    content: str | None,
    finish: str = "stop",
    usage: tuple[int, int] | None = (100, 10),
    **more: Any,
) -> Response:
    """A chat completion as the API sends it."""
    body: dict[str, Any] = {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": content, **more},
            }
        ],
    }
    if usage:
        body["usage"] = {
            "prompt_tokens": usage[0],
            "completion_tokens": usage[1],
            "total_tokens": sum(usage),
        }
    return Response(json.dumps(body), content_type="application/json")


def failure(status: int, message: str = "no", code: str | None = None, **more: Any) -> Response:
    """An error as the API sends it; a retry comes at once."""
    body = {"error": {"message": message, "type": "error", "code": code, "param": None, **more}}
    return Response(
        json.dumps(body), status, content_type="application/json", headers={"retry-after-ms": "1"}
    )


def good(asked: dict[str, Any]) -> list[dict[str, str]]:
    """Actions that end whatever task is asked about."""
    text = asked["messages"][1]["content"]
    offered = re.search(r"Actions:\n((?:- .*\n)+)", text)
    assert offered
    if "set_priority" in offered[1]:
        ids = re.findall(r"^Ticket (\S+) from", text, re.MULTILINE)
        return [{"action_type": "set_priority", "ticket_id": i, "priority": "high"} for i in ids]
    if "respond:" in offered[1] and "classify" in offered[1]:
        return PLANS["classify"] + PLANS["respond"]
    return next(plan for name, plan in PLANS.items() if f"- {name}:" in offered[1])


def plan(asked: dict[str, Any]) -> Response:
    """A perfect plan, formally."""
    return completion(json.dumps({"actions": good(asked)}))


Script = Callable[[dict[str, Any]], Response]


@dataclass
class Model:
    """The scripted model. `says` holds answers for the first calls, then `then` answers all."""

    server: HTTPServer
    then: Script = plan
    says: list[Response] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.server.expect_request("/v1/chat/completions").respond_with_handler(self._answer)

    def script(self, *answers: Response | str) -> None:
        self.says = [completion(a) if isinstance(a, str) else a for a in answers]

    @property
    def settings(self) -> dict[str, str]:
        return {"API_BASE_URL": self.server.url_for("/v1"), "MODEL_NAME": "m", "API_KEY": KEY}

    @property
    def forms(self) -> Sequence[str]:
        return [a.get("response_format", {}).get("type", "text") for a in self.asked]

    def _answer(self, request: Request) -> Response:
        asked: dict[str, Any] = json.loads(request.get_data())
        self.asked.append(asked)
        return self.says.pop(0) if self.says else self.then(asked)
