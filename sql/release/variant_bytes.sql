{# -- name: release/variant_bytes
   -- purpose: a sort key that tells VARIANTs apart which have one text (1 as INTEGER and as BIGINT); NULL for one that Parquet lacks
   -- parameters: table (alias), column (a VARIANT, or what holds some) #}
TRY(variant_to_parquet_variant({{ table | identifier }}.{{ column | identifier }}::VARIANT))
