"""The platform's own rows: engines, tables, migrations, and the principal a transaction acts for."""
