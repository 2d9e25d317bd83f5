"""HTTP around the domains: guarded routes, security headers, text checks and the built web application."""
