"""How fast Headlight is, as one table: `make bench`."""
