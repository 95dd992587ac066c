"""Words of the Audit tab."""

from __future__ import annotations

LABEL = "Audit"
TITLE = "Audit"
LEAD = (
    "Known cheats, honest policies and the oracle play every task, and each check has a bound that is"
    " written down. Where one breaks, the grader is wrong, not the bound."
)
BROKEN = ("The shipped audit can't be read", "{problem}. This plays it again and writes it:")

# Verdict
PASSED, FAILED = "Every bound holds", "A bound is broken"
COUNTS = {"PASS": "{n} PASS", "FAIL": "{n} FAIL", "WARN": "{n} WARN", "SKIP": "{n} SKIP"}
STATUS = {
    "PASS": "the bound holds",
    "FAIL": "the bound is broken",
    "WARN": "worth a look, breaks nothing",
    "SKIP": "could not run here; says why",
}
FULL, QUICK = "Full audit", "Quick audit"
FACTS = {"kind": "Kind", "when": "Measured", "data": "Data", "grader": "Grader", "seed": "Seed"}
SHIPPED_KIND = "{kind}, shipped with this version"
HERE_KIND = "{kind}, measured here"
QUICK_NOTE = (
    "A quick audit plays fewer tickets and shorter climbs, so its figures differ a little from those"
    " of the full one."
)
OLD = (
    "Measured with data {data} and grader {grader}; this server has data {now_data} and grader"
    " {now_grader}. The figures do not hold for what is played now."
)
DOWNLOAD = "Download JSON"

# What is shown
FILTERS = "What is shown"
SOURCE, TASK, RESULT = "Measurement", "Task", "Result"
SOURCES = {"shipped": "Shipped, full", "here": "Measured here, quick ({when})"}
ALL_TASKS, ALL_RESULTS = "All tasks", "All results"
OVERVIEW = "Check by task"
OVERVIEW_HEAD = "Check"
ALL, EACH = "All together", "Each task"
TABLE = "Every check, with its figures"
HEAD = ("Task", "Result", "Measured", "Allowed", "Worst")
NOTHING = ("No result like this", "Choose another task or result.")

# The checks, in a person's words
GROUPS = {
    "Same arguments, same episode": (
        "seed_control",
        "episode_determinism",
        "episode_isolation",
        "replayability",
        "verifier_determinism",
    ),
    "Nothing given away, everything explained": (
        "no_solution_leakage",
        "reward_well_formed",
        "reward_attribution",
        "rubric_introspectable",
        "task_declaration_accuracy",
    ),
    "Honest work wins, cheating does not": (
        "oracle_max",
        "canary_floor",
        "floor_gap",
        "adversarial_floor",
        "gameability_gap",
        "difficulty_separation",
        "headroom",
    ),
}
CHECKS = {
    "seed_control": (
        "The seed decides",
        "The same seed brings the same episode every time, and different seeds bring different ones.",
    ),
    "episode_determinism": (
        "Played twice, seen twice",
        "The same actions on the same episode show the same texts and points, to the letter.",
    ),
    "episode_isolation": (
        "Episodes don't touch",
        "Two episodes that are played in turns end as each would have ended alone.",
    ),
    "replayability": (
        "Stored runs come back",
        "From its arguments and its stored actions an episode comes back with the same points.",
    ),
    "verifier_determinism": (
        "The same in every process",
        "Other processes, with other hash seeds and another time zone, grade to the letter the same.",
    ),
    "no_solution_leakage": (
        "No label shows early",
        "With other labels a ticket looks the same until it is over, and no label or reference reply"
        " is in anything that an agent can ask for.",
    ),
    "reward_well_formed": (
        "Points add up",
        "Every reward is a number from −1 to 1, and an episode's rewards add up to its grade.",
    ),
    "reward_attribution": (
        "Every point has a line",
        "No point is given or taken without a rule and a reason.",
    ),
    "rubric_introspectable": (
        "Criteria can be read out",
        "Programs find each criterion of a task by name, with the value that the report shows.",
    ),
    "task_declaration_accuracy": (
        "Declared as it is",
        "openenv.yaml and /tasks say of every task what it really is: difficulty, steps, tickets.",
    ),
    "oracle_max": (
        "The best can be reached",
        "An oracle that knows the answers gets nearly full marks on every single ticket.",
    ),
    "canary_floor": (
        "Silly plays stay low",
        "Shipped plays that are plainly bad, such as promising everything, stay below their bounds.",
    ),
    "floor_gap": (
        "Doing nothing is far below",
        "Between the oracle and silence, or actions at random, lies at least half of the scale.",
    ),
    "adversarial_floor": (
        "Cheats get little",
        "Policies that stuff keywords, paste articles, are only polite, talk to the grader or answer"
        " by rote stay low on average and on every ticket. Sorters by one column, and the hill-climber"
        " that keeps editing a reply, have bounds of their own.",
    ),
    "gameability_gap": (
        "The best cheat is far behind",
        "The best of all cheats gets at most half of what the oracle gets.",
    ),
    "difficulty_separation": (
        "Hard is harder",
        "Honest policies score less the harder a task is said to be. Only a warning where they don't.",
    ),
    "headroom": (
        "Room at the top",
        "The retrieval policy, honest and without a model, leaves room for better players.",
    ),
}
CLIMBER = "What the hill-climber found"
CLIMBER_LEAD = (
    "It edits a reply at random with sentences of ticket, articles and polite phrases, asks the grader"
    " each time, and keeps what earns more: how far a reply can be pushed without an answer. Up to"
    " {edits:,} edits a ticket. The grade adds decisions made by rote."
)
CLIMBER_HEAD = (
    ("Task", ""),
    ("Tickets", "Tickets that it climbed"),
    ("Mean grade", "Of the best reply on each ticket"),
    ("Best grade", "On any ticket"),
    ("Best R", "The reply's own score, from 0 to 1, on any ticket"),
    ("On", "The ticket of the best grade"),
)
CLIMBER_NONE = "No reply was climbed: the tasks shown take none, or nothing could be judged."
BEST_REPLY = "{task}: its best reply, on {item}, grade {grade}, R {value}"

# Measuring here
HERE = "Measure it yourself"
HERE_LEAD = (
    "The quick audit plays on this server, in a process of its own, and takes about a minute; one task"
    " takes some seconds. One at a time; everybody here sees its result until the server restarts."
)
SCOPE = "Tasks to play"
START, CANCEL = "Run the quick audit", "Cancel"
GOING = {
    True: "Your quick audit is running: {scope}.",
    False: "Somebody else's quick audit is running: {scope}. Its result will show here too.",
}
EVERY_TASK = "all tasks"
STARTING = "starting"
PROGRESS = "{done} of {total}, {seconds} s"
STARTED = "{seconds} s"
BAR = "Progress of the quick audit"
NOT_HERE = "This server doesn't run audits. In a checkout: make audit ARGS=--quick"
OWN_RUNS = "Your quick audit is running already."
OTHER_RUNS = "Somebody else's quick audit is running. One at a time; its result will show here too."
FRESH = (
    "This was measured a moment ago and would come out the same; choose it under Measurement. Again"
    " in {n} min."
)
MEASURED = "The quick audit is done: measured here, quick."
CANCELLED = "The quick audit was cancelled. Nothing of it is kept."
TOO_LONG = "The quick audit took longer than {n} s and was ended. Try one task."
BROKE = "The quick audit broke off. The server's log says why; the shipped figures stay."
