"""Imported by a process of its own, it lets webhooks be sent to one port of this machine, which is not public."""

from __future__ import annotations

import os

from django.conf import settings

from lexic.egress_policy import EgressPolicy

PORT_VARIABLE = "LEXIC_TEST_RECEIVER_PORT"

if port := os.environ.get(PORT_VARIABLE):
    settings.WEBHOOK_POLICY = EgressPolicy(exempt=frozenset({("127.0.0.1", int(port))}))
