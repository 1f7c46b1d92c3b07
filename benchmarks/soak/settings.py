"""Lexic's own settings, with one exception: webhooks may reach the receiver of the soak, on this machine."""

from lexic.settings import *  # noqa: F403
from lexic.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "benchmarks.soak.apps.SoakConfig"]
