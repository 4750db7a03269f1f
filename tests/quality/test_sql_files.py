"""Rules for the files of sql/, checked as text; each rule is shown to bite."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragspine_pg.schema.tables import metadata

SQL = Path(__file__).parents[2] / "sql"
TABLES = "|".join(table.name for table in metadata.tables.values())
KEYWORDS = "select|insert|update|delete|from|where|join|group by|order by|limit|create|returns|begin|return"

# Inlined into the statement that calls it, so it cannot carry a setting; its header says why each name is safe.
WITHOUT_SEARCH_PATH = re.compile(r"search_path", re.IGNORECASE)


def _code(text: str) -> str:
    """The text without comments and string literals; dollar-quoted bodies stay."""
    return re.sub(r"'(?:[^']|'')*'", "''", re.sub(r"--[^\n]*", "", text))


def _without_parameters(code: str) -> str:
    return re.sub(r"%\(\w+\)s", "%", code)


def _header(text: str) -> str:
    match = re.match(r"(?:--[^\n]*\n)+", text)
    return match[0] if match else ""


def faults(kind: str, stem: str, text: str, functions: frozenset[str]) -> Iterator[str]:
    """What is wrong with a file of ``sql/<kind>``; ``functions`` are the names of all of ours."""
    code = _code(text)
    if len(_header(text)) < 20:
        yield "no header that says what it is for"
    if not text.endswith("\n") or text.endswith("\n\n") or re.search(r"[ \t]\n|\t", text):
        yield "tabs, trailing blanks, or not exactly one line end at the end"
    if any(len(line) > 140 for line in text.split("\n")):
        yield "a line of more than 140 characters"
    if found := re.search(rf"\b({KEYWORDS})\b", _without_parameters(code)):
        yield f"keyword in lower case: {found[0]}"
    if found := re.search(rf"\b(?:FROM|JOIN|UPDATE|INSERT INTO|REFERENCES|TABLE)\s+(?:ONLY\s+)?({TABLES})\b", code):
        yield f"table without its schema: {found[1]}"
    names = "|".join(sorted(functions))
    if names and (found := re.search(rf"(?<![\w.\"])(?:{names})\s*\(", code)):
        yield f"function without its schema: {found[0]}"
    if found := re.search(r"@(?!vector@)\w+@", code):
        yield f"a placeholder that is not @vector@: {found[0]}"
    if kind == "queries" and (found := re.search(r"\{\w*\}|%s|%\(\w+\)(?!s)|\$\d", code)):
        yield f"a parameter that is not %(name)s: {found[0]}"
    if re.search(r"(?<!@vector@\.)\b(?:sparsevec|halfvec)\b", code):
        yield "a type of pgvector without its schema"
    if re.search(r"(?<!\.)<[#=+~%]>", code):
        yield "an operator of pgvector without its schema"
    if kind == "functions":
        yield from _function_faults(stem, text, code)


def _function_faults(stem: str, text: str, code: str) -> Iterator[str]:
    if re.findall(r"\bCREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE) ([\w.]+)", code) != [f"ragspine.{stem}"]:
        yield "does not create exactly the function of the file's name"
    if "OR REPLACE" in code:
        yield "replaces: a version is created once"
    if not re.search(rf"^COMMENT ON FUNCTION ragspine\.{stem}\b", text, re.MULTILINE):
        yield "no COMMENT ON FUNCTION"
    if len(re.findall(r"\bLANGUAGE (?:sql|plpgsql)\b", code)) != 1:
        yield "language is not sql or plpgsql"
    if len(re.findall(r"\b(?:IMMUTABLE|STABLE|VOLATILE)\b", code)) != 1:
        yield "volatility is not said once"
    definer = "SECURITY DEFINER" in code
    if not re.search(r"\bSET search_path = pg_catalog, pg_temp\b", code):
        if definer or "LANGUAGE plpgsql" in code:
            yield "search_path is not pinned"
        elif not WITHOUT_SEARCH_PATH.search(_header(text)):
            yield "search_path is not pinned, and the header does not say why that is safe"
    if definer and not re.search(r"\bSET client_min_messages = error\b", code):
        yield "SECURITY DEFINER that lets a caller have its plans printed"
    if definer and "SECURITY DEFINER" not in _header(text):
        yield "SECURITY DEFINER without a reason in the header"
    if set(re.findall(r"ERRCODE\s*=\s*'(\w+)'", text)) - {f"RS{n:03}" for n in range(1, 100)}:
        yield "an SQLSTATE outside class RS"
    if re.search(r"\bRAISE EXCEPTION\b", code) and "ERRCODE" not in code:
        yield "an exception without an SQLSTATE of ours"


FILES = sorted(path for kind in ("functions", "policies", "queries") for path in (SQL / kind).glob("*.sql"))
FUNCTIONS = frozenset(path.stem for path in FILES if path.parent.name == "functions")


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_sql_file_keeps_the_rules(path: Path) -> None:
    assert list(faults(path.parent.name, path.stem, path.read_text(encoding="utf-8"), FUNCTIONS)) == []


def test_unversioned_functions_are_wrappers_of_versioned_ones() -> None:
    for stem in sorted(FUNCTIONS):
        if not re.search(r"_v\d+$", stem):
            body = _code((SQL / "functions" / f"{stem}.sql").read_text(encoding="utf-8"))
            assert re.search(r"ragspine\.\w+_v\d+\(", body), f"{stem} calls no versioned function"


GOOD = """\
-- Doubles a number, for the test of the rules.
--
-- SECURITY DEFINER: to show one.
CREATE FUNCTION ragspine.double_number_v1(number integer)
RETURNS integer
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET client_min_messages = error
AS $$
BEGIN
  IF number < 0 THEN
    RAISE EXCEPTION 'select a number from 0' USING ERRCODE = 'RS006';
  END IF;
  RETURN (SELECT number * 2 FROM ragspine.tenant LIMIT 1);
