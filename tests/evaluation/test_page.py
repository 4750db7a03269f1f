"""The report a person looks at."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ragspine_pg.errors import ConfigurationError
from ragspine_pg.evaluation import CaseResult, EvaluationReport, write_report
from ragspine_pg.evaluation.chart import BINS, histogram
from ragspine_pg.evaluation.measures import MEASURES


def case(query_id: str, value: float, *, text: str = "a query", milliseconds: float = 5.0) -> CaseResult:
    return CaseResult(query_id, text, dict.fromkeys(MEASURES, value), milliseconds, ("d1", "d2"), {"d2": 3}, 2)


REPORT = EvaluationReport(
    dataset="fruit",
    dataset_version="0" * 64,
    mode="economy",
    library="evaluation/fruit",
    index_version=1,
    profile={"analyzer": "english", "k1": 1.2},
    documents=4,
    chunks=9,
    cases=(case("good", 1.0), case("bad", 0.0, milliseconds=50.0), case("fair", 0.5, text="</td><script>x</script>")),
)


def page(report: EvaluationReport, path: Path) -> str:
    write_report(report, path)
    return path.read_text(encoding="utf-8")


def test_page_stands_alone(tmp_path: Path) -> None:
    written = page(REPORT, tmp_path / "report.html")
    assert re.findall(r"""(?:src|href|url|@import)\s*[=(]""", written) == []
    assert written.count("<svg") == 3


def test_page_is_well_formed(tmp_path: Path) -> None:
    opened: list[str] = []

    class Check(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in ("meta", "br"):
                opened.append(tag)

        def handle_startendtag(self, tag: str, attrs: object) -> None:
            pass

        def handle_endtag(self, tag: str) -> None:
            assert opened.pop() == tag

    parser = Check(convert_charrefs=True)
    parser.feed(page(REPORT, tmp_path / "report.html"))
    parser.close()
    assert opened == []


def test_cases_come_worst_first_with_what_was_found(tmp_path: Path) -> None:
    written = page(REPORT, tmp_path / "report.html")
    table = written[written.index('<table class="cases">') :]
    assert re.findall(r"<tr><td>(\w+)</td>", table) == ["bad", "fair", "good"]
    assert "d1 <b>d2<sup>3</sup></b> (of 2 relevant)" in table


def test_figures_are_those_of_the_report(tmp_path: Path) -> None:
    written = page(REPORT, tmp_path / "report.html")
    assert written.count('<td class="number">0.5000</td>') == len(MEASURES)
    assert '<td class="number">50.0 ms</td>' in written
    assert REPORT.latency_ms == {"p50": 5.0, "p95": 50.0}


def test_queries_and_ids_cannot_write_markup(tmp_path: Path) -> None:
    hostile = replace(REPORT, dataset="<b>", cases=(replace(REPORT.cases[2], found=("<i>&",), query_id='"<u>'),))
    written = page(hostile, tmp_path / "report.html")
    assert "<script" not in written
    assert "<u>" not in written
    assert "<title>&lt;b&gt;" in written
    assert "&lt;i&gt;&amp;" in written
    assert "&lt;/td&gt;&lt;script&gt;" in written


@pytest.mark.parametrize(
    ("values", "bars"),
    [([0.0, 0.0, 0.049], {0: 3}), ([1.0, 0.95, 0.5], {19: 2, 10: 1}), ([7.0], {19: 1}), ([], {})],
)
def test_histogram_counts_every_value_once(values: list[float], bars: dict[int, int]) -> None:
    drawn = ElementTree.fromstring(histogram(values, 1.0))
    counts = [int((rect.findtext("title") or "").rpartition(" ")[2]) for rect in drawn.iter("rect")]
    assert counts == [bars.get(at, 0) for at in range(BINS)]


@pytest.mark.parametrize("written", ["", "{}", "[]", "no JSON", '{"cases": [{}]}', '{"cases": 1}'])
def test_what_is_no_report_is_refused(written: str) -> None:
    with pytest.raises(ConfigurationError, match="not an evaluation report"):
        EvaluationReport.from_json(written)


def test_a_report_without_its_cases_is_refused() -> None:
    with pytest.raises(ConfigurationError):
        EvaluationReport.from_json(REPORT.to_json())
    assert EvaluationReport.from_json(REPORT.to_json(cases=True)) == REPORT
