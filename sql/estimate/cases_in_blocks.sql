{#- name: estimate/cases_in_blocks
   -- purpose: part of estimate/estimate: what each case covers of each block; keys of two parts keep the order of the joins
   -- parameters: slots (1 to the most columns of a case), secrets (1 to the most sensitive columns of a case), columns #}
FROM chosen
    JOIN cover AS cover_1 ON cover_1.class = class_1
    JOIN placed ON placed.key = cover_1.place * 4294967296 + cover_1.region
{% for slot in slots if slot > 1 %}
    JOIN cover AS cover_{{ slot | integer }} ON cover_{{ slot | integer }}.key = class_{{ slot | integer }} * 4294967296 + CASE place_{{ slot | integer }}{% for column in columns if column.kind != 'sensitive' %} WHEN {{ column.place | integer }} THEN region_{{ column.place | integer }}{% endfor %} ELSE 0 END
{% endfor %}
{% for secret in secrets %}
    JOIN held AS held_{{ secret | integer }} ON held_{{ secret | integer }}.key = secret_{{ secret | integer }} * 4294967296 + CASE secret_place_{{ secret | integer }}{% for column in columns if column.kind == 'sensitive' %} WHEN {{ column.place | integer }} THEN region_{{ column.place | integer }}{% endfor %} ELSE 0 END
{% endfor %}
