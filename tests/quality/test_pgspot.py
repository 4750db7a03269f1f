"""pgspot, the linter for unsafe SQL, finds nothing in functions, policies, and the script that installs them."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from ragspine_pg.schema.environment import PREPARE
from ragspine_pg.schema.migrate import sql_script
from ragspine_pg.statement.render import render

SQL = Path(__file__).parents[2] / "sql"

_INLINED = "inlined into its caller's statement, which a setting would prevent; its names are qualified or pg_catalog's"

# (file, code) → why it is safe; how often it is found is part of the list.
IGNORED: dict[tuple[str, str], tuple[int, str]] = {
    ("analyze_chunk_v1", "PS005"): (1, _INLINED),
    ("begin_words_v1", "PS005"): (1, _INLINED),
    ("cjk_class_v1", "PS005"): (1, _INLINED),
    ("counted_class_v1", "PS005"): (1, _INLINED),
    ("drop_ignorable_v1", "PS005"): (1, _INLINED),
    ("fold_accents_v1", "PS005"): (1, _INLINED),
    ("ignorable_class_v1", "PS005"): (1, _INLINED),
    ("list_impacts_v1", "PS005"): (1, _INLINED),
    ("list_lexemes_v1", "PS005"): (1, _INLINED),
    ("parse_impacts_v1", "PS005"): (1, _INLINED),
    ("parse_postings_v1", "PS005"): (1, _INLINED),
    ("split_camel_v1", "PS005"): (1, _INLINED),
    ("strip_cjk_v1", "PS005"): (1, _INLINED),
}


def _rendered(folder: Path) -> list[Path]:
    """Every function as it is created, and every policy behind the settings that a migration begins with."""
    paths = []
    for kind in ("functions", "policies"):
        for source in sorted((SQL / kind).glob("*.sql")):
            text = render(source.read_text(encoding="utf-8"), "public")
            before = "" if kind == "functions" else PREPARE[0].replace("LOCAL ", "") + ";\n"
            paths.append(folder / source.name)
            paths[-1].write_text(before + text, encoding="utf-8")
    return paths


def findings(paths: list[Path]) -> Counter[tuple[str, str]]:
    """(file, code) of what pgspot reports; a file that it cannot read counts as a finding of code ``fatal``."""
    command = [str(Path(sys.executable).with_name("pgspot")), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found: Counter[tuple[str, str]] = Counter()
    current = ""
    read = 0
    for line in map(str.strip, done.stdout.split("\n")):
        if line.endswith(".sql:"):
            current, read = Path(line[:-1]).stem, read + 1
        elif match := re.match(r"PS\d{3}", line):
            found[current, match[0]] += 1
        elif line and not line.startswith(("Errors:", "TOTAL:")):
            found[current, f"fatal: {line}"] += 1
    assert (read, done.stderr) == (len(paths), "")
    return found


def test_functions_and_policies_are_safe(tmp_path: Path) -> None:
    assert dict(findings(_rendered(tmp_path))) == {key: count for key, (count, _) in IGNORED.items()}


def script_findings(folder: Path, text: str) -> Counter[str]:
    """The codes that are reported of a whole script."""
    paths = [folder / "script.sql", folder / "other.sql"]  # with one file alone, pgspot does not name it
    paths[0].write_text(text, encoding="utf-8")
    paths[1].write_text("SELECT 1;\n", encoding="utf-8")
    return Counter(code for _, code in findings(paths).elements())


def test_the_script_that_installs_is_safe(tmp_path: Path) -> None:
    """With its blocks for roles, policies and rights, which no file of ours holds."""
    allowed: Counter[str] = Counter()
    for (_, code), (count, _) in IGNORED.items():
        allowed[code] += count
    assert script_findings(tmp_path, sql_script()) == allowed


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("SECURITY DEFINER\nSET search_path = pg_catalog, pg_temp", "SECURITY DEFINER", "PS003"),
        ("SET LOCAL search_path = pg_catalog, pg_temp;", "", "PS001"),
    ],
)
def test_the_script_that_installs_is_safe_has_teeth(tmp_path: Path, old: str, new: str, code: str) -> None:
    text = sql_script()
    assert old in text
    assert script_findings(tmp_path, text.replace(old, new))[code] > 0


UNSAFE = """\
CREATE FUNCTION ragspine.leak_v1(number integer) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  RETURN (SELECT count(*) FROM chunk WHERE tenant_no = number);
END
$$;
"""


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (UNSAFE, "PS003"),  # a definer function without a pinned search_path
        (UNSAFE.replace("AS $$", "SET search_path = public AS $$"), "PS004"),
        (UNSAFE.replace("CREATE", "CREATE OR REPLACE"), "PS002"),
        ("CREATE FUNCTION broken", "fatal"),
    ],
)
def test_functions_and_policies_are_safe_has_teeth(tmp_path: Path, text: str, code: str) -> None:
    (tmp_path / "leak_v1.sql").write_text(text, encoding="utf-8")
    (tmp_path / "other_v1.sql").write_text("SELECT 1;\n", encoding="utf-8")
    found = findings([tmp_path / "leak_v1.sql", tmp_path / "other_v1.sql"])
    assert any(file == "leak_v1" and name.startswith(code) for file, name in found)
    assert not any(file == "other_v1" for file, _ in found)
