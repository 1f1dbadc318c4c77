{# -- name: audit/key
   -- purpose: a column as a grouping key that tells every two values apart: no collation, NaN and NULL one missing value
   -- parameters: column, kind (text, float or plain) #}
{% if kind == 'text' %}encode({{ column | identifier }}::VARCHAR)
{%- elif kind == 'float' %}CASE WHEN NOT isnan({{ column | identifier }}) THEN {{ column | identifier }} + 0 END
{%- else %}{{ column | identifier }}{% endif %}
