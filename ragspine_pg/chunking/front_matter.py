"""Front matter: the block of settings that may open a Markdown file (YAML between ``---``, TOML between ``+++``)."""

import json
import re
import tomllib

_LONGEST = 65_536  # code points looked at; what is longer is text, not settings
_YAML_KEY = re.compile(r"[A-Za-z_][\w.-]*[ \t]*:(?:[ \t]|$)")
_YAML_TITLE = re.compile(r"^title[ \t]*:[ \t]+(\S[^\n]*?)[ \t]*$", re.MULTILINE)
_FENCE = {
    "---": re.compile(r"[\r\n](?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|\Z)"),
    "+++": re.compile(r"[\r\n]\+\+\+[ \t]*(?:\r\n|\n|\r|\Z)"),
}
_OPEN = re.compile(r"(---|\+\+\+)[ \t]*(?:\r\n|\n|\r)")


def front_matter_end(text: str) -> int:
    """Where the front matter ends, its closing line included, in code points; 0 when there is none.

    A leading ``---`` without a ``key:`` after it is a thematic break, not front matter.
    """
    opening = _OPEN.match(text)
    if opening is None:
        return 0
    # From the opening line's own line end, so that an empty block closes too.
    closing = _FENCE[opening[1]].search(text, opening.end() - 1, _LONGEST)
    if closing is None:
        return 0
    if opening[1] == "---":
        for line in text[opening.end() : closing.start()].splitlines():
            if line.strip() and not line.startswith("#"):
                return closing.end() if _YAML_KEY.match(line) else 0
        return 0
    return closing.end()


def front_matter_title(text: str) -> str:
    """The ``title`` set in the front matter (a scalar on one line), or an empty string."""
    end = front_matter_end(text)
    if not end:
        return ""
    matter = text[:end].replace("\r\n", "\n").replace("\r", "\n")
    if matter.startswith("+++"):
        try:
            title = tomllib.loads("\n".join(matter.splitlines()[1:-1])).get("title", "")
        except tomllib.TOMLDecodeError:
            return ""
        return title.strip() if isinstance(title, str) else ""
    found = _YAML_TITLE.search(matter)
    return _yaml_scalar(found[1]) if found else ""


def _yaml_scalar(written: str) -> str:
    if written[0] == '"':
        closing = re.match(r'"(?:[^"\\]|\\.)*+"', written)
        try:
            # Double-quoted YAML is JSON's string with a few more escapes; with one of those the title is not taken.
            return str(json.loads(closing[0])).strip() if closing else ""
        except json.JSONDecodeError:
            return ""
    if written[0] == "'":
        closing = re.match(r"'((?:[^']|'')*+)'", written)
        return closing[1].replace("''", "'").strip() if closing else ""
    if written[0] in "|>&*!%@`[{#":
        return ""  # block scalars, anchors, tags, collections, comments: not a plain title
    return re.split(r"[ \t]#", written, maxsplit=1)[0].strip()
