"""The harness: asks players, plays matches, keeps the log, reads it again."""
