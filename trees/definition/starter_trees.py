"""Trees to begin with, ready to be changed."""

from __future__ import annotations

from typing import Any

# One question and its two ends: enough to see how a tree works, and to put one's own words in.
MINIMAL_TREE: dict[str, Any] = {
    "rootNodeId": "start",
    "nodes": {
        "start": {
            "id": "start",
            "type": "question",
            "label": "The first question",
            "question": {"text": "What do you have to know first?", "options": ["yes", "no"]},
            "childrenByAnswer": {"yes": "end_yes", "no": "end_no"},
        },
        "end_yes": {
            "id": "end_yes",
            "type": "action",
            "label": "If yes",
            "action": {"recommendation": "What is recommended when it is so"},
        },
        "end_no": {
            "id": "end_no",
            "type": "action",
            "label": "If no",
            "action": {"recommendation": "What is recommended when it is not"},
        },
    },
}

# One node of each kind.
EXAMPLE_TREE: dict[str, Any] = {
    "rootNodeId": "exposure",
    "nodes": {
        "exposure": {
            "id": "exposure",
            "type": "question",
            "label": "Exposure?",
            "question": {"text": "How is the member exposed?", "options": ["mild", "severe"]},
            "childrenByAnswer": {"mild": "cover_mild", "severe": "size"},
        },
        "size": {
            "id": "size",
            "type": "condition",
            "label": "Is the bar thick?",
            "condition": {"field": "bar_diameter", "operator": "gt", "value": "40 mm"},
            "trueChildId": "cover_thick",
            "falseChildId": "cover_severe",
        },
        "cover_mild": {
            "id": "cover_mild",
            "type": "action",
            "label": "Mild",
            "action": {"recommendation": "20 mm nominal cover", "sourceHint": "table of nominal cover, mild"},
        },
        "cover_severe": {
            "id": "cover_severe",
            "type": "action",
            "label": "Severe",
            "action": {"recommendation": "45 mm nominal cover", "sourceHint": "table of nominal cover, severe"},
        },
        "cover_thick": {
            "id": "cover_thick",
            "type": "action",
            "label": "Thick bars",
            "action": {"recommendation": "cover of one bar diameter", "sourceHint": "cover and bar diameter"},
        },
    },
}
