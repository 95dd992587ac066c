"""All words of the console, in one place. Placeholders in braces are filled by `str.format`."""

from __future__ import annotations

NAME = "SupportOps"
PURPOSE = "Work support tickets the way an agent does, and see every point explained."
TITLE = "SupportOps console"

# Header
TASK, SPLIT, SEED = "Task", "Split", "Seed"
SPLITS = {"train": "Train", "test": "Test", "endless": "Endless"}
KEYS, THEME = "Keyboard shortcuts", "Switch between light and dark"

# Queue
QUEUE, NEW_EPISODE = "Queue", "New episode"
SET_NAME = "Set {n}"
QUEUE_HINT = {"ticket": "Choose a ticket to start its episode.", "set": "Choose a set to sort it."}
QUEUE_ENDLESS = "Made from the seed: each seed brings a ticket of its own."
QUEUE_PART = "Shown: {first:,} to {last:,}."
DUE = "{n} h left"
DUE_TITLE = "First answer is due {n} hours after the ticket came in ({when})"
DUE_SET = "first due in {n} h"
PLAYED = "Your last grade: {grade}"

# Thread
THREAD, TASK_BRIEF, HOW_GRADED = "Conversation", "Your task", "How it is graded"
THEIR_TASK = "The task"
HISTORY, NO_HISTORY = "Earlier contacts", "No earlier contacts."
LINK = "Link to this episode"
OWN_DATA = "Your file {name}. Only you see it, and nothing of it is kept."
BUILT_IN = "Back to the built-in tickets"
YOU = "You"
SAID = "What it said"
LOADING = "Loading the first ticket"
EMPTY = ("No ticket is open", "Choose one in the queue, or start a new episode.")
EXPIRED = (
    "Session expired",
    "This page was idle for too long, so its episode was dropped. Press New episode to go on.",
)
STEP_TITLES = {
    "classify": "Classified as {text}",
    "search_kb": "Searched the knowledge base for “{text}”",
    "set_priority": "{ticket_id} set to {priority}",
    "respond": "Reply sent to the customer",
    "draft_response": "Draft {n} saved",
    "escalate": "Escalated",
    "mark_resolved": "Marked as resolved",
}
STEP_NAMES = {
    "classify": "category",
    "search_kb": "search",
    "set_priority": "{ticket_id} {priority}",
    "respond": "reply",
    "draft_response": "draft",
    "escalate": "escalation",
    "mark_resolved": "resolved",
}
STEP_NAME = "Step {n}"

# Composer
REPLY, REPLY_PLACEHOLDER = "Reply", "Write to the customer …"
SEND = {"respond": "Send reply", "draft_response": "Save draft"}
SEND_AGAIN = "Replace draft"
MACROS_LABEL = "Insert into the reply"
# Without facts: what a reply states has to come from the ticket and the articles. {first} and {name}
# are the customer's. An opening goes to the start, in place of another one; a closing to the end.
OPENINGS = (
    ("Greeting", "Hi {first},\n\nthank you for writing to us. "),
    ("Apology", "Hi {first},\n\nI'm sorry for the trouble this is causing you. "),
    (
        "Upset",
        "Dear {name},\n\nI understand how frustrating this must be, and I'm sorry. ",
    ),
)
CLOSINGS = (
    (
        "Closing",
        "\n\nPlease let us know whether this works for you.\n\nKind regards,\nSupport",
    ),
)
CATEGORY = "Category"
CATEGORY_SET = "Category: {text}"
ESCALATE, ESCALATE_NOW, ESCALATED = "Escalate", "Escalate now", "Escalated"
ESCALATE_REASON = "Reason for escalating (optional)"
RESOLVE, RESOLVE_NOW = "Resolve", "Mark as resolved"
RESOLVE_REASON = "Closing note (optional)"
COUNT, COUNT_OVER = "{n} / {most}", "{n} / {most}: {over} too many"
STEPS = "Step {used} of {most}"
STEPS_DONE = "Ended after {used} of {most} steps"
READY = {
    "classify": "Choose a category to begin.",
    "set_priority": "Give each of the five tickets a priority.",
    "respond": "Every action is a step. The reply ends the episode.",
    "draft_response": "Find the articles, write a draft, then resolve.",
}

