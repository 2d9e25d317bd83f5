"""Benchmarks: `make bench`. Not part of the test suite; its figures go to `bench/results/`."""
