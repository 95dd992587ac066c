"""The words of the Watch tab."""

from __future__ import annotations

TITLE = "Watch"
HINT = "A policy or a model plays an episode in front of you, with every point explained."

# Choices
EPISODE = "Episode"
EPISODES = {"play": "The one open in Play", "header": "Task, split and seed in the header"}
WHO = "Who plays"
PLAYERS = {
    "keyword": "Keyword policy",
    "retrieval": "Retrieval policy",
    "random": "Random actions",
    "oracle": "Oracle, not on the test split",
    "model": "A model, with your key",
    "server": "This server's model",
}
NAMES = {
    "keyword": "The keyword policy",
    "retrieval": "The retrieval policy",
    "random": "The random policy",
    "oracle": "The oracle",
    "model": "The model",
    "server": "The model",
}
ABOUT = {
    "keyword": "Word lists and a template reply. Reads what an agent sees.",
    "retrieval": "Searches with the ticket's words and rewords what it finds. No model.",
    "random": "Any action on offer, with words of the ticket.",
    "oracle": "Knows the labels: the best that can be had. On the test split it would give them away.",
    "model": "Any model behind an OpenAI-compatible server, asked once for a plan, or before each step.",
    "server": "{name}, at no cost to you. At most {each} runs an hour for you, {all} for everybody.",
}
PRIVACY = (
    "Your key is sent to that server and nowhere else. It is not stored, logged or shown, and"
    " forgotten when the run ends."
)
ALLOWED = "On this server: {allowed}"
BASE_URL, MODEL, KEY, MODE = "Base URL", "Model", "Key", "Mode"
BASE_URL_DEFAULT, MODEL_DEFAULT = "https://api.openai.com/v1", "gpt-4o-mini"
KEY_HINT = "for this run only"
MODES = {"plan": "Plan at once", "agent": "Step by step"}
SPEED = "Pause between steps"
PACES = {"slow": "Slow", "normal": "Normal", "fast": "Fast", "instant": "None"}
START, STOP = "Start", "Stop"

# Progress
IDLE = "{name} plays this episode once you press Start."
WAITING = "Waiting for a free seat …"
THINKING = "{name} is thinking, {n} s"
NEXT_STEP = "{name} goes on"
TOKENS, TOKENS_ONE = "{n:,} tokens in {calls} calls", "{n:,} tokens in 1 call"
ENDED = {
    "done": "{name} is done.",
    "out_of_steps": "{name} ran out of steps.",
    "refusals": "{name} gave up.",
    "model_error": "Ended by an error.",
    "timeout": "Ended by a time-out.",
    "cancelled": "Stopped.",
}
STOPPED_EARLY = "Nothing is running."
KEPT = "The run is stored."
OWN_DATA = "It is about your own data, so it is not stored."
NOT_KEPT = "The run can't be stored at the moment; it is only on this page."

# In the thread
DECLINED = "An answer that can't be used"
ENDINGS = {
    "refusals": (
        "The model ended the run",
        "It counts, with the grade of what it did: {grade:.3f}.",
    ),
    "model_error": ("The run failed", "Its steps are kept; it has no grade and is in no mean."),
    "timeout": ("The run took too long", "Its steps are kept; it has no grade and is in no mean."),
    "cancelled": ("Stopped", "Its steps are kept; it has no grade and is in no mean."),
}
BY_YOU = "You ended it here."
OUT_OF_TOKENS = "It has used the {n:,} tokens that a run may use on this server."

# Afterwards
COMPARE, YOURSELF = "Compare this run", "Play this episode yourself"

# Refusals
NO_EPISODE = "No episode is open in Play. Open one there, or choose the header's."
ORACLE_TEST = "The oracle does not play on the test split: it would show the labels."
RUNNING = "A run is on already. Stop it first."
NO_URL = "Give the model server's base URL, such as https://api.openai.com/v1."
ODD_URL = (
    "That is no plain base URL. It looks like https://host/v1: no user name, no query, no escapes."
)
URL_NOT_ALLOWED = "This server plays with these model servers only: {allowed}."
ODD_MODEL = "Give the model's name, up to 100 characters without spaces."
NO_KEY = "Give a key. For a server that asks for none, any word will do."
ODD_KEY = "That key holds spaces or signs that no key has. Paste it anew."
NO_SERVER_MODEL = "This server offers no model of its own."
VISITOR_CAP = (
    "The limit for one address is reached: {n} an hour with this server's model. Try again in"
    " {wait} min, or use a key of your own."
)
HOUR_CAP = (
    "The limit for all visitors together is reached: {n} an hour with this server's model. Try"
    " again in {wait} min, or use a key of your own."
)
