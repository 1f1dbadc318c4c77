"""The SQL extension: ANONYMIZE, AUDIT, ESTIMATE and their kin, parsed and carried out."""
