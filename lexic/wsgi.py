import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lexic.settings")
application = get_wsgi_application()

from lexic.postgresql.base import watch_connections  # noqa: E402 -- loads what the settings choose

watch_connections()
