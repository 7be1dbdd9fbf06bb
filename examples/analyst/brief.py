"""The brief that joins what the others found."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, StrictUndefined

_BRIEF = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False).from_string("""\
# {{ question }}

{{ profile.rows }} rows of {{ data }}:
{% for column in profile.columns if column.kind == "number" %}
- **{{ column.name }}**: {{ column.min }} to {{ column.max }}, median {{ column.median }}
{%- if column.outliers %}, unlike the others: {{ column.outliers | join(", ") }}{% endif %}

{% endfor %}
{% if computed %}

Computed: {{ computed }}
{% endif %}
{% if passages %}

## What is said about it

{% for passage in passages %}
> {{ passage.text }}
> ({{ passage.path }}, line {{ passage.line }})

{% endfor %}
{% endif %}
""")


def brief_of(question: str, data: str, profile: dict[str, Any], passages: list[dict[str, Any]], computed: str) -> str:
    return _BRIEF.render(question=question, data=data, profile=profile, passages=passages, computed=computed.strip())
