"""What the skill ``on_email`` gets and gives."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class EmailAttachment(BaseModel):
    """A file of a mail, in the workspace of the agent's owner; the run may read it. No path: it was not stored."""

    name: str
    content_type: str
    size_bytes: int
    path: str | None


class EmailReply(BaseModel):
    """An answer. Without a subject it has that of the conversation."""

    model_config = ConfigDict(extra="forbid")

    body: Annotated[str, Field(max_length=262144)]
    subject: Annotated[str, Field(max_length=500)] | None = None
