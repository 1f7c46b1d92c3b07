"""Who answers, for whom and how."""
