"""What a process that has just started loads until it has answered: it costs each command and each worker."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from django.conf import settings
from django.db import connection

from marketplace.publishing.publish import publish
from plugins.models import Plugin
from trees.models import DecisionTree

WEATHER = "What is the minimum cover for a beam exposed to weather?"

# What other things are done with. A worker that answers keeps none of it in memory, either.
NOT_NEEDED = frozenset(
    {
        *("celery", "kombu", "markdown_it", "yaml", "jsonschema", "httpx2", "openai", "pint", "dateparser", "jinja2"),
        *("rest_framework.views", "drf_spectacular.openapi", "docx", "openpyxl", "pypdfium2", "reportlab", "rapidocr"),
        *("lexic.urls", "api.urls", "builder.urls", "workspace.urls"),
        *("knowledge.tasks", "knowledge.ingest", "knowledge.chunking.chunker", "webhooks.sender", "PIL.Image"),
        # What others load beside what is asked of them, or would load as soon as they are installed.
        *("requests", "unfold.sites", "allauth.socialaccount.providers.google.provider", "cryptography.x509"),
        *("openvino.tools.ovc", "openvino.frontend.tensorflow", "numpy.ma"),
    }
)
PROGRAM = """
import sys
from local.module_loading import loading_modules
with loading_modules():
    import django
    django.setup()
from django.core.management import call_command
call_command("ask", "cover", sys.argv[1])
print("loaded:", *sys.modules)
"""


TREES = frozenset({"querying.question.tree_selection", "querying.question.clarification_replies", "trees.walk"})


@pytest.mark.django_db(transaction=True)
def test_an_answer_loads_nothing_that_other_work_is_done_with(published: Plugin) -> None:
    loaded = modules_of_an_answer()
    assert {"querying.pipeline", "openvino"}.issubset(loaded)
    assert NOT_NEEDED.intersection(loaded) == set()


@pytest.mark.django_db(transaction=True)
def test_an_answer_loads_no_trees_where_a_plugin_has_none(published: Plugin) -> None:
    DecisionTree.objects.filter(plugin=published).delete()
    publish(published, by=published.owner)
    assert TREES.intersection(modules_of_an_answer()) == set()


def modules_of_an_answer() -> frozenset[str]:
    """The modules that a process has loaded which has started and answered one question."""
    environment = {**os.environ, "LEXIC_TEST_DATABASE": str(connection.settings_dict["NAME"])}
    command = [sys.executable, "-c", PROGRAM, WEATHER]
    done = subprocess.run(
        command, cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True, timeout=600, check=True
    )
    answer, _, loaded = done.stdout.partition("loaded: ")
    assert "[Source 1]" in answer
    return frozenset(loaded.split())
