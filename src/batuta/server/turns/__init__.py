"""Messages become turns; turns are stopped and followed."""
