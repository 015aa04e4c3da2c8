"""The resources: one small view per operation, each a few lines around a use case."""
