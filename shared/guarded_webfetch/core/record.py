"""The one record. Its fields, in this order, are the first-level keys of the JSON document.

The JSON Schema in `contract/record.schema.json` is the promise; a test proves that it, this class and the reference page agree.
"""

from typing import Any, Final, dataclass_transform

SCHEMA_NAME: Final = "guarded-webfetch/record@1"


@dataclass_transform(kw_only_default=True, frozen_default=True)
class _Fields:
    """Keyword arguments as attributes. A type checker takes it for a dataclass, which would cost 2 ms of every fetch to make."""

    def __init__(self, **values: object) -> None:
        vars(self).update(values)


class Record(_Fields):
    """What one run found out. Nested values are plain JSON values in the shapes of the schema."""

    schema: str = SCHEMA_NAME
    outcome: str
    verdict: str | None = None
    verdict_reasons: list[str]
    requested_url: str | None
    fetched_url: str | None = None
    fetched_at: str
    http_status: int | None = None
    content_type: str | None = None
    bytes: int | None = None
    body_sha256: str | None = None
    charset: dict[str, Any] | None = None
    redirects: list[dict[str, Any]]
    redirect_target_origin: str | None = None
    flags: dict[str, Any]
    title: str | None = None
    summary: str | None = None
    summary_source: str | None = None
    outline: list[dict[str, Any]] | None = None
    text_chars: int | None = None
    link_count: int | None = None
    isolation: dict[str, Any]
    network: dict[str, Any]
    loosened: list[str]
    rules_version: str | None = None
    tool_version: str
    fence: dict[str, str] | None = None
    raw_text: str | None = None
    raw_html: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The record as a JSON value, keys in contract order. AttributeError when a field without a default was left out."""
        return {name: getattr(self, name) for name in Record.__annotations__}
