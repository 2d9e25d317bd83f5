"""What a business document does to the books: pure functions from documents to ledger entries."""
