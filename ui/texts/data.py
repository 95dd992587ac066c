"""Words of the Data tab."""

from __future__ import annotations

LABEL = "Data"
TITLE = "Play your own tickets"
LEAD = (
    "Bring a file of tickets and play them like the built-in ones. Only you see them: the file is read"
    " in memory and deleted, and its tickets are forgotten once you are away for half an hour."
)
DROP = "Choose a file, or drop it here"
DROP_HINT = "CSV, up to {mb} MB and {tickets:,} tickets"
NEEDS = "What a file needs"
NEEDS_ROWS = (
    "A header line, and a column with the customer's message.",
    "For each task the label it is graded by: a category, the article that answers, or whether to"
    " escalate. An answer to compare replies with helps.",
    "Columns are found by their titles; you can say otherwise below.",
)
TEMPLATE, TEMPLATE_NAME = "Template", "supportops-template.csv"
TEMPLATE_CSV = """\
ticket_id,subject,query,difficulty,category,kb_id,requires_escalation,expected_response
A-1,Cannot sign in,"Since this morning the reset link in your mail says that it is not valid any more. I clicked it twice.",easy,Account,,no,"Hello, the reset link works once and only for a while. Please ask for a new one on the sign-in page and use the newest mail. Kind regards"
A-2,Invoice with our VAT ID,Could you put our VAT ID on the last invoice?,medium,Billing,KB-105,no,"Hello, please enter the VAT ID under Settings > Billing. The next invoice carries it, and the last one can be corrected. Kind regards"
A-3,Somebody was in our account,"There is a sign-in from a country where none of us is. What now?",hard,Account,,yes,"Hello, I have passed this to our security team. Please change your password and sign out of all sessions meanwhile. Kind regards"
"""

# What is wrong
NO_SESSION = "This page has no session; reload it."
BAD_REQUEST = "The console sent something it should not; nothing happened. Reload the page."
TOO_LARGE = "The file is larger than {most} MB. Nothing of it was read; bring a part of it."
TOO_MANY = (
    "{n:,} tickets are more than this page takes ({most:,}). Bring a part of them, or play the whole"
    " file with python inference.py --csv FILE."
)
GONE = "Your file is not here any more. Choose it again."
UPLOAD_FAILED = "The upload did not work. Try again."
UNNAMED = "your file"
LINE = "line {n}"

# Report
READY = "{name}: {n} can be played"
NOT_READY = "{name} can't be played yet"
TICKETS = {True: "{n:,} ticket", False: "{n:,} tickets"}
PLAY = "Play on it"
ENCODING, DELIMITER, ROWS, SKIPPED = "Encoding", "Cells parted by", "Tickets", "Rows skipped"
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
TASKS, TASK, SPLIT_ROWS = "What can be played", "Task", "Tickets"
NONE_HERE = "none"
NO_LABEL = {
    "Classify and respond": "needs a category",
    "Answer from the knowledge base": "needs the id of an article here",
    "Escalate or answer, safely": "needs whether to escalate: yes or no",
}
COLUMNS, LEFT_OUT = "Which column is what", "(left out)"
FIELDS = {
    "ticket_id": "Ticket id",
    "subject": "Subject",
    "body": "Customer's message",
    "reference": "Answer to compare with",
    "category": "Category",
    "kb_id": "Article that answers",
    "requires_escalation": "To be escalated",
    "difficulty": "Difficulty",
    "customer_name": "Customer",
    "tier": "Plan",
    "priority": "Priority",
    "language": "Language",
    "tags": "Tags",
}
READ_AGAIN = "Read again with these columns"
FIRST_TICKETS, MESSAGE, CUSTOMER = "The first tickets", "Message", "Customer"
SKIPPED_ROWS, LINE_HEAD, WHY = "Skipped rows", "Line", "Why"
WARNINGS = "Taken, but look at them"
MORE = "and {n:,} more"
PLAYING = "You are playing {name}."
BACK = "Back to the built-in tickets"

# Card
CARD = "The built-in data"
CARD_LEAD = (
    "Support tickets of one invented company, with its help centre and labels. Scores compare only"
    " within one data version and one grader major version."
)
DATA_VERSION, GRADER, ARTICLES, NAME = "Data", "Grader", "Articles", "Name"
DOWNLOAD = "Download {name}"
