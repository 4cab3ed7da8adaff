"""Arguments against their schema, and what is wrong with them in a sentence that a model can act on."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from helix.dialects.dialect import Tool
from helix.errors import BadValue
from helix.memory.tokens import clean

_SHOWN = 60
_TOLD = 3


class Check:
    """The schema of one tool, compiled once."""

    def __init__(self, tool: Tool) -> None:
        self._tool = tool
        self._validator = Draft202012Validator(tool.input_schema)

    def checked(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments that are there: some hosts spell "not given" as null. Raises BadValue."""
        given = {name: value for name, value in arguments.items() if value is not None}
        found = () if self._tool.checks_itself else self._validator.iter_errors(given)
        errors = sorted(found, key=lambda error: list(map(str, error.path)))
        if errors:
            raise BadValue(clean(" ".join(self._say(error) for error in errors[:_TOLD])))
        return {name: _cleaned(value) for name, value in given.items()}

    def _say(self, error: ValidationError) -> str:
        place = ".".join(str(part) for part in error.absolute_path)
        rule: Any = error.validator_value
        if error.validator == "required":
            missing = [name for name in rule if name not in error.instance]
            return f"{', '.join(missing)} is missing; {self._tool.name} needs it."
        if error.validator == "additionalProperties" and not place:
            return self._say_unknown(
                sorted(error.instance.keys() - self._tool.input_schema["properties"].keys())
            )
        return f"{place or 'the arguments'}: {_shown(error.instance)} will not do; {_wanted(error)}."

    def _say_unknown(self, unknown: list[str]) -> str:
        known = list(self._tool.input_schema["properties"])
        near = difflib.get_close_matches(unknown[0], known, 1)
        meant = f"did you mean {near[0]}" if near else f"it takes {', '.join(known)}"
        return f"{unknown[0][:_SHOWN]} is not an argument of {self._tool.name}; {meant}."


def _cleaned(value: Any) -> Any:
    """Without the halves of characters that JSON can spell."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(one) for one in value]
    return {clean(key): _cleaned(one) for key, one in value.items()} if isinstance(value, dict) else value


def _wanted(error: ValidationError) -> str:
    rule: Any = error.validator_value
    schema: Any = error.schema
    match error.validator:
        case "enum":
            return f"give one of {', '.join(map(str, rule))}"
        case "minimum" | "maximum":
            return f"give a number from {schema.get('minimum')} to {schema.get('maximum')}"
        case "minItems":
            return f"give at least {rule}"
        case "type":
            return f"give {'an' if rule[0] in 'aeiou' else 'a'} {rule}"
        case _:
            return "see the input schema of the tool"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
