"""The grader's version: a changed weight, word list or rule raises it (CHANGELOG says why).

Scores compare only within the same data version and the same major grader version.
"""

from importlib.resources import files

GRADER_VERSION = files("graders").joinpath("VERSION").read_text(encoding="utf-8").strip()
