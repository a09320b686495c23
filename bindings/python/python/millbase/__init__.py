"""Perfect play for Nine Men's Morris (Mill, Mühle, Merels).

>>> import millbase
>>> db = millbase.open()
>>> str(db.probe("***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0"))
'win in 21'

Without a folder, `open` has the databases with at most nine stones, which are part of the module.
The bits of points and the text of positions are those of the program millbase.
"""

from ._arrays import Choice, LegalTurns, Line, Rows, Sample, Turns, Values
from ._errors import CorruptError, Error, FolderError, MissingError, PositionError
from ._millbase import Database, Position, RankedTurn, Value, __version__, legal_turns, open, read_games

__all__ = [
    "Choice",
    "CorruptError",
    "Database",
    "Error",
    "FolderError",
    "LegalTurns",
    "Line",
    "MissingError",
    "Position",
    "PositionError",
    "RankedTurn",
    "Rows",
    "Sample",
    "Turns",
    "Value",
    "Values",
    "__version__",
    "legal_turns",
    "open",
    "read_games",
]
