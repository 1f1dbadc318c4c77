"""One module per cost: its value on a block, its lower bound."""
