"""Runs the migrations on the connection that the store gives, inside its transaction."""

from alembic import context

from harness.store import tables

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=tables.run.metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
