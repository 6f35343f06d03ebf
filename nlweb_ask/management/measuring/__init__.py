"""Measuring how well questions find their pages, for `nlweb_eval`."""
