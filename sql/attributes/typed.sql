{# -- name: attributes/typed
   -- purpose: a text as a finite value of the column's type, NULL where it is none or the type would drop a part of it;
   --          without an offset of its own, a timestamp with time zone is read in the session's zone
   -- parameters: text (SQL), type, family #}
{% if family == 'date' %}(SELECT day FROM (SELECT TRY_CAST({{ text }} AS DATE) AS day) WHERE isfinite(day) AND coalesce(TRY_CAST(day AS TIMESTAMP) = TRY_CAST({{ text }} AS TIMESTAMP), TRUE))
{%- elif family in ('timestamp', 'timestamp_ns', 'timestamptz') %}(SELECT moment FROM (SELECT TRY_CAST({{ text }} AS {{ type | type_name }}) AS moment) WHERE isfinite(moment))
{%- else %}TRY_CAST({{ text }} AS {{ type | type_name }}){% endif %}
