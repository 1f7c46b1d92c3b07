"""Read by the build as well as by the code, so there is one place to change."""

VERSION = "0.1.0"
