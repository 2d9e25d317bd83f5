"""Who somebody is: local accounts, logins, OpenID Connect."""
