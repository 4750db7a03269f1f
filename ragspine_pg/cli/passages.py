"""Results as people read them: passages with their citations, and explanations."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ragspine_pg.cli.terminal import one_line, styled, visible
from ragspine_pg.contract.explanation import Explanation
from ragspine_pg.contract.mode import RetrievalMode
from ragspine_pg.contract.result import Hit, SearchResult

_REASONS: Final = {
    "nothing_readable": "no library of those asked for holds a document that these principals may read",
    "no_searchable_term": "the query holds no searchable word",
    "only_exclusions": "the query says only what must not occur",
    "required_term_missing": "a word that the query demands occurs in nothing these principals may read",
    "no_match": "no readable passage matches the query and passes the filter",
    "fewer_matches": "no more passages match",
}
_WARNINGS: Final = {
    "backstop_off": "row-level security does not bind this login (--single-login)",
    "library_without_readable_documents": "unknown, or nothing in it that these principals may read",
    "no_parent_window": "--expand parent shows nothing more: these passages were cut without parents (parent_child cuts"
    " with them)",
    "weights_without_effect": "--weights weighs two legs, and one ran",
}


def show_result(console: Console, result: SearchResult) -> None:
    """Every hit, then what was searched, why there are not more, warnings, and on a terminal how to go on."""
    traced = (result.trace or {}).get("libraries", {})
    for hit in result.hits:
        shares = traced.get(hit.library_id, {}).get("contributions", {}).get(hit.chunk_id, ())
        _show_hit(console, hit, width=len(str(result.hits[-1].rank)), mode=result.mode, shares=shares)
    searched = ", ".join(f"{library} v{version}" for library, version in result.index_versions.items())
    count = len(result.hits)
    summary = f"{count} passage{'' if count == 1 else 's'} · {result.mode}"
    summary += f" · {searched}" if searched else ""
    console.print(styled((f"{summary} · {result.usage.seconds * 1000:.0f} ms", "dim")))
    if result.reason is not None:
        console.print(styled((f"{result.reason}: {_REASONS.get(result.reason, '')}".rstrip(": "), "yellow")))
    for warning in result.warnings:
        meaning = _WARNINGS.get(warning.partition(":")[0], "")
        console.print(styled((f"warning {warning}: {meaning}".rstrip(": "), "bold yellow")))
    if result.trace is not None:
        for library, trace in result.trace.get("libraries", {}).items():
            _show_trace(console, library, trace)
    if console.is_terminal and result.cursor is not None:
        # For copying, like a citation: on one line, however long.
        console.print(styled((f"for more, repeat it with --after {result.cursor}", "dim")), soft_wrap=True)


def show_explanation(console: Console, told: Explanation, in_full: Explanation | None) -> None:
    """The verdict a caller gets, the administrator's where it says more, and the query's words."""
    console.print(styled((told.verdict, "bold"), f": {told.detail}"))
    if in_full is not None and (in_full.verdict, in_full.detail) != (told.verdict, told.detail):
        console.print(styled("to the administrator: ", (in_full.verdict, "bold"), f": {in_full.detail}"))
    if told.score is not None:
        gap = "" if told.gap is None else f", {told.gap:.6g} short of the last that was asked for"
        console.print(styled(f"rank {told.rank}, score {told.score:.6g}{gap}, chunk {told.chunk_id}"))
    if told.terms:
        console.print(_terms(told.terms))
    if told.contributions:
        console.print(styled((_sum(told.contributions), "dim")), soft_wrap=True)


def _sum(contributions: Sequence[Mapping[str, Any]]) -> str:
    """What the words add to a score by words."""
    return "by words: " + " + ".join(f"{share['lexeme']} {share['contribution']:.4f}" for share in contributions)


def _show_hit(console: Console, hit: Hit, *, width: int, mode: str, shares: Sequence[Mapping[str, Any]] = ()) -> None:
    indent = width + 2
    title = hit.title or hit.document_id
    first = styled((f"{hit.rank:>{width}}  ", "bold"), (title, "bold green"), (f"  {hit.score:.4f}", "cyan"))
    if mode == RetrievalMode.HYBRID.value:
        ranks = ", ".join(f"{leg} {rank}" for leg, rank in hit.ranks.items())
        first.append_text(styled((f"  ({ranks})", "dim")))
    console.print(first)
    place = f"{hit.tenant}/{hit.library_id}/{hit.document_id} · v{hit.index_version} · {hit.sensitivity.value}"
    _indented(console, styled((place, "dim")), indent)
    lines = [hit.source_uri, hit.locator]
    if hit.window_text and hit.parent_locator != hit.locator:
        lines.append(f"window {hit.parent_locator}")
    for line in filter(None, lines):
        # A citation is for copying: it is not broken into lines.
        console.print(Text(" " * indent).append(styled((line, "dim"))), soft_wrap=True)
    if shares:
        _indented(console, styled((_sum(shares), "dim")), indent)
    _indented(console, _passage(hit), indent)
    console.print()


def _indented(console: Console, text: Text, indent: int) -> None:
    """Wrapped to the screen; unlike a Padding it leaves no blanks at the end of lines."""
    for line in text.wrap(console, max(20, console.width - indent)):
        line.rstrip()
        console.print(Text(" " * indent if line.plain else "").append(line))


def _passage(hit: Hit) -> Text:
    """The text; within its window, where there is one, the passage itself stands out."""
    if not hit.window_text:
        return Text(visible(hit.text) or one_line(hit.title))
    before, found, after = hit.window_text.partition(hit.text) if hit.text else (hit.window_text, "", "")
    return Text(visible(before), style="dim").append(visible(found), style="not dim").append(visible(after))


def _show_trace(console: Console, library: str, trace: Mapping[str, Any]) -> None:
    found = ", ".join(f"{n} matches by {leg} {trace['strategy'][leg]}" for leg, n in trace["matches"].items())
    shown = f"{found}, analyzer {trace['analyzer']}"
    console.print()
    console.print(styled((library, "bold"), f" v{trace['index_version']}: {shown}"))
    for clause in trace["clauses"]:
        if (clause["occurs"], clause["kind"]) != ("may", "words"):
            may = "has to occur, if its words do" if clause["kind"] == "phrase" else "counts"
            said = {"may": may, "must": "has to occur", "not": "must not occur"}[clause["occurs"]]
            console.print(styled(f"{clause['kind']} ", (str(clause["text"]), "bold"), f" {said}"))
    console.print(_terms(trace["terms"]))


def _terms(terms: Any) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("word")
    for name in ("in the query", "readable chunks", "idf"):
        table.add_column(name, justify="right")
    for term in terms:
        table.add_row(
            styled(str(term["lexeme"])), str(term["frequency"]), f"{term['chunks']:,}", f"{float(term['idf']):.4f}"
        )
    return table
