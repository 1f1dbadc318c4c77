{# -- name: release/payload
   -- purpose: a sensitive or kept column as it is released: no collation of the source, no user-defined type
   -- parameters: column, type (as released), same (the source has this type already), text (VARCHAR) #}
{% if text and same %}decode(encode({{ column | identifier }}))
{%- elif same %}{{ column | identifier }}
{%- else %}{{ column | identifier }}::{{ type | type_name }}{% endif %}