END
$$;

COMMENT ON FUNCTION ragspine.double_number_v1(integer) IS 'Doubles a number.';
"""

PLANTED = {
    "no header": (GOOD.split("INER: to show one.\n")[1], "no header"),
    "another name": (
        GOOD.replace("ragspine.double_number_v1(number", "ragspine.twice_v1(number"),
        "exactly the function",
    ),
    "two functions": (GOOD + GOOD, "exactly the function"),
    "no schema of its own": (GOOD.replace("FUNCTION ragspine.double", "FUNCTION double"), "exactly the function"),
    "replaces": (GOOD.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"), "replaces"),
    "no comment": (GOOD[: GOOD.index("\nCOMMENT")], "no COMMENT"),
    "other language": (GOOD.replace("plpgsql", "plpython3u"), "language"),
    "no volatility": (GOOD.replace(" STABLE", ""), "volatility"),
    "open path": (GOOD.replace("SET search_path = pg_catalog, pg_temp\n", ""), "not pinned"),
    "wide path": (GOOD.replace("pg_catalog, pg_temp", "pg_catalog, public"), "not pinned"),
    "talkative definer": (GOOD.replace("SET client_min_messages = error\n", ""), "plans printed"),
    "definer without reason": (GOOD.replace("-- SECURITY DEFINER: to show one.\n", ""), "without a reason"),
    "foreign state": (GOOD.replace("RS006", "22023"), "SQLSTATE outside"),
    "no state": (GOOD.replace(" USING ERRCODE = 'RS006'", ""), "without an SQLSTATE"),
    "bare table": (GOOD.replace("FROM ragspine.tenant", "FROM tenant"), "table without"),
    "bare function": (GOOD.replace("number * 2", "analyze_v1(number)"), "function without"),
    "lower case": (GOOD.replace("LIMIT 1", "limit 1"), "lower case: limit"),
    "bare type": (GOOD.replace("RETURNS integer", "RETURNS sparsevec"), "type of pgvector"),
    "bare operator": (GOOD.replace("number * 2", "number <#> number"), "operator of pgvector"),
    "other placeholder": (GOOD.replace("number * 2", "@schema@.f(number)"), "placeholder"),
    "tab": (GOOD.replace("  RETURN", "\tRETURN"), "tabs"),
    "no line end": (GOOD.rstrip(), "tabs"),
    "long line": (GOOD.replace("-- Doubles", "-- " + "x" * 140), "140"),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_sql_file_keeps_the_rules_has_teeth(fault: str) -> None:
    functions = frozenset({"double_number_v1", "analyze_v1"})
    assert list(faults("functions", "double_number_v1", GOOD, functions)) == []
    text, expected = PLANTED[fault]
    assert any(expected in found for found in faults("functions", "double_number_v1", text, functions))


@pytest.mark.parametrize("text", ["SELECT {name}", "SELECT %s", "SELECT $1", "SELECT %(name)d"])
def test_query_takes_named_parameters_only_has_teeth(text: str) -> None:
    header = "-- A query, for the test of the rules.\n"
    assert list(faults("queries", "q", f"{header}SELECT %(name)s\n", frozenset())) == []
    assert any("%(name)s" in found for found in faults("queries", "q", f"{header}{text}\n", frozenset()))
