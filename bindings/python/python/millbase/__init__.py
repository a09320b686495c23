"""Perfect play for Nine Men's Morris (Mill, Mühle, Merels).

>>> import millbase
>>> db = millbase.open()
>>> str(db.probe("***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0"))
'win in 21'

Without a folder, `open` has the databases with at most nine stones, which are part of the module.
The bits of points and the text of positions are those of the program millbase.
"""

from ._millbase import (
    CorruptError,
    Database,
    Error,
    Line,
    MissingError,
    Position,
    PositionError,
    RankedTurn,
    Sample,
    Turns,
    Value,
    __version__,
    open,
)

__all__ = [
    "CorruptError",
    "Database",
    "Error",
    "Line",
    "MissingError",
    "Position",
    "PositionError",
    "RankedTurn",
    "Sample",
    "Turns",
    "Value",
    "__version__",
    "open",
]
