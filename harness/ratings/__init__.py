"""Ratings of one table's players: who wins against these opponents, how sure that is, and when not to trust it.

Pure functions over the seats of matches; docs/ratings.md says what each figure is. `ballots` reads the matches,
`choices` turns them into choices of a winner, `logit` fits strengths and seats to them, `packs` draws packs anew for
intervals, `pairs` compares two players, `stopping` decides by `looks` when two are told apart while a run goes on,
`rate` makes one rating, `table` puts all those of one table together, and `rows` sets beside them what each player
took and lacks.
"""
