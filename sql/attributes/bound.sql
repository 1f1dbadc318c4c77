{# -- name: attributes/bound
   -- purpose: a place on the line (text) as a value of the column's type; NULL where the type cannot hold it
   -- parameters: text (SQL), family, type #}
{% if family == 'date' %}TRY(DATE '1970-01-01' + ({{ text }})::INTEGER)
{%- elif family == 'timestamp' %}TRY(make_timestamp(({{ text }})::BIGINT)::{{ type | type_name }})
{%- elif family == 'timestamp_ns' %}TRY(make_timestamp_ns(({{ text }})::BIGINT))
{%- elif family == 'timestamptz' %}TRY(timezone('UTC', make_timestamp(({{ text }})::BIGINT)))
{%- elif family in ('text', 'enum') %}{{ text }}
{%- else %}TRY_CAST({{ text }} AS {{ type | type_name }}){% endif %}
