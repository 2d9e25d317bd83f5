"""Words everyone uses: errors, ids, the clock, messages and usage."""
