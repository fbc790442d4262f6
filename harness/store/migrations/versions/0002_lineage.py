"""What a fork was before: the matches that the first part of its log comes from. And forks found by their parent."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column and the index."""
    op.add_column("match", sa.Column("lineage", sa.Text))
    op.create_index("ix_match_parent", "match", ["parent_id", "parent_ply", "run_id"])
