"""Fixed sentences of answers: how a plugin refuses, and what stands before what its decision tree recommends."""

from __future__ import annotations

from lexic.phrases import phrase
from plugins.models import PluginKind, Release

# The wording of an expert's refusal, fixed by the first specification.
REFUSAL = phrase(
    "I don't have verified information on this topic in my knowledge base. Please consult a qualified professional."
)

# No professional knows somebody's code: the files that came nearest are named beside the refusal.
LIBRARY_REFUSAL = phrase(
    "I don't have verified information on this topic in my knowledge base. "
    "Please look at the nearest files, or ask the people who maintain the code."
)
REFUSALS = {PluginKind.EXPERT: REFUSAL, PluginKind.LIBRARY: LIBRARY_REFUSAL}

# What an expert's tree recommends is said as the expert's.
RECOMMENDATION_LEAD = phrase("The expert recommends:")

# Where the person does not know what the tree asks.
OUTCOMES_LEAD = phrase("The expert's recommendation depends on the answer:")

# In place of what it recommends for an answer, where citations are mandatory.
NO_PAGE = phrase("no page says what the expert recommends for this")

# What we say ourselves at the beginning of a text that quotes sources.
OPENING_LINES = (RECOMMENDATION_LEAD, OUTCOMES_LEAD)


def refusal_text(release: Release) -> str:
    """How the plugin of the release says that its documents do not answer."""
    return REFUSALS[PluginKind(release.plugin.kind)]
