#!/usr/bin/env python3
"""Reads the database files that docs/FORMAT.md describes, with nothing but Python's own library.

    tools/read_mill.py DIR POSITION...
    tools/read_mill.py DIR < positions

It prints the value of each position for the side to move: "win N", "draw" or "loss N" in N turns, or
"win" and "loss" from files without depths. It is made to be read, not to be fast: the titles in
capitals are those of docs/FORMAT.md. Only the rules of Nine Men's Morris are known to it.
"""

import struct
import sys
from functools import cache
from itertools import accumulate
from pathlib import Path

MASK64 = (1 << 64) - 1


class Damaged(Exception):
    """A file is not what docs/FORMAT.md says."""


class Unanswerable(Exception):
    """A position that no file can answer."""


def check(condition, what):
    if not condition:
        raise Damaged(what)


# CHECKSUMS: XXH3, 64 bits, seed 0

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
    "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)
P32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
P64 = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)


def u32(data, at):
    return struct.unpack_from("<I", data, at)[0]


def u64(data, at):
    return struct.unpack_from("<Q", data, at)[0]


def fold(a, b):
    """The two halves of a product of 128 bits, combined."""
    product = a * b
    return (product & MASK64) ^ (product >> 64)


def mix(data, at, secret):
    """16 bytes of data with 16 of the secret."""
    return fold(u64(data, at) ^ u64(SECRET, secret), u64(data, at + 8) ^ u64(SECRET, secret + 8))


def avalanche(h):
    h &= MASK64
    h = ((h ^ (h >> 37)) * 0x165667919E3779F9) & MASK64
    return h ^ (h >> 32)


def avalanche64(h):
    h = ((h ^ (h >> 33)) * P64[1]) & MASK64
    h = ((h ^ (h >> 29)) * P64[2]) & MASK64
    return h ^ (h >> 32)


