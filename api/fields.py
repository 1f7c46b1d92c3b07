"""Fields that take a JSON value only as the type it has, and serializers that refuse names they do not know.

The framework's own fields read "yes" as true and 5 as "5", and ignore names they do not know, so that a misspelt name
looks like a success.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from difflib import get_close_matches
from typing import Any, NoReturn

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers
from rest_framework.request import Request

from lexic.http.origins import MAX_ORIGIN_LENGTH, MAX_ORIGINS, read_origin
from trees.facts.fact_limits import MAX_FACTS, MAX_NAME_LENGTH, MAX_VALUE_LENGTH


def validated(serializer: serializers.BaseSerializer) -> dict[str, Any]:
    """The valid data of a serializer that was given some. Raises `ValidationError`."""
    serializer.is_valid(raise_exception=True)
    data: dict[str, Any] = serializer.validated_data
    return data


def in_tools(**differences: Any) -> dict[str, Any]:
    """The `style` of a field for which the tools of MCP have another `description`, `default` or type of `items`.

    `api.mcp.tools.schemas` reads it.
    """
    return {"tool": differences}


class StrictCharField(serializers.CharField):
    def run_validation(self, data: Any = serializers.empty) -> Any:
        if data is not serializers.empty and data is not None and not isinstance(data, str):
            self.fail("invalid")
        # The limit holds for the text as it was sent, with the spaces that are taken off below.
        if isinstance(data, str) and self.max_length is not None and len(data) > self.max_length:
            self.fail("max_length", max_length=self.max_length)
        return super().run_validation(data)


class StrictListField(serializers.ListField):
    """A short list of short texts."""

    def __init__(self, *, max_item_length: int, max_items: int, **options: Any) -> None:
        super().__init__(child=StrictCharField(max_length=max_item_length), max_length=max_items, **options)


class OriginField(StrictCharField):
    """An origin of web pages, such as https://www.example.org."""

    def to_internal_value(self, data: Any) -> str:
        try:
            return read_origin(super().to_internal_value(data))
        except ValueError as error:
            raise serializers.ValidationError(str(error)) from None


class OriginsField(serializers.ListField):
    """The origins of web pages that may do something from a browser."""

    def __init__(self, **options: Any) -> None:
        child = OriginField(max_length=MAX_ORIGIN_LENGTH)
        help_text = "Pages of these sites may use it from a browser: https://www.example.org."
        super().__init__(child=child, max_length=MAX_ORIGINS, required=False, help_text=help_text, **options)


class StrictChoiceField(serializers.ChoiceField):
    """One of these words; who sends another one is told which there are."""

    default_error_messages = {"invalid_choice": "“{input}” is not known here. Known are: {known}."}

    def fail(self, key: str, **values: Any) -> NoReturn:
        super().fail(key, known=", ".join(str(choice) for choice in self.choices if choice != ""), **values)

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str):
            self.fail("invalid_choice", input=str(data)[:100])
        return super().to_internal_value(data)


class StrictUUIDField(serializers.UUIDField):
    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str):
            self.fail("invalid", value=str(data)[:100])
        return super().to_internal_value(data)


class StrictBooleanField(serializers.BooleanField):
    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class StrictIntegerField(serializers.IntegerField):
    def to_internal_value(self, data: Any) -> int:
        if not _is_number(data) or data != int(data):
            self.fail("invalid")
        return int(data)


class StrictFloatField(serializers.FloatField):
    def to_internal_value(self, data: Any) -> float:
        if not _is_number(data):
            self.fail("invalid")
        return super().to_internal_value(data)


class StrictDecimalField(serializers.DecimalField):
    """A number with few digits, such as an amount of money."""

    def to_internal_value(self, data: Any) -> Decimal:
        if not _is_number(data):
            self.fail("invalid")
        return super().to_internal_value(str(data))

    def to_representation(self, value: Any) -> float:  # type: ignore[override]  # a number of JSON, not a text
        return float(value)


class FactValueField(serializers.JSONField):
    """A text, a number, true or false."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, str):
            is_fact = len(data) <= MAX_VALUE_LENGTH and "\x00" not in data
        else:
            is_fact = isinstance(data, bool) or _is_number(data)
        if not is_fact:
            raise serializers.ValidationError(
                f"A fact is a text of at most {MAX_VALUE_LENGTH} characters, a number, true or false."
            )
        return data


class FactsField(serializers.DictField):
    """What is known beside a question: names, and a text, a number, true or false for each."""

    def __init__(self, *, min_name_length: int = 1, **options: Any) -> None:
        super().__init__(child=FactValueField(), **options)
        self.min_name_length = min_name_length

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        facts: dict[str, Any] = super().to_internal_value(data)
        if len(facts) > MAX_FACTS:
            raise serializers.ValidationError(f"At most {MAX_FACTS} facts.")
        if any(not self.min_name_length <= len(name) <= MAX_NAME_LENGTH for name in facts):
            raise serializers.ValidationError(
                f"The name of a fact has {self.min_name_length} to {MAX_NAME_LENGTH} characters."
            )
        return facts


def unknown_name_message(name: str, known: Sequence[str]) -> str:
    """What is said of a field that does not exist: the one that may be meant, and all there are."""
    near = get_close_matches(name[:60], known, n=1)
    guess = f"Did you mean {near[0]}? " if near else ""
    return f"This is not known here. {guess}Known are: {', '.join(known) or 'none'}."


class StrictSerializer(serializers.Serializer):
    """Refuses names that it does not know.

    Read-only fields may be sent and are ignored: a client that gets an object, changes it and puts it sends them.
    """

    # The framework's type has no room for it.
    default_error_messages = {"invalid": "This has to be a JSON object."}

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping) and (unknown := sorted(str(key) for key in data if key not in self.fields)):
            known = [name for name, field in self.fields.items() if not field.read_only]
            raise serializers.ValidationError({unknown[0][:60]: unknown_name_message(unknown[0], known)})
        return super().to_internal_value(data)


@extend_schema_serializer(component_name="Nothing")
class EmptySerializer(StrictSerializer):
    """The body of a request that says all in its address."""

    @classmethod
    def check(cls, request: Request) -> None:
        """Refuses a body with fields, which would have no effect. Raises `ValidationError`."""
        validated(cls(data=request.data))


class QueryParameters(StrictSerializer):
    """The parameters of an address. `limit` and `cursor` belong to pagination and are not read here."""

    @classmethod
    def read(cls, request: Request) -> dict[str, Any]:
        """The parameters that were sent, and the defaults of the others. Raises `ValidationError`."""
        pagination_names = {"limit", "cursor"} - cls._declared_fields.keys()
        if repeated := [name for name, values in request.query_params.lists() if len(values) > 1]:
            raise serializers.ValidationError({repeated[0][:60]: "This was sent more than once."})
        sent = {name: value for name, value in request.query_params.items() if name not in pagination_names}
        return validated(cls(data=sent))


def _is_number(data: Any) -> bool:
    """Whether it is a finite number. True and false are integers in Python, but not here."""
    if isinstance(data, float):
        return math.isfinite(data)
    return isinstance(data, int) and not isinstance(data, bool)
