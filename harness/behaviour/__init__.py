"""How players play, read from what was done: measures over the logs of runs.

A measure is one function under `registry.measure`; tables, charts and the page of definitions pick it up by themselves.
Every figure is a sum over decisions or matches over another, has its interval, and says from how many matches it comes.
"""
