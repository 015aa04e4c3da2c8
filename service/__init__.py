"""The HTTP service: turns requests into engine and AI calls; decides no rule of the game."""

__version__ = "1.0.0"
