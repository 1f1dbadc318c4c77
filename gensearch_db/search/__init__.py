"""The searches: block graph, partition enumeration, Mondrian; bounds, incumbents, stopping."""
