"""`python -m lexic_sdk` is the command `lexic`."""

from __future__ import annotations

import sys

from lexic_sdk.command import main

sys.exit(main())
