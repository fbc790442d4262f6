"""The command line, on real databases and real terminals."""
