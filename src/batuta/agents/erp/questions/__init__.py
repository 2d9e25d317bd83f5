"""What business questions mean, once their words are found: figures, lists, single records."""
