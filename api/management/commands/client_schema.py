from __future__ import annotations

import json
from typing import Any

from api.schema.client_schema import make_client_schema
from lexic.management.lexic_command import LexicCommand


class Command(LexicCommand):
    help = """Print the part of the API's description that the TypeScript package is made of.

After a change of the API:

  manage.py client_schema > sdk-ts/openapi.json
  cd sdk-ts && npm run types"""

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(json.dumps(make_client_schema(), indent=1, ensure_ascii=False))
