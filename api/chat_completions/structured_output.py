"""A schema that a caller wants filled: by the format of the answer, or by a call of a tool that is forced."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from api.chat_completions.serializers import UnsupportedParameter
from lexic.errors import InvalidInput, LexicError
from querying.field_schema import ObjectSchema, read_schema
from querying.question.clarifications import clarification_text
from querying.types.answer import Answer, StructuredOutput

_MAX_NAMED_FIELDS = 10
# The protocol's rule for names of functions. They come back, and are stored.
_FUNCTION_NAME = re.compile(r"[a-zA-Z0-9_.:-]{1,128}")
_JSON_SCHEMA = "json_schema"


class ToolNotOffered(InvalidInput):
    """The tool that has to be called is not in the list of tools."""

    code = "tool_not_offered"
    hint = "Name a function of `tools`, each of which has a name and parameters."


class FieldsNotVerified(LexicError):
    """The documents do not say all that the schema needs."""

    code = "fields_not_verified"
    status = 422


class FieldsNeedFact(LexicError):
    """Something has to be known before the schema can be filled."""

    code = "clarification_needed"
    status = 422


@dataclass(frozen=True, kw_only=True)
class WantedStructure:
    """The shape that is filled. `tool` is the function whose call it is; empty: it is the text of the answer."""

    shape: ObjectSchema
    tool: str = ""


def shape_of(wanted: WantedStructure | None) -> ObjectSchema | None:
    return wanted.shape if wanted else None


def tool_of(wanted: WantedStructure | None) -> str:
    """The function that is called; empty where none is."""
    return wanted.tool if wanted else ""


def read_wanted_structure(
    *, wanted_format: Any, format_param: str, tools: Any, tool_choice: Any
) -> WantedStructure | None:
    """What the body wants filled; None where it wants words. A forced call goes before a format.

    Raises `UnsupportedParameter`, `ToolNotOffered`, `InvalidSchema`, `UnsupportedSchema`.
    """
    if tool := _forced_tool(tools, tool_choice):
        name, schema = tool
        return WantedStructure(shape=_read_shape(schema, param="tools"), tool=name)
    if wanted_format is None:
        return None
    kind = wanted_format.get("type", "text") if isinstance(wanted_format, Mapping) else None
    if kind == "text":
        return None
    if kind != _JSON_SCHEMA:
        hint = f"Send a schema with the type {_JSON_SCHEMA}, or leave it out."
        raise UnsupportedParameter("Answers are text, or JSON by a schema.", param=format_param, hint=hint)
    holder = wanted_format.get(_JSON_SCHEMA, wanted_format)
    schema = holder.get("schema") if isinstance(holder, Mapping) else None
    return WantedStructure(shape=_read_shape(schema, param=format_param))


def _forced_tool(tools: Any, choice: Any) -> tuple[str, Any] | None:
    """Name and schema of the function that has to be called."""
    if choice in (None, "none", "auto"):
        return None
    names_one = isinstance(choice, Mapping) and choice.get("type") == "function"
    functions = _functions(tools) if names_one or choice == "required" else {}
    if not names_one and len(functions) == 1:
        return next(iter(functions.items()))
    if not names_one:
        hint = "Name one function, or offer only one; tools that are merely offered are ignored."
        raise UnsupportedParameter("A plugin chooses among no tools.", param="tool_choice", hint=hint)
    named = choice.get("function", choice)
    name = named.get("name") if isinstance(named, Mapping) else None
    if not isinstance(name, str) or name not in functions:
        raise ToolNotOffered(param="tool_choice")
    return name, functions[name]


def _functions(tools: Any) -> dict[str, Any]:
    """The schemas of the functions among the tools, by their names; those of chats stand one level deeper."""
    if not isinstance(tools, list) or not all(isinstance(tool, Mapping) for tool in tools):
        raise ToolNotOffered(param="tools")
    found = [tool.get("function", tool) for tool in tools if tool.get("type") == "function"]
    return {one["name"]: one.get("parameters") for one in found if isinstance(one, Mapping) and _is_named(one)}


def _is_named(function: Mapping[str, Any]) -> bool:
    name = function.get("name")
    return isinstance(name, str) and _FUNCTION_NAME.fullmatch(name) is not None


def _read_shape(schema: Any, *, param: str) -> ObjectSchema:
    try:
        return read_schema(schema)
    except InvalidInput as error:
        error.param = param
        raise


def check_filled(answer: Answer) -> None:
    """Raises `FieldsNeedFact` or `FieldsNotVerified` where a field that may not be empty is."""
    structure = answer.structure
    if structure is None or structure.value is not None:
        return
    if answer.clarification:
        raise FieldsNeedFact(hint=f"Answer this, or let the fields be null: {clarification_text(answer.clarification)}")
    named = ", ".join(structure.unfilled[:_MAX_NAMED_FIELDS])
    raise FieldsNotVerified(hint=f"Let what may be unknown be null in the schema. Nothing was found for: {named}")


def fields_as_json(structure: StructuredOutput) -> list[dict[str, Any]]:
    """Each field with the ids of the citations that say its value, for `lexic.fields`."""
    return [
        {
            "path": one.path,
            "value": one.value,
            "citations": [f"src_{number}" for number in one.citations],
            **{name: value for name in ("unit", "bound", "reason") if (value := getattr(one, name))},
        }
        for one in structure.fields
    ]
