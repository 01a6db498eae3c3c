"""Where events and tables are kept as Parquet: claimed, written, merged, read again."""
