"""The report a person looks at: one page that needs nothing else."""

import json
import os
from html import escape
from pathlib import Path

from ragspine_pg.evaluation.chart import histogram
from ragspine_pg.evaluation.report import CaseResult, EvaluationReport

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --faint: #777; --good: #2a7d4f; --bar: #4a76b8; }
@media (prefers-color-scheme: dark) { :root { --good: #5fc08c; --bar: #7fa8e6; --faint: #999; } }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
.faint { color: var(--faint); } .charts { display: flex; flex-wrap: wrap; gap: 2rem; }
figure { margin: 0; } figcaption { margin-bottom: .3rem; }
svg rect { fill: var(--bar); } svg text { fill: currentColor; font-size: 11px; } svg line { stroke: var(--line); }
table { border-collapse: collapse; } th { text-align: left; font-weight: 600; }
th, td { padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.cases { width: 100%; } .cases th { position: sticky; top: 0; background: Canvas; }
.cases td:nth-child(2) { min-width: 16rem; overflow-wrap: anywhere; }
.found { font-size: .85em; color: var(--faint); overflow-wrap: anywhere; }
.found b { color: var(--good); }
"""


def write_report(report: EvaluationReport, path: str | os.PathLike[str]) -> None:
    """Write one HTML file: figures, distributions, and each case, worst first. It loads nothing from anywhere.

    The page quotes the queries and names documents; it quotes no document. Raises ``OSError`` where the file cannot be
    written.
    """
    Path(path).write_text(_page(report), encoding="utf-8")


def _page(report: EvaluationReport) -> str:
    title = escape(f"{report.dataset}: {report.mode}")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{title}</h1>
<p class="faint">{report.queries:,} queries{_left_out(report)} · {report.documents:,} documents ·
{report.chunks:,} chunks · library {escape(report.library)}, index version {report.index_version}<br>
dataset version {escape(report.dataset_version)}</p>
<h2>Figures</h2>
{_figures(report)}
<h2>Distribution</h2>
<div class="charts">
{_charts(report)}
</div>
<h2>Profile</h2>
<p><code>{escape(json.dumps(dict(report.profile), ensure_ascii=False, sort_keys=True))}</code></p>
<h2>Queries, worst first</h2>
<p class="faint">By nDCG@10, then R@100. Found: the first {_shown(report)} documents, those judged relevant in bold with
their grade.</p>
{_cases(report)}
</body>
</html>
"""


def _left_out(report: EvaluationReport) -> str:
    return f" ({report.left_out:,} without a vector left out)" if report.left_out else ""


def _figures(report: EvaluationReport) -> str:
    rows = [(name, f"{value:.4f}") for name, value in report.metrics.items()]
    rows += [(f"latency {name}", f"{value:.1f} ms") for name, value in report.latency_ms.items()]
    rows.append(("searches, in all", f"{report.usage.seconds:.1f} s"))
    rows.append(("sent to models", f"{report.usage.items:,} texts, {report.usage.tokens:,} tokens"))
    cells = "\n".join(f'<tr><th>{escape(name)}</th><td class="number">{value}</td></tr>' for name, value in rows)
    return f"<table>\n{cells}\n</table>"


def _charts(report: EvaluationReport) -> str:
    slowest = sorted(case.milliseconds for case in report.cases)
    end = max(slowest[int(len(slowest) * 0.99)], 0.1)  # the last percent would flatten the rest
    charts = [
        ("nDCG@10", [case.values["nDCG@10"] for case in report.cases], 1.0, ""),
        ("R@100", [case.values["R@100"] for case in report.cases], 1.0, ""),
        ("milliseconds a query (the slowest percent at the end)", [min(value, end) for value in slowest], end, " ms"),
    ]
    return "\n".join(
        f"<figure><figcaption>{escape(name)}</figcaption>{histogram(values, end, unit)}</figure>"
        for name, values, end, unit in charts
    )


def _cases(report: EvaluationReport) -> str:
    names = list(report.metrics)
    head = "".join(f'<th class="number">{escape(name)}</th>' for name in (*names, "ms"))
    worst = sorted(report.cases, key=lambda case: (case.values["nDCG@10"], case.values["R@100"]))
    rows = "\n".join(_case(case, names) for case in worst)
    return f'<table class="cases">\n<tr><th>id</th><th>query</th>{head}</tr>\n{rows}\n</table>'


def _case(case: CaseResult, names: list[str]) -> str:
    values = "".join(f'<td class="number">{case.values[name]:.3f}</td>' for name in names)
    found = " ".join(_found(case, document) for document in case.found) or "nothing"
    return (
        f'<tr><td>{escape(case.query_id)}</td><td>{escape(case.text)}<div class="found">{found}'
        f" (of {case.judged_relevant:,} relevant)</div></td>{values}"
        f'<td class="number">{case.milliseconds:.1f}</td></tr>'
    )


def _found(case: CaseResult, document: str) -> str:
    grade = case.relevant.get(document, 0)
    return f"<b>{escape(document)}<sup>{grade}</sup></b>" if grade > 0 else escape(document)


def _shown(report: EvaluationReport) -> int:
    return max(len(case.found) for case in report.cases)
