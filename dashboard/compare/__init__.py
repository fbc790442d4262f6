"""The pages that compare players: what the address asks for, the figures kept in memory, and views as pages."""
