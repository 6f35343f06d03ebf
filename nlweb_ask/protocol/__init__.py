"""NLWeb and the other wire forms: plain Python that knows no Django and no request."""
