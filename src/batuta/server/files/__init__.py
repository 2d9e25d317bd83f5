"""Files of people: uploads that resume, folders, previews, and their text in the index (P-34)."""
