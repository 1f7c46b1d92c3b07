"""The builder's page of persona and answer settings."""
