from __future__ import annotations

from haystack import indexes

from tests.contrib.guides.models import Guide


class GuideIndex(indexes.SearchIndex, indexes.Indexable):
    text = indexes.CharField(document=True)

    def get_model(self):
        return Guide

    def prepare_text(self, guide):
        return f"{guide.title}\n{guide.body}"
