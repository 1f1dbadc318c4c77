{# -- name: source/parquet
   -- purpose: read a Parquet file
   -- parameters: path (literal) #}
read_parquet({{ path }})
