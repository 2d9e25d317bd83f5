"""The ERP of the platform: Business Central where one is configured, else the sandbox that comes with it."""
