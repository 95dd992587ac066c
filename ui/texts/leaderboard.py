"""Words of the Leaderboard tab."""

from __future__ import annotations

LABEL = "Leaderboard"
TITLE = "Leaderboard"
LEAD = (
    "Mean score per player with a 95\u00a0% bootstrap interval over tickets, from the runs stored on this"
    " server and the baselines that ship. Scores compare only within one data version and one grader"
    " major version, so only one pair is shown at a time."
)
LOADING = "Counting runs"

# What is shown
FILTERS = "What is shown"
TASK, SPLIT, KIND, VERSIONS = "Task", "Split", "Players", "Versions"
ALL_TASKS = "All tasks"
KINDS = {
    "": "All",
    "model": "Models",
    "policy": "Policies",
    "human": "People",
    "client": "Clients of the API",
}
ONE_KIND = {"model": "model", "policy": "policy", "human": "person", "client": "client"}
GROUP = "Data {data}, grader {major}.x ({runs})"
GROUP_NOW = "Data {data}, grader {major}.x, present ({runs})"
RUNS = {1: "1 run"}
MANY_RUNS = "{n} runs"
OLD = (
    "These runs are from other versions than the present ones (data {data}, grader {major}.x)."
    " They do not compare with what is played now."
)
SHORT = {
    "easy_classify_respond": "Reply",
    "medium_kb_grounded_response": "Knowledge",
    "hard_escalation_safety": "Escalation",
    "ticket_classification": "Category",
    "priority_sorting": "Priority",
    "draft_response": "Draft",
}
FLEETING = "Runs on this server will not outlive a restart: {reason}."

# Scores
MEANS = "Mean score"
MEANS_ALL = "Mean score over all tasks, each weighing the same"
NOTES = {
    "oracle": "reads the labels: the most that can be reached",
    "keyword": "no model",
    "retrieval": "no model",
    "random": "no model",
}
ANONYMOUS = ("anonymous", "everybody who gave no name")
PROMPT = "prompt {version}"
HEAD = {
    "player": ("Player", ""),
    "mean": ("Mean", "Mean grade over the runs that count; over all tasks, each weighs the same"),
    "interval": (
        "95\u00a0% interval",
        "Percentile bootstrap, 2,000 resamples; all plays of a ticket are drawn together."
        " None where a task has runs of one ticket only",
    ),
    "n": ("n", "Runs that count in the mean"),
    "items": ("Tickets", "Different tickets, or sets of tickets, among them"),
    "tasks": ("Tasks", "Tasks with at least one run that counts"),
    "passed": ("pass^{k}", "Chance that {k} plays of one ticket all reach 0.5"),
    "steps": ("Steps", "Mean steps per run"),
    "tokens": ("Tokens", "Tokens in and out, summed over the runs that count"),
    "usd": ("Cost", "US dollars, summed; only where the price of the model is known"),
    "uncounted": (
        "Not counted",
        "Runs that a failure ended, that a criterion could not judge, or without a grade",
    ),
}
OF_TASKS = "{n} of {all}"
UNCOUNTED = {"failures": "{n} failed", "partial": "{n} partial", "unjudged": "{n} unjudged"}
PARTLY = "Players below did not play all tasks; their mean is over what they played."
NOBODY = {
    "": ("Nothing was played here yet", "Choose another split, task or version."),
    "human": (
        "No person finished an episode of this yet",
        "Play one in the Play tab; it shows up here when it is over.",
    ),
    "model": ("No model played this yet", "Measure one: the command is below."),
    "policy": ("No policy played this yet", "make baselines plays them on the test split."),
    "client": ("No client of the API played this yet", "The API tab shows how to play from code."),
}
TOO_MANY = "The charts show the first {n} players, the table all."
TABLE_CUT = "The table shows the first {n} players of {all}."
HOW = "How it is counted"
HOW_TEXT = (
    "Runs that a failure ended (model error, timeout) have no grade and are never counted as 0;"
    " partial grades stay out of the means; unfinished episodes, runs on people's own data and runs"
    " with changed knobs count nowhere. A baseline that this server has stored as well counts once."
)

# Published
PUBLISHED = "Published, not measured here"
PUBLISHED_LINE = "{model} {score}: published, not measured here"
PUBLISHED_AVERAGE_LINE = "{model} {score}: published average, not measured here"
PUBLISHED_ROW = "environment B's own tickets and graders, temperature 0, seed 42"
PUBLISHED_AVERAGE = "average of its three tasks"
NO_PUBLISHED = "Nothing is published for this task."
MEASURE = "Measure it here with one command, then reload this page:"
COPY, COPIED, COPY_FAILED = "Copy", "Copied", "Select and copy by hand"

# Task by player
HEAT = "Task by player"
HEAT_LEAD = "Mean scores; a dash is a task that was not played."

# One player
DETAIL = "One player closely"
DETAIL_LEAD = "What is chosen above, for one player."
PLAYER, AGAINST = "Player", "Compared with"
VERSUS = (
    "{first} {a}, {second} {b} on {episodes} that both played (same task, ticket and seed):"
    " difference {difference}{interval}; better on {better}, the same on {same}, worse on {worse}."
)
EPISODES, MANY_EPISODES = {1: "the one episode"}, "the {n} episodes"
VERSUS_INTERVAL = ", 95\u00a0% interval {low} to {high}"
NO_VERSUS = "{first} and {second} share no episode: same task, ticket and seed."
ALONE = "There is nobody else to compare with."
CATEGORY_HEAT = "Mean score by the ticket's true category"
CATEGORY_NONE = "No run on single tickets."
CONFUSION = {
    "categories": ("Categories", "True category from the top, first answer from the left."),
    "priorities": ("Priorities", "True priority from the top, last answer from the left."),
}
RIGHT = "{share} of {n} right."
CONFUSION_NONE = {
    "categories": "No run of a task that asks for the category.",
    "priorities": "No run of priority sorting.",
}

# Costs
COSTS = "Cost"
COSTS_LEAD = "Only runs that know their tokens; scripted policies and people use none."
COSTS_NONE = "No run that is shown here used a model."
COST_HEAD = (
    ("Player", ""),
    ("n", "Runs that count"),
    ("Tokens in", ""),
    ("Tokens out", ""),
    ("Tokens per point", "Tokens in and out, by the sum of the grades"),
    ("US dollars", "Only where the price of the model is known"),
    ("US dollars per point", "By the sum of the grades"),
)

# Own runs
OWN = "Your runs"
OWN_NONE = "None is stored under this browser. What you play is stored as you play it."
OWN_SOME = {
    1: "1 run of yours is stored on this server.",
}
OWN_MANY = "{n} runs of yours are stored on this server."
OWN_LEAD = (
    "They belong to this browser: there are no accounts, and only a hash of this browser's secret is"
    " kept with them."
)
DELETE = "Delete my runs"
SURE = "Delete {runs} for good, finished or not? This can't be undone."
YES, NO = "Delete them", "Keep them"
DELETED = "Deleted: {runs}."
STORE_FAILED = "The store can't do that at present; nothing changed."