def xxh3(data):
    n = len(data)
    if n == 0:
        return avalanche64(u64(SECRET, 56) ^ u64(SECRET, 64))
    if n <= 3:
        word = data[0] << 16 | data[n // 2] << 24 | data[n - 1] | n << 8
        return avalanche64(word ^ u32(SECRET, 0) ^ u32(SECRET, 4))
    if n <= 8:
        h = u32(data, n - 4) + (u32(data, 0) << 32) ^ u64(SECRET, 8) ^ u64(SECRET, 16)
        rotated = [(h << r | h >> (64 - r)) & MASK64 for r in (49, 24)]
        h = ((h ^ rotated[0] ^ rotated[1]) * 0x9FB21C651E98DF25) & MASK64
        h = ((h ^ ((h >> 35) + n)) * 0x9FB21C651E98DF25) & MASK64
        return h ^ (h >> 28)
    if n <= 16:
        low = u64(data, 0) ^ u64(SECRET, 24) ^ u64(SECRET, 32)
        high = u64(data, n - 8) ^ u64(SECRET, 40) ^ u64(SECRET, 48)
        swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
        return avalanche(n + swapped + high + fold(low, high))
    if n <= 128:
        h = n * P64[0]
        for i in range((n - 1) // 32 + 1):
            h += mix(data, 16 * i, 32 * i) + mix(data, n - 16 * (i + 1), 32 * i + 16)
        return avalanche(h)
    if n <= 240:
        h = avalanche(n * P64[0] + sum(mix(data, 16 * i, 16 * i) for i in range(8)))
        h += sum(mix(data, 16 * i, 16 * (i - 8) + 3) for i in range(8, n // 16))
        return avalanche(h + mix(data, n - 16, 136 - 17))
    return xxh3_long(data)


def xxh3_long(data):
    keys = [u64(SECRET, i) for i in range(0, len(SECRET) - 7)]
    lanes = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]]

    def stripe(at, secret):
        for i, word in enumerate(struct.unpack_from("<8Q", data, at)):
            keyed = word ^ keys[secret + 8 * i]
            lanes[i ^ 1] += word
            lanes[i] = (lanes[i] + (keyed & 0xFFFFFFFF) * (keyed >> 32)) & MASK64

    for number in range((len(data) - 1) // 64):
        stripe(64 * number, number % 16 * 8)
        if number % 16 == 15:
            for i in range(8):
                lane = lanes[i] & MASK64
                lanes[i] = ((lane ^ (lane >> 47) ^ keys[128 + 8 * i]) * P32[0]) & MASK64
    stripe(len(data) - 64, 192 - 64 - 7)
    h = len(data) * P64[0]
    for i in range(0, 8, 2):
        h += fold(lanes[i] & MASK64 ^ keys[11 + 8 * i], lanes[i + 1] & MASK64 ^ keys[19 + 8 * i])
    return avalanche(h)


# ROWS AND COLUMNS: points are bits 8 * ring + place, sets of points are numbers

FULL = (1 << 24) - 1
BLACK = 0x55AA55


def points(set_):
    return [p for p in range(24) if set_ >> p & 1]


def neighbours_of(point):
    ring, place = point & ~7, point & 7
    near = [ring | (place + 1) & 7, ring | (place - 1) & 7]
    if place % 2 == 0:
        near += [p for p in (point - 8, point + 8) if 0 <= p < 24]
    return near


NEIGHBOURS = [neighbours_of(p) for p in range(24)]
LINES = [
    [8 * ring + (corner + i) % 8 for i in range(3)] for ring in range(3) for corner in (1, 3, 5, 7)
] + [[place, place + 8, place + 16] for place in (0, 2, 4, 6)]
# For each point the other two points of its lines, as a set.
OTHER_TWO = [
    [sum(1 << q for q in line if q != p) for line in LINES if p in line] for p in range(24)
]


def symmetries():
    """The 16 maps of the board, each as three lists: where the sets of 8 points go."""
    for swap in (False, True):
        for reflect in (1, -1):
            for turn in (0, 2, 4, 6):
                image = [
                    8 * (2 - p // 8 if swap else p // 8) + (reflect * (p % 8) + turn) % 8
                    for p in range(24)
                ]
                yield [
                    [sum(1 << image[8 * ring + p] for p in range(8) if byte >> p & 1) for byte in range(256)]
                    for ring in range(3)
                ]


SYMMETRIES = list(symmetries())


def turned(set_, symmetry):
    inner, middle, outer = symmetry
    return inner[set_ & 255] | middle[set_ >> 8 & 255] | outer[set_ >> 16]


def subsets(n, k):
    """The numbers below 2^n with k bits, in their order."""
    number = (1 << k) - 1
    while number < 1 << n:
        yield number
        lowest = number & -number
        ripple = number + lowest
        number = ripple | ((number ^ ripple) // lowest >> 2)


@cache
def rows(mover):
    """The number of each row by its own set."""
    seen = bytearray(1 << 24)
    numbers = {}
    for set_ in subsets(24, mover):
        if not seen[set_]:
            numbers[set_] = len(numbers)
            for symmetry in SYMMETRIES:
                seen[turned(set_, symmetry)] = 1
    return numbers


@cache
def columns(free, waiting):
    return list(subsets(free, waiting))


@cache
def column_numbers(free, waiting):
    """The number of each column by its subset."""
    return {subset: column for column, subset in enumerate(columns(free, waiting))}


@cache
def near_columns(free, waiting, column, count):
    """The nearest earlier columns that differ by one stone, nearest first."""
    subset = columns(free, waiting)[column]
    bits = [b for b in range(free) if subset >> b & 1]
    gaps = [b for b in range(free) if not subset >> b & 1]
    moved = sorted((subset ^ 1 << b ^ 1 << g for b in bits for g in gaps if g < b), reverse=True)
    return [column_numbers(free, waiting)[m] for m in moved[:count]]


# THE RULES

RULES = xxh3(b"millbase rules 1: diagonals=false flying=3 removal_from_mills=false")


def closes_mill(stones, point):
    """Whether a stone on the point completes a mill of these stones."""
    return any(stones & two == two for two in OTHER_TWO[point])


@cache
def closing_points(mover):
    """The points to which a slide of the mover closes a mill if they are empty."""
    return sum(
        1 << to
        for to in points(FULL & ~mover)
        if any(mover >> p & 1 and closes_mill(mover & ~(1 << p), to) for p in NEIGHBOURS[to])
    )


def turns(mover, waiting):
    """All (mover, waiting) after a turn, before the sides change."""
    empty = FULL & ~mover & ~waiting
    flying = mover.bit_count() == 3
    for start in points(mover):
        rest = mover & ~(1 << start)
        for to in points(empty) if flying else NEIGHBOURS[start]:
            if not empty >> to & 1:
                continue
            after = rest | 1 << to
            if not closes_mill(rest, to):
                yield after, waiting
                continue
            in_mills = sum(1 << p for p in points(waiting) if closes_mill(waiting, p))
            for stone in points(waiting & ~in_mills or waiting):
                yield after, waiting & ~(1 << stone)


# THE MODEL

UNKNOWN = 255
ESCAPE = 126


def parse_model(data):
    """The three lists of keys and the tree: a node is (kind, bin, left, right) or a distribution."""
    at = 0

    def take(count):
        nonlocal at
        check(at + count <= len(data), "the model ends early")
        at += count
        return data[at - count : at]

    def parse_list(most):
        count = take(1)[0]
        entries = list(take(count))
        check(count <= most and entries == sorted(set(entries)), "a list of keys")
        return entries

    def parse_node(depth):
        kind = take(1)[0]
        check(kind <= 4 and depth < 500, "a node of the tree")
        if kind == 4:
            return parse_distribution()
        split = take(1)[0]
        return kind, split, parse_node(depth + 1), parse_node(depth + 1)

    def parse_distribution():
        """For each of the 4096 slots the key, its first slot and its count."""
        slots = []
        key = None
        while key != ESCAPE:
            key, count = struct.unpack("<BH", take(3))
            check(0 < count <= 4096 - len(slots), "a distribution")
            slots += [(key, len(slots), count)] * count
        check(len(slots) == 4096, "a distribution")
        return slots

    lists = [parse_list(most) for most in (23, 11, 7)]
    bins = [[sum(entry < key for entry in entries) for key in range(256)] for entries in lists]
    tree = parse_node(0)
    check(at == len(data), "the model is longer than its tree")
    return bins, tree


ESCAPED = [(slot // 16, slot // 16 * 16, 16) for slot in range(4096)]


def value_of_key(key):
    return 2 * key + 2 if key < 127 else 0 if key == 127 else 511 - 2 * key


# THE FIELDS

MARK = bytes.fromhex("8e4d494c4c44420a")


class File:
    """One file: the values of the positions in which the larger side moves."""

    def __init__(self, path, larger, smaller):
        self.path = path
        self.file = open(path, "rb")
        head = self.read(0, 44)
        (mark, version, header, w, b, contents, self.stored, most, self.near, self.slides, rules, length, model) = (
            struct.unpack("<8sIIBBBBHBBQQI", head)
        )
        check(mark == MARK, "the mark")
        check(version == 2, "the version")
        check(header == 44 + 2048 * (1 if w == b else 2) + 8, "the length of the header")
        check((w, b) == (larger, smaller), "the pair")
        check(contents <= 1 and self.stored <= 2 and (w == b or self.stored == 0), "contents or stored")
        check(64 <= most <= 4096 and (self.near, self.slides) in ((5, 3), (15, 6)), "columns, near or slides")
        check(rules == RULES, "other rules")
        check(length == path.stat().st_size, "the length of the file")
        check(header + model + 8 <= length, "the length of the model")
        self.checked(0, header)
        self.bins, self.tree = parse_model(self.checked(header, model + 8))
        self.depths = contents == 0
        self.free, self.waiting = 24 - w, b
        self.row_count = len(rows(w))
        self.row_fields = header + model + 8
        self.columns, self.numbers = columns(self.free, b), column_numbers(self.free, b)
        most = (most, most * 4 // 3, most * 2)[self.stored]
        self.block_count = -(-len(self.columns) // most)
        self.blocks = {}

    def read(self, at, count):
        self.file.seek(at)
        data = self.file.read(count)
        check(len(data) == count, "the end of the file")
        return data

    def checked(self, at, count):
        """Bytes whose last eight are the checksum of those before."""
        data = self.read(at, count)
        check(xxh3(data[:-8]) == u64(data, count - 8), f"the checksum of the bytes from {at}")
        return data[:-8]

    def holds(self, mover, waiting):
        """Whether the position's own value is in the file."""
        even = ((mover | waiting) & BLACK).bit_count() % 2 == 0
        return self.stored == 0 or even or self.stored == 1 and closing_points(mover) & ~waiting != 0

    def value(self, mover, waiting):
        """The value byte of a position that the file holds."""
        own, symmetry = min((turned(mover, s), i) for i, s in enumerate(SYMMETRIES))
        row, turned_waiting = rows(mover.bit_count())[own], turned(waiting, SYMMETRIES[symmetry])
        outside = points(FULL & ~own)
        column = self.numbers[sum(1 << i for i, p in enumerate(outside) if turned_waiting >> p & 1)]
        # Rounding down makes the block found here the right one or the one after it.
        block = column * self.block_count // len(self.columns)
        if (block + 1) * len(self.columns) // self.block_count <= column:
            block += 1
        if (row, block) not in self.blocks:
            self.blocks[row, block] = self.decode(own, row, block)
        return value_of_key(self.blocks[row, block][column])

    def block_bytes(self, row, block):
        start, sum_, end = struct.unpack("<QQQ", self.read(self.row_fields + 16 * row, 24))
        check(start + 2 * self.block_count <= end, f"the place of row {row}")
        data = self.read(start, end - start)
        check(xxh3(data) == sum_, f"the checksum of row {row}")
        lengths = struct.unpack_from(f"<{self.block_count}H", data)
        ends = list(accumulate(lengths, initial=2 * self.block_count))
        check(ends[-1] == len(data), f"the blocks of row {row}")
        return data[ends[block] : ends[block + 1]]

    # BLOCKS

    def decode(self, own, row, block):
        """The keys of a block by column."""
        data = self.block_bytes(row, block)
        check(len(data) >= 4 and len(data) % 2 == 0, f"block {block} of row {row}")
        state, words = u32(data, 0), iter(struct.unpack_from(f"<{len(data) // 2 - 2}H", data, 4))

        def step(slots):
            nonlocal state
            slot = state % 4096
            key, first, count = slots[slot]
            state = count * (state // 4096) + slot - first
            if state < 65536:
                word = next(words, None)
                check(word is not None, f"block {block} of row {row} ends early")
                state = state * 65536 + word
            return key

        outside = points(FULL & ~own)
        # Slides of the waiting side, as bits of a subset.
        slides = [
            (1 << i, 1 << outside.index(to))
            for i, start in enumerate(outside)
            for to in sorted(NEIGHBOURS[start])
            if to < start and to in outside
        ]
        start, end = (i * len(self.columns) // self.block_count for i in (block, block + 1))
        keys = {}
        last = UNKNOWN
        for column in range(start, end):
            subset = self.columns[column]
            waiting = sum(1 << p for i, p in enumerate(outside) if subset >> i & 1)
            if not self.holds(own, waiting):
                continue
            near = self.near_key(column, keys, last)
            best, worst = self.slide_keys(subset, slides, keys)
            last = step(self.distribution(near, best, worst, mill_class(own, waiting)))
            if last == ESCAPE:
                last = step(ESCAPED)
            keys[column] = last
        check(state == 65536 and next(words, None) is None, f"the end of block {block} of row {row}")
        return keys

    def distribution(self, near, best, worst, class_):
        bins = (self.bins[0][near], self.bins[1][best], self.bins[2][worst], class_)
        node = self.tree
        while type(node) is tuple:
            kind, split, left, right = node
            node = left if bins[kind] <= split else right
        return node

    # THE CONTEXT OF A COLUMN

    def near_key(self, column, keys, known):
        noted = []
        for other in near_columns(self.free, self.waiting, column, self.near):
            key = keys.get(other, UNKNOWN)
            if key != UNKNOWN:
                known = key
            noted.append(known)
        noted += [known] * (self.near - len(noted))
        return sorted(noted)[self.near // 2]

    def slide_keys(self, subset, slides, keys):
        possible = [subset ^ start ^ to for start, to in slides if subset & start and not subset & to]
        found = [keys.get(self.numbers[moved], UNKNOWN) for moved in possible[: self.slides]]
        known = [key for key in found if key != UNKNOWN]
        return min(known, default=UNKNOWN), max(known, default=UNKNOWN)


# Three stones, of which two and the point make a mill when the third slides there.
THREATS = [
    (two | 1 << third, to)
    for to in range(24)
    for two in OTHER_TWO[to]
    for third in NEIGHBOURS[to]
    if not two >> third & 1
]


def mill_class(mover, waiting):
    threats = [to for stones, to in THREATS if waiting & stones == stones]
    open_threats = sum(not (mover | waiting) >> to & 1 for to in threats)
    closing = (closing_points(mover) & ~waiting).bit_count()
    return 4 * min(open_threats, 2) + min(closing, 3)


# WHICH VALUES ARE IN A FILE

def rank_of_value(value):
    """Larger is better for the side to move."""
    if value == 0:
        return 0
    return 256 - value if value % 2 == 0 else value - 256


class Folder:
    """The files of a folder, opened when they are needed."""

    def __init__(self, path):
        self.path = Path(path)
        self.files = {}

    def file(self, larger, smaller):
        if (larger, smaller) not in self.files:
            path = self.path / f"{larger}-{smaller}.mill"
            try:
                self.files[larger, smaller] = File(path, larger, smaller)
            except Damaged as damage:
                raise Damaged(f"{path}: {damage}") from None
        return self.files[larger, smaller]

    def value(self, mover, waiting):
        """The value byte of a position, stored or derived."""
        counts = mover.bit_count(), waiting.bit_count()
        file = self.file(max(counts), min(counts))
        if counts[0] >= counts[1] and file.holds(mover, waiting):
            try:
                return file.value(mover, waiting)
            except Damaged as damage:
                raise Damaged(f"{file.path}: {damage}") from None
        values = [self.after_turn(*after) for after in turns(mover, waiting)]
        value = max(values, key=rank_of_value, default=1)
        return value if file.depths or value == 0 else 2 - value % 2

    def after_turn(self, mover, waiting):
        """What a turn to this position is worth for the side that made it."""
        if waiting.bit_count() < 3:
            return 2
        value = self.value(waiting, mover)
        return value + 1 if value else 0

    def text(self, position):
        mover, waiting = parse(position)
        value = self.value(mover, waiting)
        depth = f" {value - 1}" if self.file(*sorted((mover.bit_count(), waiting.bit_count()))[::-1]).depths else ""
        return "draw" if value == 0 else ("loss", "win")[value % 2 == 0] + depth


def parse(text):
    """The stones of the side to move and of the other side, from the text of a position."""
    fields = text.split()
    if len(fields) < 2:
        raise Unanswerable("a position has a board and a side to move")
    board = fields[0].replace("/", "")
    if len(board) != 24 or set(board) - set("O@*") or fields[1] not in ("w", "b"):
        raise Unanswerable("the board or the side to move")
    white, black = (sum(1 << p for p, c in enumerate(board) if c == colour) for colour in "O@")
    if any(field != "0" for field in fields[5:9:2]) or any(field != "0" for field in fields[8:10]):
        raise Unanswerable("stones in hand or removals owed")
    if min(white.bit_count(), black.bit_count()) < 3:
        raise Unanswerable("the game is over")
    return (white, black) if fields[1] == "w" else (black, white)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = Folder(sys.argv[1])
    status = 0
    for position in sys.argv[2:] or map(str.strip, sys.stdin):
        try:
            print(folder.text(position), flush=True)
        except (Damaged, Unanswerable, OSError) as error:
            print(f"error: {error}", flush=True)
            status = 1
    sys.exit(status)


if __name__ == "__main__":
    main()
