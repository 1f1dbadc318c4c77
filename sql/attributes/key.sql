{# -- name: attributes/key
   -- purpose: a quasi-identifier's value as it is grouped and joined: NaN is NULL, -0.0 is 0.0, text is bytes, free of collations
   -- parameters: column (a name in the relation called source), family #}
{% if family == 'float' %}(CASE WHEN isnan(source.{{ column | identifier }}) THEN NULL ELSE source.{{ column | identifier }} + 0 END)
{%- elif family == 'text' %}encode(source.{{ column | identifier }})
{%- elif family == 'enum' %}encode(source.{{ column | identifier }}::VARCHAR)
{%- else %}source.{{ column | identifier }}{% endif %}
