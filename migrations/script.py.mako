"""${message}

Runs BEFORE or AFTER the code that needs it: say which, and why.

Revision ID: ${up_revision}
Revises: ${down_revision | comma,n}
"""

import pgvector.sqlalchemy  # noqa: F401 - column types of ours
import sqlalchemy as sa  # noqa: F401
from alembic import op

from ragspine_pg.schema.install import stamp_build
${imports if imports else ""}
revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = ${repr(branch_labels)}
depends_on = ${repr(depends_on)}


def upgrade() -> None:
    """${message}."""
    ${upgrades if upgrades else "pass"}
    stamp_build(op.get_context())


def downgrade() -> None:
    """Undo it."""
    ${downgrades if downgrades else "pass"}
