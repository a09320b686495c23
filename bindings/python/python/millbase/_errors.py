"""The exceptions. Each has one sentence, and a base class that users of other libraries catch."""

from __future__ import annotations


class Error(Exception):
    """A question without an answer. Arguments of another type are a TypeError instead."""

    def __str__(self) -> str:
        # KeyError would show the sentence in quotation marks.
        return str(self.args[0]) if self.args else ""


class PositionError(Error, ValueError):
    """A position, a turn, rules or arrays that are not what they should be."""


class MissingError(Error, KeyError):
    """No database here has the answer."""


class CorruptError(Error):
    """A file cannot be used: it is damaged, or of other rules or another version."""


class FolderError(Error, OSError):
    """A folder or a file cannot be read. `errno` and `filename` are those of the operating system."""

    def __init__(self, sentence: str, errno: int | None = None, filename: str | None = None) -> None:
        super().__init__(sentence)
        self.errno = errno
        self.filename = filename
        self._parts = (sentence, errno, filename)

    def __reduce__(self) -> tuple[type[FolderError], tuple[str, int | None, str | None]]:
        return FolderError, self._parts
