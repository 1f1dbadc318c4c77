{# -- name: release/order
   -- purpose: one sort key of the canonical row order; text is compared byte by byte, whatever the collation
   -- parameters: table (alias), column, text #}
{% if text %}encode({{ table | identifier }}.{{ column | identifier }}::VARCHAR){% else %}{{ table | identifier }}.{{ column | identifier }}{% endif %}
