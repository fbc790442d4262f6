"""Runs as tables: written as JSONL and Parquet, read back into a database, given as data frames, and as chats.

`schema` is the one definition of every column; files, data frames and `docs/data.md` come from it.
"""
