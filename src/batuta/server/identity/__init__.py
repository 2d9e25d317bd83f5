"""Identity: local accounts, logins, OpenID Connect."""
