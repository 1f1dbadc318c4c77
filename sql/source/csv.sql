{# -- name: source/csv
   -- purpose: read a CSV file; types are guessed from all its rows, so that a code with a leading zero anywhere stays text
   -- parameters: path (literal) #}
read_csv({{ path }}, sample_size = -1)
