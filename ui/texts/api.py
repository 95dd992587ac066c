"""Words of the API tab."""

from __future__ import annotations

LABEL = "API"
TITLE = "Play this episode from code"
LEAD = "The same task, split, seed and index start the same episode on any server and any machine."
FIELDS = {"task_name": "Task", "split": "Split", "seed": "Seed", "index": "Index"}
OWN_DATA = (
    "The API plays the built-in tickets. Your own file is played by python inference.py --csv FILE."
)
COPY, COPIED, COPY_FAILED = "Copy", "Copied", "Select and copy by hand"
SNIPPETS = {
    "curl": ("curl", "The answer to /reset sets a cookie with the episode's id; a file keeps it."),
    "python": (
        "Python",
        "In a checkout. With the wheel alone, import both names from supportops_env.",
    ),
    "socket": ("WebSocket", "JavaScript, for a browser's console or Node 22 and newer."),
}
COMMENTS = {
    "reset": "Start the episode that is open in Play.",
    "step": "Take a step. The answer holds the reward and its reasons.",
    "state": "Where the episode stands.",
}
ROUTES_TITLE, ROUTES_LEAD = "Routes", "Every route is described, with a form to try it."
DOCS, SPEC = "API documentation", "openapi.json"
ROUTES = (
    ("POST /reset", "start an episode, or start it again"),
    ("POST /step", "take a step in it"),
    ("GET /state", "where it stands"),
    ("POST /grader", "grade a finished episode, or a trajectory of the train split"),
    ("GET /tasks", "the six task families and how they are graded"),
    ("GET /schema", "JSON schemas of action, observation and state"),
    ("/ws", "reset, step and state over one WebSocket"),
)
KEEPING = (
    "An episode is named by the X-Session-ID that /reset answers with. Send it back as that header,"
    " as the cookie, or as episode_id, and play as many at once as you like."
)
