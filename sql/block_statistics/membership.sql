{# -- name: block_statistics/membership
   -- purpose: the condition that a cell's code of one attribute lies in a block's region
   -- parameters: position, interval (else a list of codes) #}
{% if interval %}cells.code_{{ position | integer }} >= blocks.lower_{{ position | integer }} AND cells.code_{{ position | integer }} < blocks.upper_{{ position | integer }}
{%- else %}list_contains(blocks.codes_{{ position | integer }}, cells.code_{{ position | integer }}){% endif %}