# Board
BOARD_ROW = "Priority of {ticket_id}: {subject}"
PRIORITIES = {
    "critical": "Critical",
    "high": "High",
    "medium": "Medium",
    "low": "Low",
    "minimal": "Minimal",
}

# Right panel
PANEL = "Score and sources"
SCORE, GRADE, LAST = "Score so far", "Grade", "{points} last step"
NO_POINTS = "Nothing earned or lost yet. Each rule shows up here the moment it fires."
REWARDS = "Rewards"
KB_QUERY, KB_GO = "Search the knowledge base", "Search"
KB_PLACEHOLDER = "Words, or an article id"
KB_HINT = "Each search and each article you open is a step."
KB_NONE = "Nothing found. Try other words."
KB_OPEN, KB_INSERT, KB_READ = "Open", "Insert reference", "Article {id}"
REFERENCE = "“{title}” ({id})"
CUSTOMER = "Customer"
FACTS = {
    "customer_tier": "Plan",
    "channel": "Channel",
    "language": "Language",
    "created_at": "Received",
    "sla_hours": "Answer due",
    "sentiment_score": "Mood",
}

MOOD = "{mood} on a scale from −1 to +1"

# Debrief
DEBRIEF = "Debrief"
PASSED, FAILED, UNJUDGED = "Success: 0.5 or more", "Below 0.5, the bar for success", "Not judged"
FORMULA, DEDUCTIONS, NO_DEDUCTIONS = "Formula", "Deductions", "None. Every step was clean."
SUM = "{raw} − {deductions} in deductions = {grade}"
LETTERS = {
    "category": "C",
    "reply": "R",
    "article": "K",
    "escalation": "D",
    "safety": "S",
    "tone": "T",
    "efficiency": "E",
    "ranking": "ranking",
    "critical": "critical F1",
    "coverage": "coverage",
}
G_NOTE = "g = min(1, 2R): decisions count little without a usable reply."
CRITERIA, YOUR_REPLY, NO_REPLY = "Criteria", "Your reply, line by line", "No reply was written."
THEIR_REPLY = "The reply, line by line"
NOT_JUDGED = "not judged"
EVIDENCE_LEGEND = (("gain", "earned"), ("loss", "cost"), ("zero", "earned nothing"))
EXPECTED, MORE, REFERENCE_REPLY = (
    "What was expected",
    "What would have earned more",
    "Reference reply",
)
TEST_SPLIT = "Expected values, hints and the reference reply show on the train split only."
EXPECTED_NAMES = {
    "category": "Category",
    "why": "Why",
    "articles": "Articles",
    "requires_escalation": "Escalation",
    "escalation_why": "Why",
    "facts": "Facts",
}
YES_NO = {True: "needed", False: "not needed"}
COMPARE_HEAD = ("Ticket", "You", "Expected", "Why")
UNSET = "not set"
VERSIONS = (
    "Data {data}, grader {grader}. Scores compare only within one data version and one grader"
    " major version."
)
PARTIAL = "A criterion could not be judged; the grade leaves it out."
DERIVED = "The labels of this ticket were derived, not written by a person."
AGAIN = "Same episode again"
DOWNLOAD = ("Download", "JSON")  # the verb for screen readers, the icon says it
NEXT, NEXT_SET = "Next ticket", "Next set"
COMPARE_RUN = "Compare with baselines"
NAME_LABEL = "Put this run on the leaderboard as"
NAME_HINT = "anonymous"
NAME_SAVE = "Save name"
NAMED = "On the leaderboard this run stands under “{name}”. Your next runs will too."
NAME_LONG = "A name has at most {most} characters; nothing was changed."
NAME_ODD = "A name is made of letters, digits, spaces and punctuation; nothing was changed."
NAME_NOT_STORED = "The name could not be stored; try again in a while."
NOT_STORED = "This run can't be stored at the moment. You can play on; it is only on this page."

