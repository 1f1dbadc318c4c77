{# -- name: attributes/typed
   -- purpose: a text as a value of the column's type, NULL where it is none; timestamps with time zone are read in $zone
   -- parameters: text (SQL), type, family #}
{% if family == 'timestamptz' %}timezone($zone, TRY_CAST({{ text }} AS TIMESTAMP)){% else %}TRY_CAST({{ text }} AS {{ type | type_name }}){% endif %}
