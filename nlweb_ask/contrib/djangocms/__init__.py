"""django CMS's pages as a source: one line in `INSTALLED_APPS`, and they can be asked."""
