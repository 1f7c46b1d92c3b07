"""A small tree to begin with: one node of each kind, ready to be changed."""

from __future__ import annotations

from typing import Any

STARTER: dict[str, Any] = {
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
