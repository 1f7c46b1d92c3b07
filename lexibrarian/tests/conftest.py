"""The fixtures. Tests import the rest from the module that defines them."""

from __future__ import annotations

from example_library import empty, library, own_home, shop

__all__ = ["empty", "library", "own_home", "shop"]
