"""The ERP agent: answers about the business from its records, and changes them behind approval."""
