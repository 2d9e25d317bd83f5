"""Who is calling, what they may do, and which rows are theirs."""
