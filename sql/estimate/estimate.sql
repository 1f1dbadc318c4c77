-- name: estimate/estimate
-- purpose: the estimates of a workload of count queries on a release, from its blocks alone; what is asked are rows
-- parameters: blocks, count (name), columns (that the queries look at), cases and parts (relations: what
--   is asked), slots, secrets (1 to the most columns of a case), single, several (which kinds of conditions there are), number_count
WITH blocks AS MATERIALIZED (
    SELECT row_number() OVER () AS block, tuples,
{% for column in columns %}
{% if column.kind == 'ordered' %}
        lower_{{ column.place | integer }}, upper_{{ column.place | integer }}, missing_{{ column.place | integer }},
{% else %}
        members_{{ column.place | integer }},
{% if column.kind == 'sensitive' %}
        CAST(list_sum(list_transform(members_{{ column.place | integer }}, lambda one: one."count")) AS BIGINT) AS total_{{ column.place | integer }},
{% endif %}
{% endif %}
{% endfor %}
{% for column in columns %}
        CAST(dense_rank() OVER (ORDER BY {% if column.kind == 'ordered' %}lower_{{ column.place | integer }} ASC, upper_{{ column.place | integer }} ASC, missing_{{ column.place | integer }} ASC{% else %}members_{{ column.place | integer }} ASC{% endif %}) AS INTEGER) AS region_{{ column.place | integer }},
{% endfor %}
    FROM (
        SELECT
{% for column in columns %}
{% if column.kind == 'ordered' %}
            {{ column.lower }} AS lower_{{ column.place | integer }}, {{ column.upper }} AS upper_{{ column.place | integer }}, {{ column.missing }} AS missing_{{ column.place | integer }},
{% else %}
            {{ column.list }} AS members_{{ column.place | integer }},
{% endif %}
{% endfor %}
            {{ count | identifier }} AS tuples
        FROM {{ blocks }}
    )
),
{% for column in columns %}
{{ column.cover | identifier }} AS MATERIALIZED (
{% if column.kind == 'ordered' %}
{% include 'estimate/interval_cover.sql' %}
{% else %}
{% include 'estimate/list_cover.sql' %}
{% endif %}

),
{% endfor %}
cover AS MATERIALIZED (
    SELECT {{ (columns | length + 1) | integer }} AS place, 0 AS class, 0 AS region, FALSE AS guessed, TRUE AS inside, CAST(1 AS DOUBLE) AS share, CAST(0 AS BIGINT) AS key
{% for column in columns if column.kind != 'sensitive' %}
    UNION ALL
    SELECT {{ column.place | integer }}, class, region, guessed, inside, share, class * 4294967296 + region FROM {{ column.cover | identifier }}
{% endfor %}
),
{% if secrets %}
held AS MATERIALIZED (
    SELECT CAST(0 AS BIGINT) AS key, CAST(NULL AS BIGINT) AS tuples
{% for column in columns if column.kind == 'sensitive' %}
    UNION ALL
    SELECT class * 4294967296 + region, tuples FROM {{ column.cover | identifier }}
{% endfor %}
),
{% endif %}
placed AS MATERIALIZED (  -- a case that looks at fewer columns than others covers all of region 0 of the last place
    SELECT *, place * 4294967296 + region AS key
    FROM (
        SELECT block, tuples, {% for column in columns %}region_{{ column.place | integer }}, {% if column.kind == 'sensitive' %}total_{{ column.place | integer }}, {% endif %}{% endfor %}

            unnest(range(1, {{ (columns | length + 2) | integer }})) AS place, unnest([{% for column in columns %}region_{{ column.place | integer }}, {% endfor %}0]) AS region
        FROM blocks
    )
),
places AS (  -- the columns of each case, those that few blocks satisfy first
    SELECT path, list({'place': place, 'class': class} ORDER BY reach ASC, place ASC) AS slots
    FROM ({{ parts }}) LEFT JOIN (
        SELECT class, sum(reach) AS reach
        FROM cover JOIN (SELECT place, region, count(*) AS reach FROM placed GROUP BY ALL) USING (place, region)
        GROUP BY class
    ) USING (class)
    GROUP BY path
),
chosen AS MATERIALIZED (
    SELECT * EXCLUDE (path, slots),
{% for slot in slots %}
        coalesce(slots[{{ slot | integer }}].place, {{ (columns | length + 1) | integer }}) AS place_{{ slot | integer }}, coalesce(slots[{{ slot | integer }}].class, 0) AS class_{{ slot | integer }},
{% endfor %}
    FROM ({{ cases }}) LEFT JOIN places USING (path)
),
{% if single %}
single AS (  -- conjunctions of conditions on single columns: what a block gives is a product; of a guess, the largest variance within its bounds
    SELECT number, sum(expected) AS expected, sum(CASE WHEN guessed THEN (most - expected) * (expected - fewest) ELSE expected * (1 - share) END) AS variance,
        sum(fewest) AS fewest, sum(most) AS most, count(*) AS touched
    FROM (
        SELECT number, guessed, share, held * share AS expected, CASE WHEN inside THEN greatest(0, tuples - total + held) ELSE 0 END AS fewest, least(tuples, held) AS most
        FROM (
            SELECT number, placed.tuples, {% for slot in slots %}{% if not loop.first %} * {% endif %}cover_{{ slot | integer }}.share{% endfor %} AS share,
                {% for slot in slots %}{% if not loop.first %} AND {% endif %}cover_{{ slot | integer }}.inside{% endfor %} AS inside,
                {% for slot in slots %}{% if not loop.first %} OR {% endif %}cover_{{ slot | integer }}.guessed{% endfor %} AS guessed,
{% if secrets %}
                coalesce(held_1.tuples, placed.tuples) AS held,
                CASE secret_place_1{% for column in columns if column.kind == 'sensitive' %} WHEN {{ column.place | integer }} THEN total_{{ column.place | integer }}{% endfor %} ELSE placed.tuples END AS total
{% else %}
                placed.tuples AS held, placed.tuples AS total
{% endif %}
            {% include 'estimate/cases_in_blocks.sql' %}
            WHERE NOT several
        )
    )
    GROUP BY number
),
{% endif %}
{% if several %}
cells AS (  -- a condition that falls into several cases: its cases in a block, and those of its opposite, are put together
    SELECT number, joint, block, tuples,
{% for secret in secrets %}
        secret_{{ secret | integer }}, count_{{ secret | integer }},
{% endfor %}
        coalesce(sum(share) FILTER (truth), 0) AS share,
        bool_or(guessed) AS guessed,
        bool_or(truth) AS possible,
        bool_or(NOT truth) AS uncertain
    FROM (
        SELECT number, joint, truth, block, placed.tuples,
{% for secret in secrets %}
            secret_{{ secret | integer }}, coalesce(held_{{ secret | integer }}.tuples, placed.tuples) AS count_{{ secret | integer }},
{% endfor %}
            {% for slot in slots %}{% if not loop.first %} OR {% endif %}cover_{{ slot | integer }}.guessed{% endfor %} AS guessed,
            {% for slot in slots %}{% if not loop.first %} * {% endif %}cover_{{ slot | integer }}.share{% endfor %} AS share
        {% include 'estimate/cases_in_blocks.sql' %}
        WHERE several
    )
    GROUP BY ALL
),
level_{{ (secrets | length + 1) | integer }} AS (
    SELECT number, joint, block, tuples, {% for secret in secrets %}secret_{{ secret | integer }}, count_{{ secret | integer }}, {% endfor %}guessed,
        CASE WHEN possible THEN tuples ELSE 0 END AS satisfied, CASE WHEN uncertain THEN tuples ELSE 0 END AS failed, weight * share AS expected, weight * share * (1 - share) AS variance
    FROM (SELECT *, {% if secrets %}count_1{% for secret in secrets if secret > 1 %} * count_{{ secret | integer }} / tuples::DOUBLE{% endfor %}{% else %}tuples{% endif %} AS weight FROM cells)
),
{% for secret in secrets | reverse %}
level_{{ secret | integer }} AS (  -- at most as many tuples as have the sensitive value (Fréchet's inequalities)
    SELECT number, joint, block, tuples, {% for outer in secrets if outer < secret %}secret_{{ outer | integer }}, count_{{ outer | integer }}, {% endfor %}

        sum(least(count_{{ secret | integer }}, satisfied)) AS satisfied, sum(least(count_{{ secret | integer }}, failed)) AS failed, sum(expected) AS expected, sum(variance) AS variance, bool_or(guessed) AS guessed
    FROM level_{{ (secret + 1) | integer }}
    GROUP BY ALL
),
{% endfor %}
several AS (  -- the joint counts of several sensitive columns are not published: the plain binomial bounds their variance
    SELECT number, sum(expected) AS expected, sum(CASE WHEN guessed THEN (most - expected) * (expected - fewest) WHEN joint THEN expected * (1 - expected / tuples::DOUBLE) ELSE variance END) AS variance,
        sum(fewest) AS fewest, sum(most) AS most, count_if(satisfied > 0) AS touched
    FROM (SELECT *, tuples - least(tuples, failed) AS fewest, least(tuples, satisfied) AS most FROM level_1)
    GROUP BY number
),
{% endif %}
answers AS (
{% if single %}
    SELECT * FROM single{% if several %} UNION ALL{% endif %}

{% endif %}
{% if several %}
    SELECT * FROM several
{% endif %}
)
SELECT number, coalesce(expected, 0) AS estimate, sqrt(greatest(0, coalesce(variance, 0))) AS deviation,
    CAST(coalesce(fewest, 0) AS BIGINT) AS lower, CAST(coalesce(most, 0) AS BIGINT) AS upper, coalesce(touched, 0) AS blocks
FROM (SELECT unnest(range({{ number_count | integer }})) AS number) LEFT JOIN answers USING (number)
ORDER BY number ASC
