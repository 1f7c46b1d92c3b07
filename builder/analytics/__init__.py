"""How a plugin is asked, and how it answers: figures of any days."""
