"""Changes that people ask for in their own words: read, resolved against the ERP, and prepared for approval."""
