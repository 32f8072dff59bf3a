"""What every object of a plan is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator


def _name_bounds(schema: dict[str, Any]) -> None:
    """Give bounds the names JSON Schema has for them: outside of a validator pydantic writes its
    own, which clients do not know."""
    for name, standard in (("ge", "minimum"), ("le", "maximum")):
        if name in schema:
            schema[standard] = schema.pop(name)
    for below in (*schema.get("properties", {}).values(), *schema.get("anyOf", ())):
        _name_bounds(below)


class PlanPart(BaseModel):
    """Base of every object of a plan. Unknown fields stay visible for :func:`unknown_fields`;
    a field that is null counts as left out."""

    model_config = ConfigDict(extra="allow", populate_by_name=True, json_schema_extra=_name_bounds)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: given for name, given in value.items() if given is not None}
        return value

    def to_json(self) -> dict[str, Any]:
        """The part as JSON, without fields that are not set."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


def unknown_fields(part: PlanPart, where: str = "") -> Iterator[str]:
    """Dotted names of the fields of a plan this version does not know."""
    for name in part.model_extra or {}:
        yield f"{where}{name}"
    for name in type(part).model_fields:
        value = getattr(part, name)
        if isinstance(value, PlanPart):
            yield from unknown_fields(value, f"{where}{name}.")
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, PlanPart):
                    yield from unknown_fields(item, f"{where}{name}[{index}].")


def no_boolean(value: Any) -> Any:
    """A value as it is; pydantic would take JSON's ``true`` for 1. Raises ValueError for it."""
    if isinstance(value, bool):
        raise ValueError("a number is needed, not true or false")
    return value


Count = Annotated[int, BeforeValidator(no_boolean)]
Real = Annotated[float, BeforeValidator(no_boolean)]
