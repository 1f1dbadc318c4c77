"""Strategy `enumeration`: the paper's search over the partition enumeration tree."""
