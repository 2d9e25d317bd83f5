"""What a worker process runs turns with: persistence, protection of the models, titles."""
