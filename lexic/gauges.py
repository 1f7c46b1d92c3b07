"""Gauges, measured on request: by Prometheus, and on the operators' page.

Every app may add its own in its module `health_checks`, beside its checks. A gauge is a function without arguments that
gives a number, numbers by the values of its label, or None where there is nothing to measure.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from django.utils.module_loading import autodiscover_modules

logger = logging.getLogger(__name__)

Measure = Callable[[], "float | Mapping[str, float] | None"]


@dataclass(frozen=True, kw_only=True)
class Gauge:
    """`label` is empty where there is one number."""

    name: str
    help: str
    label: str
    measure: Measure

    def numbers(self) -> dict[str, float]:
        """The numbers by label value, or under "" without a label. Empty where the gauge cannot be measured."""
        try:
            found = self.measure()
        except Exception:  # the other gauges are measured all the same
            logger.exception("%s could not be measured", self.name)
            return {}
        if found is None:
            return {}
        return dict(found) if isinstance(found, Mapping) else {"": found}


_gauges: dict[str, Gauge] = {}


def register_gauge(name: str, help: str, *, label: str = "") -> Callable[[Measure], Measure]:  # noqa: A002
    """Registers a gauge under this name, which begins with lexic_ and ends with its unit."""

    def register(measure: Measure) -> Measure:
        _gauges[name] = Gauge(name=name, help=help, label=label, measure=measure)
        return measure

    return register


def all_gauges() -> Iterator[Gauge]:
    """The gauges of every app, in the order in which they were registered."""
    autodiscover_modules("health_checks")
    yield from _gauges.values()


def measure_gauge(name: str) -> dict[str, float]:
    """The numbers of one. Raises KeyError where there is none of this name."""
    autodiscover_modules("health_checks")
    return _gauges[name].numbers()
