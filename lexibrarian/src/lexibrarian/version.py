"""The version of the package; footers name it as `generator`."""

VERSION = "0.1.0"
GENERATOR = f"lexibrarian v{VERSION}"