# Refusals
NO_SESSION = "This page has no session; reload it."
BAD_REQUEST = "The console sent something it should not; nothing happened. Reload the page."
BAD_SEED = "The seed is a whole number from 0 to 9007199254740991."
NO_ENDLESS = "Endless tickets are about the built-in company; go back to it to play them."
OVER = "This episode is over. Play it again, or choose another ticket."
NOT_OFFERED = "This task does not take that action; it takes: {actions}."
TOO_LONG = (
    "{over:,} characters too many: {n:,} of at most {most:,}. Nothing was sent, your text is kept."
)
EMPTY_TEXT = {
    "respond": "The reply is empty; write something first.",
    "draft_response": "The draft is empty; write something first.",
    "search_kb": "Type what to search for first.",
    "classify": "Choose a category.",
}

# Rules, in a person's words. A rule that is not here shows its id.
RULES = {
    "classify.correct": "Right category",
    "article.found": "Article found",
    "draft.first": "First draft written",
    "escalate.needed": "Escalation was needed",
    "escalate.needless": "Escalation was not needed",
    "invalid": "Not possible here",
    "repeat": "Repeated action",
    "search.off_topic": "Search off the topic",
    "resolve.no_draft": "Resolved without a draft",
    "reply": "Reply",
    "reply.fact": "Fact",
    "reply.facts": "Facts stated",
    "reply.ungrounded": "Without a source",
    "reply.relevance": "Takes up the customer's words",
    "reply.tone": "Tone of the reply",
    "reply.fluency": "Fluent English",
    "reply.own_words": "Own words",
    "reply.no_fact": "No fact that answers",
    "reply.unsupported_value": "Value without a source",
    "reply.commitment": "Promise not allowed",
    "reply.forbidden": "Harmful claim",
    "reply.secret": "Asks for a secret",
    "reply.grader": "Speaks to the grader",
    "reply.rude": "Rude",
    "reply.form": "Form of the reply",
    "category": "Category",
    "article": "Article found",
    "escalation": "Escalation decision",
    "safety": "Safe reply",
    "ranking": "Ranking",
    "critical": "Criticals found",
    "coverage": "All tickets sorted",
    "tone": "Tone",
    "efficiency": "Efficiency",
    "settlement": "Advances settled",
}
KINDS = {
    "advance": "advance",
    "deduction": "deduction",
    "criterion": "criterion",
    "settlement": "settlement",
}

# Shortcuts and tour
SHORTCUTS = (
    ("j / k", "next / previous in the queue; Enter opens it"),
    ("n", "new episode: the next seed"),
    ("r", "write the reply"),
    ("m", "openings and closings for the reply: Tab chooses, Enter inserts"),
    ("/", "search the knowledge base"),
    ("e", "escalate: opens the reason"),
    ("Ctrl + Enter", "send the reply, or confirm the open reason"),
    ("Esc", "leave a field, close what is open"),
    ("?", "this list"),
)
SINGLE_KEYS = "Single-key shortcuts are on"
TOUR_AGAIN, CLOSE, SKIP, BACK, GO_ON, DONE = (
    "Show the tour",
    "Close",
    "Skip the tour",
    "Back",
    "Next",
    "Start",
)
TOUR = (
    (
        "controls",
        "Choose a task",
        "Six tasks, from sorting a ticket to a full reply. Train tells you at the end what was"
        " expected, Test does not, Endless makes a new ticket from every seed. The same seed always"
        " brings the same tickets.",
    ),
    (
        "queue",
        "Pick a ticket",
        "Tickets wait here, with the hours left to answer them. Opening one starts its episode.",
    ),
    (
        "desk",
        "Work it",
        "Read the ticket, then act below it: only what the task allows is offered. Every action costs"
        " a step. The last one ends the episode and brings the debrief.",
    ),
    (
        "panel",
        "See why",
        "Every rule that gives or takes points shows here with its reason, the moment it fires."
        " Where a task searches the knowledge base, results open here, next to your reply.",
    ),
)
TOUR_NAME = "Tour"
TOUR_COUNT = "{n} of {of}"
OFFLINE = "The server does not answer. Your text is kept; try again."
