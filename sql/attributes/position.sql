{# -- name: attributes/position
   -- purpose: where a value stands on a line: a number, or days, micro- or nanoseconds since 1970
   -- parameters: value (SQL), family #}
{% if family == 'float' %}({{ value }})::DOUBLE
{%- elif family == 'date' %}({{ value }} - DATE '1970-01-01')
{%- elif family in ('timestamp', 'timestamptz') %}epoch_us({{ value }})
{%- elif family == 'timestamp_ns' %}epoch_ns({{ value }})
{%- else %}{{ value }}{% endif %}
