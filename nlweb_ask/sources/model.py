"""Sources made from the models of a site."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, models
from django.db.models.expressions import Col
from django.db.models.lookups import Lookup
from django.db.models.sql.where import AND, OR, WhereNode
from django.utils import translation

from nlweb_ask.conf.failures import described
from nlweb_ask.plugins.errors import SourceFault
from nlweb_ask.plugins.types import (
    Section,
    SourceDocument,
    SourceRef,
    StampedIds,
    Viewer,
)
from nlweb_ask.sources.base import Source
from nlweb_ask.sources.columns import Column, stored
from nlweb_ask.sources.declared import value_of
from nlweb_ask.sources.field_text import FieldText, distinct_anchors, words_of
from nlweb_ask.sources.jsonable import jsonable
from nlweb_ask.sources.parts import MARK, divided, documents_of_parts
from nlweb_ask.sources.primary_keys import readable_keys
from nlweb_ask.sources.schema_org import dates, image, is_article, types
from nlweb_ask.sources.sites import default_site_id

logger = logging.getLogger("nlweb_ask.index")

NAME_FIELDS = ("title", "name", "headline")
MANY_FIELDS = ("text_fields", "html_fields")
ONE_FIELD = (
    *("name_field", "description_field", "language_field", "group_field"),
    *("version_field", "site_field", "published_field", "updated_field", "image_field"),
)
BATCH = 2_000  # rows fetched at a time while every object is listed
# The words of so many pages may be shown; more are asked about to be counted.
STAMPED_AT_ONCE = 100


class NoQuerySet(SourceFault, TypeError):
    """A method that must return a queryset of its model has returned something else."""


class ModelSource(Source):
    """The pages of one model: what exists, who may see it, and what it says.

    Everything it gives is made as for an anonymous visitor: no method but `visible_to`
    and `part_visible_to` is told who is asking.
    """

    model: type[models.Model]

    schema_type: str | Sequence[str] = "WebPage"
    text_fields: Sequence[str] = ()
    # Parts of a page with a rule of their own: the fields of each, by its name.
    parts: Mapping[str, Sequence[str]] = {}
    name_field: str = ""  # empty = title, name or headline, else str(obj)
    description_field: str = ""
    html_fields: Sequence[str] | None = None  # None = seen from each value
    language: str = ""  # empty = LANGUAGE_CODE
    language_field: str = ""
    group_field: str = ""  # what translations of one page have in common
    version_field: str = ""
    site_field: str = ""  # a site id, a foreign key or a many-to-many to sites
    published_field: str = ""
    # Declared, it says that a page changes only when one of its declared fields does:
    # a sweep for changes then leaves the others alone.
    updated_field: str = ""
    image_field: str = ""
    # Dates at which the clock opens or closes a page, or paths to them: "parent__expires".
    clock_fields: Sequence[str] = ()

    visibility_hint = (
        "Add public = True to the class where every page is for everyone; else add "
        "def visible_to(self, viewer, queryset)."
    )

    @classmethod
    def declared_fields(cls) -> Iterator[tuple[str, str]]:
        """Yield each attribute that names fields of the model, with each name."""
        for attribute in (*MANY_FIELDS, *ONE_FIELD):
            value = getattr(cls, attribute) or ()
            names = [value] if attribute in ONE_FIELD else value
            if not isinstance(names, str):
                yield from ((attribute, name) for name in names if name)
        for fields in cls.parts.values():
            if not isinstance(fields, str):
                yield from (("parts", name) for name in fields)

    @classmethod
    def declares_visibility(cls) -> bool:
        return (
            cls.public
            or cls.visible_to is not ModelSource.visible_to
            or cls.visible_ids is not ModelSource.visible_ids
        )

    @classmethod
    def serve(cls, model: type[models.Model]) -> None:
        """Take `model`, and its label as name unless the class has one of its own."""
        models_of_bases = (base.__dict__.get("model") for base in cls.__mro__)
        given = {served._meta.label_lower for served in models_of_bases if served}
        if not cls.name or cls.name in given:
            cls.name = model._meta.label_lower
        cls.model = model

    # What exists, and who may see it

    def get_queryset(self) -> models.QuerySet[Any]:
        """Return what exists at all: published, not deleted."""
        return self.model._default_manager.all()

    def visible_to(
        self, viewer: Viewer, queryset: models.QuerySet[Any]
    ) -> models.QuerySet[Any]:
        """Return the part of `queryset` that `viewer` may see: one queryset, no loop."""
        return queryset if self.public else queryset.none()

    def part_visible_to(
        self, part: str, viewer: Viewer, queryset: models.QuerySet[Any]
    ) -> models.QuerySet[Any]:
        """Return the pages of `queryset` whose `part` the viewer may see as well.

        The viewer may see all of them: a part carries the name of its page.
        """
        return queryset.none()

    def visible_ids(self, viewer: Viewer, object_ids: Collection[str]) -> set[str]:
        pages, of_parts = divided(object_ids, self.parts)
        visible = self._visible_pages(viewer, pages)
        for part, ids in of_parts.items():
            visible = _joined(visible, self._visible_parts(part, viewer, ids))
        return visible

    def _visible_parts(
        self, part: str, viewer: Viewer, object_ids: Collection[str]
    ) -> set[str]:
        keys = readable_keys(self.model, object_ids)
        if not keys or not self.declares_visibility():
            return set()
        pages = self._seen(viewer, keys)
        shown = self.part_visible_to(part, viewer, pages)
        of_pages = _among(pages, self._queryset("part_visible_to", shown))
        return self._stamped(of_pages, len(keys), f"{MARK}{part}")

    def _visible_pages(self, viewer: Viewer, object_ids: Collection[str]) -> set[str]:
        keys = readable_keys(self.model, object_ids)
        if not keys or not self.declares_visibility():
            return set()
        return self._stamped(self._seen(viewer, keys), len(keys))

    def _stamped(
        self, visible: models.QuerySet[Any], asked: int, mark: str = ""
    ) -> set[str]:
        """Return the ids of what is visible, with stamps where these may be read along."""
        if asked <= STAMPED_AT_ONCE and self._stamps_fit(visible):
            stamps = self._stamps(visible)
            return StampedIds({f"{key}{mark}": told for key, told in stamps.items()})
        return {f"{key}{mark}" for key in _keys(visible)}

    def _seen(self, viewer: Viewer, keys: Collection[Any]) -> models.QuerySet[Any]:
        asked = self._on_site(viewer.site_id, self._rows().filter(pk__in=keys))
        visible = self._queryset("visible_to", self.visible_to(viewer, asked))
        return _among(asked, visible)

    def _on_site(
        self, site_id: int, rows: models.QuerySet[Any]
    ) -> models.QuerySet[Any]:
        """Leave out what is on other sites by a many-to-many.

        It may change without a signal and moves no stamp, as a column of the row does.
        """
        many = {field.name for field in self.model._meta.many_to_many}
        if self.site_field not in many:
            return rows
        on_site = models.Q((self.site_field, site_id))
        if site_id == default_site_id():
            on_site |= models.Q((self.site_field, None))
        # By itself: a join would count in what `visible_to` may ask of the same rows.
        here = self.model._base_manager.using(rows.db).filter(on_site)
        return rows.filter(pk__in=here.values("pk"))

    def iter_refs(self) -> Iterator[SourceRef]:
        if not self.declares_visibility():
            return
        columns = self._readable_columns() if self.updated_field else []
        rows = _bare(self._rows()).order_by("pk").values_list("pk", *columns)
        # A join in get_queryset() may give one object several times.
        for key, (row, *_) in groupby(rows.iterator(BATCH), key=lambda row: row[0]):
            yield SourceRef(
                str(key), self._stamp(row[1:]) if self.updated_field else ""
            )

    def stamps(self, object_ids: Collection[str]) -> Mapping[str, str]:
        """Hash the declared fields as they are in the database now; one query.

        Words that come from elsewhere (a method, a related row) do not move it.
        """
        keys = readable_keys(self.model, object_ids)
        if not keys:
            return {}
        return self._stamps(self._rows().filter(pk__in=keys))

    def _stamps(self, rows: models.QuerySet[Any]) -> dict[str, str]:
        found = _bare(rows).values_list("pk", *self._readable_columns())
        return {str(key): self._stamp(values) for key, *values in found}

    def _stamp(self, values: Sequence[Any]) -> str:
        """Return the stamp of a row: of its page, and by itself that of its parts."""
        if not self.parts:
            return stamp_of(values)
        of_page = len(self._columns_of(self._names_of_page()))
        return f"{stamp_of(values[:of_page])}{MARK}{stamp_of(values[of_page:])[:31]}"

    def _stamps_fit(self, visible: models.QuerySet[Any]) -> bool:
        """Tell whether the columns of these rows may be read along with their keys.

        Not where a subclass has stamps of its own, and not where more columns could
        make other rows.
        """
        ours = getattr(self.stamps, "__func__", None) is ModelSource.stamps
        return ours and not (visible.query.distinct or visible.query.group_by)

    def _columns(self) -> list[str]:
        """Return the columns of the fields that this source names: of pages, of parts."""
        of_parts = [name for fields in self.parts.values() for name in fields]
        return self._columns_of(self._names_of_page()) + self._columns_of(of_parts)

    def _readable_columns(self) -> list[Column]:
        fields = {field.attname: field for field in self.model._meta.concrete_fields}
        return stored(fields[column] for column in self._columns())

    def _names_of_page(self) -> list[str]:
        return [
            *([self.name_field] if self.name_field else NAME_FIELDS),
            *self.text_fields,
            *(self.description_field, self.language_field, self.group_field),
            *(self.version_field, self.site_field, self.image_field),
            *(self.published_field, self.updated_field),
        ]

    def _columns_of(self, names: Iterable[str]) -> list[str]:
        """Return the columns among what these names stand for, each once."""
        columns = {
            field.name: field.attname for field in self.model._meta.concrete_fields
        }
        return list(dict.fromkeys(columns[n] for n in names if n in columns))

    def load(self, object_ids: Collection[str]) -> Iterable[SourceDocument]:
        keys = readable_keys(self.model, object_ids)
        if not keys or not self.declares_visibility():
            return
        rows = self._rows().filter(pk__in=keys).order_by("pk")
        for _, (obj, *_) in groupby(rows, key=lambda obj: obj.pk):
            with translation.override(self.get_language(obj)):
                yield from self.get_documents(obj)

    # What a page says

    def get_documents(self, obj: Any) -> Iterable[SourceDocument]:
        """Return the documents of one object; its language is active meanwhile."""
        page = self.get_document(obj)
        parts = {
            part: self._sections_of_part(obj, part, fields)
            for part, fields in self.parts.items()
        }
        return [page, *documents_of_parts(page, parts)]

    def get_document(self, obj: Any) -> SourceDocument:
        where = f"The schema.org object of {self.name} {obj.pk}"
        return SourceDocument(
            object_id=str(obj.pk),
            url=self.url(obj),
            name=self.get_name(obj),
            language=self.get_language(obj),
            schema_object=jsonable(self.to_schema_org(obj), where),
            sections=tuple(self.get_sections(obj)),
            abstract=self.get_description(obj),
            group=self._text_of(obj, self.group_field),
            version=self._text_of(obj, self.version_field),
            sites=self.get_sites(obj),
        )

    def url(self, obj: Any) -> str:
        """Return where the page is: a path from the root of the site, or absolute."""
        if not hasattr(obj, "get_absolute_url"):
            msg = (
                f"{type(obj).__name__} has no get_absolute_url(); "
                f"add one, or write {type(self).__name__}.url()."
            )
            raise ImproperlyConfigured(msg)
        return str(obj.get_absolute_url())

    def get_name(self, obj: Any) -> str:
        return self._name(obj)[1]

    def _name(self, obj: Any) -> tuple[str, str]:
        """Return the field that names the page, empty for `str(obj)`, and the name."""
        for field in [self.name_field] if self.name_field else NAME_FIELDS:
            name = self._field_text(field).line(getattr(obj, field, None))
            if name:
                return field, name
        return "", FieldText().line(obj)

    def get_description(self, obj: Any) -> str:
        if not self.description_field:
            return ""
        field = self._field_text(self.description_field)
        return field.text(value_of(obj, self.description_field))

    def get_language(self, obj: Any) -> str:
        return self._declared_language(obj) or settings.LANGUAGE_CODE

    def get_sites(self, obj: Any) -> tuple[int, ...]:
        """Return the ids of the sites that show the page; empty = the default site."""
        if not self.site_field:
            return ()
        sites = value_of(obj, self.site_field)
        if hasattr(sites, "all"):
            return tuple(sorted(site.pk for site in sites.all()))
        site_id = getattr(sites, "pk", sites)
        return () if site_id is None else (int(site_id),)

    def get_sections(self, obj: Any) -> Iterable[Section]:
        """Return the text in reading order, HTML cut at its headings.

        The field that names the page is left out: its words are found as the name, and
        a description that repeats it would say nothing.
        """
        return self._sections_of(obj, self.text_fields)

    def _sections_of_part(
        self, obj: Any, part: str, fields: Sequence[str]
    ) -> list[Section]:
        """Return what a part says; one that cannot be read is left out, not its page."""
        try:
            return self._sections_of(obj, fields)
        except DatabaseError:
            raise  # the transaction may be lost with it
        except Exception as error:  # noqa: BLE001 - a source is the site's own code
            logger.warning(
                "part not indexed source=%s object=%s part=%s %s",
                *(self.name, obj.pk, part, described(error)),
            )
            return []

    def _sections_of(self, obj: Any, fields: Sequence[str]) -> list[Section]:
        naming, _ = self._name(obj)
        read = [
            self._field_text(field).sections(value_of(obj, field))
            for field in fields
            if field != naming
        ]
        return distinct_anchors(section for field in read for section in field)

    def to_schema_org(self, obj: Any) -> dict[str, Any]:
        """Return the schema.org object that answers give; extend it with `super()`."""
        name = self.get_name(obj)
        described = {
            "@context": "https://schema.org",
            "@type": types(self.schema_type),
            "url": self.url(obj),
            "name": name,
            "headline": name if is_article(self.schema_type) else None,
            "description": self.get_description(obj) or None,
            "inLanguage": self._declared_language(obj) or None,
            "version": self._text_of(obj, self.version_field) or None,
            **dates(obj, self.published_field, self.updated_field),
            "image": image(obj, self.image_field),
        }
        return {key: value for key, value in described.items() if value is not None}

    def _declared_language(self, obj: Any) -> str:
        return self._text_of(obj, self.language_field) or self.language

    def _text_of(self, obj: Any, field: str) -> str:
        return words_of(value_of(obj, field)) if field else ""

    def _rows(self) -> models.QuerySet[Any]:
        return self._queryset("get_queryset", self.get_queryset())

    def _queryset(self, method: str, returned: object) -> models.QuerySet[Any]:
        """Return what a method of the site has returned, if it is what it must be."""
        if not isinstance(returned, models.QuerySet):
            msg = (
                f"{method}() of {type(self).__name__} must return a queryset, "
                f"not {type(returned).__name__}."
            )
            raise NoQuerySet(msg)
        if not _have_common_rows(returned.model, self.model):
            # Its keys would be taken for keys of ours.
            msg = (
                f"{method}() of {type(self).__name__} must return "
                f"{self.model.__name__} rows, not {returned.model.__name__} rows."
            )
            raise NoQuerySet(msg)
        if _looks_at_other_rows(returned):
            msg = (
                f"{method}() of {type(self).__name__} must judge each row by itself; "
                "which rows a slice or DISTINCT ON keeps hangs on what else is asked "
                "about. Put it into a subquery: .filter(pk__in=…)."
            )
            raise NoQuerySet(msg)
        return returned

    def _field_text(self, field: str) -> FieldText:
        declared = self.html_fields
        return FieldText(None if declared is None else field in declared)


class PublicSource(ModelSource):
    """A model whose every object in `get_queryset()` is for everybody."""

    public = True


def _have_common_rows(one: type[models.Model], other: type[models.Model]) -> bool:
    """Tell whether rows of one are rows of the other: a parent, a child, a proxy."""
    concrete = [each._meta.concrete_model or each for each in (one, other)]
    return issubclass(concrete[0], concrete[1]) or issubclass(concrete[1], concrete[0])


def _joined(one: set[str], other: set[str]) -> set[str]:
    stamps: dict[str, str] = {}
    for ids in (one, other):
        stamps |= ids.stamps if isinstance(ids, StampedIds) else {}
    joined = StampedIds(stamps)
    joined |= one | other
    return joined


def _among(
    asked: models.QuerySet[Any], allowed: models.QuerySet[Any]
) -> models.QuerySet[Any]:
    """Return what is allowed of what was asked about, whatever a hook has begun with."""
    conditions = asked.query.where.children
    where = allowed.query.where
    # A union keeps the conditions of its first part, and has rows of the others.
    is_union = allowed.query.combinator is not None
    if not is_union and all(_demands(where, condition) for condition in conditions):
        return allowed
    return asked.filter(pk__in=allowed.order_by().values("pk"))


def _demands(where: Any, condition: Any) -> bool:
    """Tell whether no row passes `where` without meeting `condition`."""
    if where is condition or _is_same_lookup(where, condition):
        return True
    if not isinstance(where, WhereNode) or where.negated:
        return False
    demanded = [_demands(child, condition) for child in where.children]
    if where.connector == AND:
        return any(demanded)
    return where.connector == OR and bool(demanded) and all(demanded)


def _is_same_lookup(one: Any, other: Any) -> bool:
    """Compare by column, lookup and value; `|` has copied what stands on its right."""
    if not isinstance(one, Lookup) or type(one) is not type(other):
        return False
    columns = [
        (each.lhs.alias, each.lhs.target) if isinstance(each.lhs, Col) else each.lhs
        for each in (one, other)
    ]
    return columns[0] == columns[1] and bool(one.rhs == other.rhs)


def _looks_at_other_rows(queryset: models.QuerySet[Any]) -> bool:
    """Tell whether which rows these are hangs on the rows that they are picked from."""
    query = queryset.query
    key = queryset.model._meta.pk
    own = {"pk", key.name, key.attname} if key else set()
    picked = bool(query.distinct_fields) and own.isdisjoint(query.distinct_fields)
    return picked or query.is_sliced


def _bare(queryset: models.QuerySet[Any]) -> models.QuerySet[Any]:
    """Drop the order, and what is fetched along with each row: only it is wanted."""
    return queryset.prefetch_related(None).order_by()


def _keys(queryset: models.QuerySet[Any]) -> set[str]:
    return {str(key) for key in _bare(queryset).values_list("pk", flat=True)}


def stamp_of(values: Iterable[Any]) -> str:
    """Return a text of 32 characters that moves with these values and their order."""
    written = repr(list(values)).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(written, digest_size=16).hexdigest()
