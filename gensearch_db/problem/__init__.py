"""The problem: what to anonymize, what to protect, what to minimize, when to stop."""
