"""The dashboard and the alarms ask for metrics that exist, with labels and values that they have."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
import yaml
from prometheus_client.metrics import MetricWrapperBase

from lexic import metric_instruments
from lexic.gauges import all_gauges
from tests.lexic.running import ROOT

_NAME = re.compile(r"\blexic_\w+")
_BY = re.compile(r"\bby \(([^)]*)\)")
_SUFFIXES = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum"), "gauge": ("",)}


def known_series() -> dict[str, set[str]]:
    """The labels of every series that Lexic has, by its name."""
    found = {}
    for instrument in vars(metric_instruments).values():
        if isinstance(instrument, MetricWrapperBase):
            for suffix in _SUFFIXES[instrument._type]:
                labels = {*instrument._labelnames, *({"le"} if suffix == "_bucket" else ())}
                found[instrument._name + suffix] = labels
    return found | {gauge.name: {gauge.label} for gauge in all_gauges()}


def dashboard_expressions() -> Iterator[str]:
    for panel in json.loads((ROOT / "deploy/grafana/lexic.json").read_text())["panels"]:
        yield from (target["expr"] for target in panel.get("targets", []))


def alarm_expressions() -> Iterator[str]:
    for group in yaml.safe_load((ROOT / "deploy/prometheus/alerts.yaml").read_text())["groups"]:
        yield from (rule["expr"] for rule in group["rules"])


@pytest.mark.parametrize("expression", [*dashboard_expressions(), *alarm_expressions()])
def test_every_expression_names_series_and_labels_that_there_are(expression: str) -> None:
    known = known_series()
    (name,) = set(_NAME.findall(expression))
    assert name in known
    grouped = {label.strip() for labels in _BY.findall(expression) for label in labels.split(",")}
    chosen = set(re.findall(r"(\w+)=~?\"", expression)) | set(re.findall(r"(\w+)!=\"", expression))
    assert grouped - {""} | chosen <= known[name]


def test_every_metric_is_on_the_dashboard_and_in_the_documentation() -> None:
    shown = " ".join(dashboard_expressions())
    written = (ROOT / "docs/operations.md").read_text()
    for name in known_series():
        family = re.sub(r"_(bucket|count|sum)$", "", name)
        assert family in shown, name
        assert family in written or family == "lexic_version_info", name


def test_the_panels_have_places_of_their_own() -> None:
    panels = json.loads((ROOT / "deploy/grafana/lexic.json").read_text())["panels"]
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken
        assert at["x"] + at["w"] <= 24
        taken |= cells
    assert len({panel["id"] for panel in panels}) == len(panels)
