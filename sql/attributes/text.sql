{# -- name: attributes/text
   -- purpose: a category's value as text
   -- parameters: family #}
{% if family in ('text', 'enum') %}decode(value){% else %}value::VARCHAR{% endif %}
