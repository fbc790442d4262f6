"""The pages on which runs and replays are looked at. Reads the store, writes nothing."""
