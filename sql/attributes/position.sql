{# -- name: attributes/position
   -- purpose: where a value stands on a line: a number, or days, micro- or nanoseconds since 1970
   -- parameters: value (SQL), family
   -- (of TIMESTAMP_S and TIMESTAMP_MS themselves DuckDB knows the microseconds of the years 1677 to 2262 alone) #}
{% if family == 'float' %}({{ value }})::DOUBLE
{%- elif family == 'date' %}({{ value }} - DATE '1970-01-01')
{%- elif family == 'timestamp' %}epoch_us(({{ value }})::TIMESTAMP)
{%- elif family == 'timestamptz' %}epoch_us({{ value }})
{%- elif family == 'timestamp_ns' %}epoch_ns({{ value }})
{%- else %}{{ value }}{% endif %}
