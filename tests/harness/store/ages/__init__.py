"""One database of each age, as SQL: what Parley once wrote must open for ever.

`python -m tests.harness.store.ages` adds the present one after a new migration; those that are there are never changed.
"""
