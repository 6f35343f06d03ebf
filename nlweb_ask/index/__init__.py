"""Documents and passages of the site as a search index, kept fresh with every save."""
