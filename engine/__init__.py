"""The rules of Crisps!: pure, immutable, standard library only."""
