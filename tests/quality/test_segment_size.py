"""The size of a posting segment, which the SQL files hold as a literal, is the one that seals are made with."""

import re
from pathlib import Path

import pytest

from ragspine_pg.contract.posting import SEGMENT

SQL = Path(__file__).parents[2] / "sql"

# Of a place, of a vector over a segment's places, of a sparse one; the other kind of sparse vector is over all lexemes.
SIZES = re.compile(
    r"(?:\b(?:place|segment_no)\s*[*/%]\s*|\bARRAY\[|\bposition\s*<=\s*|\}/)(\d{3,})\b(?<!\}/1000000000)"
)
LITERAL = re.compile(rf"(?<![\w.]){SEGMENT}(?![\w.])")

NOT_A_SEGMENT = {"vector_index_ddl_v1"}
"""Hold the same number for another reason: dimensions that an index of pgvector takes."""

FILES = {path.stem: path for path in sorted(SQL.glob("*/*.sql")) if path.stem not in NOT_A_SEGMENT}


def _code(text: str) -> str:
    return re.sub(r"--[^\n]*", "", text)


def faults(text: str) -> list[str]:
    """What is wrong with the sizes in a file: one is another one, or the number stands where it is not known as one."""
    code = _code(text)
    sizes = [int(size) for size in SIZES.findall(code)]
    found = [f"a segment of {size}" for size in sizes if size != SEGMENT]
    if len(LITERAL.findall(code)) > sizes.count(SEGMENT):
        found.append(f"{SEGMENT} where this test does not know it as the size of a segment")
    return found


def test_every_size_of_a_segment_in_sql_is_that_of_seals() -> None:
    found = {stem: faults(path.read_text(encoding="utf-8")) for stem, path in FILES.items()}
    assert {stem: of for stem, of in found.items() if of} == {}


PLACES = [
    (stem, match.span(1))
    for stem, path in FILES.items()
    for match in SIZES.finditer(_code(path.read_text(encoding="utf-8")))
]


def test_the_sizes_are_found() -> None:
    named = {stem for stem, _ in PLACES}
    assert named >= {"search_postings_v1", "parse_postings_v1", "audit_postings"}
    assert len(PLACES) >= 10


@pytest.mark.parametrize(("stem", "place"), PLACES, ids=lambda value: str(value))
def test_every_size_of_a_segment_has_teeth(stem: str, place: tuple[int, int]) -> None:
    code = _code(FILES[stem].read_text(encoding="utf-8"))
    assert faults(code[: place[0]] + str(SEGMENT // 2) + code[place[1] :]) == [f"a segment of {SEGMENT // 2}"]


def test_a_size_of_another_form_has_teeth() -> None:
    assert faults(f"SELECT n <> {SEGMENT}")
