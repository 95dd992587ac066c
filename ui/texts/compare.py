"""The words of the Compare tab. Placeholders in braces are filled by `str.format`."""

from __future__ import annotations

TITLE = "Compare runs"
PURPOSE = "Step by step, the same episode as different players worked it."
MODES = {"episode": "One episode", "task": "Whole task"}
MODE = "What to compare"
FAILED_ONLY = "Failed only"
FAILED_TITLE = "Runs below 0.5, the bar for success, and runs that a failure ended"
OPEN_FILE = "Open a run file"
DOWNLOAD = "Download JSONL"
LOADING = "Looking for runs"

# One episode
EPISODE, GROUP = "Episode", "{task}, {split} split"
OPTION = "{item}  {title} ({n})"
GO_PLAYING = "The episode in Play"
PLAY_BASELINES = "Play the baselines on this episode"
PLAY_HINT = {
    "train": "Keyword, retrieval, oracle and random policy; takes a second or two.",
    "test": "Keyword, retrieval and random policy. The oracle stays out: its actions are the labels.",
    "endless": "Keyword, retrieval, oracle and random policy; takes a second or two.",
}
TICKET, TICKETS = "The ticket", "The tickets"
RUNS = "Runs of this episode"
KIND, KINDS = (
    "Played by",
    {"": "Everybody", "human": "People", "model": "Models", "policy": "Policies"},
)
KIND_ONE = {"human": "Person", "model": "Model", "policy": "Policy"}
SOURCES = {
    "store": "stored here",
    "baseline": "ships with the product",
    "here": "played on the spot",
    "file": "from a file",
    "page": "on this page only",
}
REGRADED = "re-graded"
REGRADED_TITLE = "Played again and graded here. Its file says {then}, from grader {grader}."
PARTIAL = "partial grade"
COLUMNS = ("Compare", "Player", "Grade", "Steps", "Seed", "From")
TAKE, TAKE_OUT = "Compare {name}", "Leave {name} out"
BASELINE, AS_BASELINE = "baseline", "Use as baseline"
AS_BASELINE_NAME = "Use {name} as the baseline"
LINK, LINK_NAME = "Link", "Link to the run of {name}"
DELETE, DELETE_NAME = "Delete", "Delete your run {name} for good"
SURE = "Press again to delete"
PUT_AWAY, PUT_AWAY_NAME = "Put away", "Put the run {name} away"
PUT_AWAY_DONE = "The run was put away; its file is as it was."
MORE, LESS = "Older runs", "Newer runs"
PAGE = "{first} to {last} of {total}"
ENDINGS = {
    "done": "finished",
    "out_of_steps": "out of steps",
    "refusals": "no usable answer",
    "model_error": "model error",
    "timeout": "timed out",
    "cancelled": "not finished",
}
NO_RUNS = (
    "No run of this episode yet",
    "Finish it in Play, or let the baselines play it.",
)
NO_RUNS_FILTERED = ("No run like that", "Other filters may find some.")

# The comparison
SIDES = "Side by side"
ALONE = "Choose another run above to see where the two part."
NO_GRADE = "no grade"
DELTA = "{delta} against {name}"
NOT_COMPARABLE = (
    "Data {data}, grader {grader}: grades of other versions, or under other knobs, do not compare"
    " with it."
)
KNOBS = "with {knobs}"
VERSIONS = "Data {data}, grader {grader}"
REWARD_CHART, CRITERIA_CHART = "Cumulative reward", "Criteria"
STEP_AXIS, REWARD_AXIS = "Step", "Sum of rewards"
CRITERION = "Criterion"
CRITERIA_TABLE = "The same as a table"
THREADS = "Steps, aligned"
REPLAY = "Replay up to step"
REPLAY_ALL = "all"
REPLAY_VALUE = "step {n} of {most}"
STEP = "Step {n}"
PARTED = "First difference"
PARTED_AT = "The runs part at step {n}."
SAME = "All runs did the same."
ENDED = "Ended"
AFTER = "after this step"
WHOLE = "Whole text ({n:,} characters)"
SUM = "{total} so far"
REASONS = "Why"
SCROLL_HINT = "Scrolls sideways"

# Whole task
TASK, SPLIT = "Task", "Split"
PLAYERS = "Players"
EPISODES = "Episodes and grades"
HEAD = "Episode"
SET = "Set {n}"
MEAN = "Mean"
MEAN_OVER = "over {n} episodes"
MEAN_OVER_ONE = "over 1 episode"
MEAN_DELTA = "{delta} on {n} shared"
TIMES = "×{n}"
TIMES_TITLE = "Mean of {n} runs"
OPEN_ROW = "Compare the runs of {item}"
BASE_NOTE = "Baseline: {note}."
TABLE_VERSIONS = "Data {data}, grader {grader}.x."
OTHER_VERSIONS = (
    "{n} runs of other versions or with knobs are left out: grades compare only within one data"
    " version and one grader major version, and without knobs."
)
NO_TABLE = ("No runs of this task yet", "Play some in the Play tab, or choose the other split.")
NO_TABLE_FAILED = ("No failed episode", "Nobody who is shown failed here.")

# Notices
BAD_REQUEST = "The console sent something it should not; nothing happened. Reload the page."
NO_EPISODE = "No episode is on. Start one in Play, or choose one here."
GONE = "That run is not here any more."
ENOUGH = "At most {most} runs fit side by side; leave one out first."
ONE_AT_LEAST = "One run has to stay; choose another one first."
ONE_PLAYER = "One player has to stay; choose another one first."
PLAYERS_ENOUGH = "At most {most} players fit into the table; leave one out first."
NO_SUCH_RUN = "No run has this link: it was deleted, or it is on another server."
NOT_YOURS = "This run is not yours to delete."
DELETED = "The run was deleted for good."
OPENED = "{n} runs opened, played again and graded by grader {grader}. Only this page shows them."
NOT_AT_HAND = "it was played on data that is not at hand here"
GRADED_OTHERWISE = "grader {then} gave these points; grader {now} gives others"
AS_STORED = "Shown as it was stored: {why}."
