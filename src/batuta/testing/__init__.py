"""For your tests: doubles that do what they say, and the suites every implementation of a seam has to pass."""
