"""The limits of agent runs, and the lease by which their process shows that it is alive."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from environs import Env, validate


@dataclass(frozen=True, kw_only=True)
class Budgets:
    """The most that one run may use. `seconds` is the time that it works, without the time that it waits."""

    iterations: int
    calls: int
    tokens: int
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class AgentSettings:
    """`desk` is the slug of the plugin that a conversation asks where it names none. `models` has the name of a model
    for each that callers can choose; empty: the site's. A model is told so much of what was said before as fits into
    `history_tokens`. A process that has not renewed its run for `lease_seconds` is
    taken for dead, and after `max_attempts` of them the run fails."""

    desk: str
    models: dict[str, str]
    budgets: Budgets
    history_tokens: int
    lease_seconds: float
    max_attempts: int = 3


def read_agent_settings(env: Env) -> AgentSettings:
    at_least_one = validate.Range(min=1)
    return AgentSettings(
        desk=env.str("LEXIC_DESK", ""),
        models={"haiku": env.str("LEXIC_MODEL_HAIKU", ""), "sonnet": env.str("LEXIC_MODEL_SONNET", "")},
        budgets=Budgets(
            iterations=env.int("LEXIC_RUN_ITERATIONS", 15, validate=at_least_one),
            calls=env.int("LEXIC_RUN_CALLS", 40, validate=at_least_one),
            tokens=env.int("LEXIC_RUN_TOKENS", 120_000, validate=at_least_one),
            seconds=env.float("LEXIC_RUN_SECONDS", 300.0, validate=at_least_one),
        ),
        history_tokens=env.int("LEXIC_RUN_HISTORY_TOKENS", 8000, validate=validate.Range(min=0)),
        lease_seconds=env.float("LEXIC_RUN_LEASE_SECONDS", 15.0, validate=at_least_one),
    )
