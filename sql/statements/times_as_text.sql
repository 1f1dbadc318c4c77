{# -- name: statements/times_as_text
   -- purpose: the columns of a relation by position, those with dates, times and intervals cast to text
   -- parameters: columns (name and type to cast to, or None, of each) #}
{% for name, kind in columns %}{% if kind %}CAST(#{{ loop.index | integer }} AS {{ kind | type_name }}){% else %}#{{ loop.index | integer }}{% endif %} AS {{ name | identifier }}{% if not loop.last %}, {% endif %}{% endfor %}
