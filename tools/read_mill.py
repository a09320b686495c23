#!/usr/bin/env python3
"""Reads the database files that docs/FORMAT.md describes, with nothing but Python's own library.

    tools/read_mill.py [--rules NAME] DIR POSITION...
    tools/read_mill.py [--rules NAME] DIR < positions

It prints the value of each position for the side to move: "win N", "draw" or "loss N" in N turns, or
"win" and "loss" from files without depths. It is made to be read, not to be fast: the titles in capitals
are those of docs/FORMAT.md. The rules are "standard", "lasker" or "dooz", with any number of stones. Under
the first, positions with stones in hand need a file placing-NN.mill of their ply, or of one a few placements
later; under the others they are in the files of pairs.
"""

import struct
import sys
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path

MASK64 = (1 << 64) - 1


class Damaged(Exception):
    """The file does not follow docs/FORMAT.md."""


class Unanswerable(Exception):
    """No file can answer the position."""


def check(condition, what):
    if not condition:
        raise Damaged(what)


# CHECKSUMS: XXH3, 64 bits

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


def mix(data, at, secret, seed):
    """16 bytes of data with 16 of the secret."""
    low, high = u64(SECRET, secret) + seed, u64(SECRET, secret + 8) - seed
    return fold(u64(data, at) ^ low & MASK64, u64(data, at + 8) ^ high & MASK64)


def avalanche(h):
    h &= MASK64
    h = ((h ^ (h >> 37)) * 0x165667919E3779F9) & MASK64
    return h ^ (h >> 32)


def avalanche64(h):
    h &= MASK64
    h = ((h ^ (h >> 33)) * P64[1]) & MASK64
    h = ((h ^ (h >> 29)) * P64[2]) & MASK64
    return h ^ (h >> 32)


def xxh3(data, seed=0):
    n = len(data)
    if n == 0:
        return avalanche64(seed ^ u64(SECRET, 56) ^ u64(SECRET, 64))
    if n <= 3:
        word = data[0] << 16 | data[n // 2] << 24 | data[n - 1] | n << 8
        return avalanche64(word ^ (u32(SECRET, 0) ^ u32(SECRET, 4)) + seed)
    if n <= 8:
        swapped = int.from_bytes((seed & 0xFFFFFFFF).to_bytes(4, "little"), "big")
        secret = (u64(SECRET, 8) ^ u64(SECRET, 16)) - (seed ^ swapped << 32) & MASK64
        h = u32(data, n - 4) + (u32(data, 0) << 32) ^ secret
        rotated = [(h << r | h >> (64 - r)) & MASK64 for r in (49, 24)]
        h = ((h ^ rotated[0] ^ rotated[1]) * 0x9FB21C651E98DF25) & MASK64
        h = ((h ^ ((h >> 35) + n)) * 0x9FB21C651E98DF25) & MASK64
        return h ^ (h >> 28)
    if n <= 16:
        low = u64(data, 0) ^ (u64(SECRET, 24) ^ u64(SECRET, 32)) + seed & MASK64
        high = u64(data, n - 8) ^ (u64(SECRET, 40) ^ u64(SECRET, 48)) - seed & MASK64
        swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
        return avalanche(n + swapped + high + fold(low, high))
    if n <= 128:
        h = n * P64[0]
        for i in range((n - 1) // 32 + 1):
            h += mix(data, 16 * i, 32 * i, seed) + mix(data, n - 16 * (i + 1), 32 * i + 16, seed)
        return avalanche(h)
    if n <= 240:
        h = avalanche(n * P64[0] + sum(mix(data, 16 * i, 16 * i, seed) for i in range(8)))
        h += sum(mix(data, 16 * i, 16 * (i - 8) + 3, seed) for i in range(8, n // 16))
        return avalanche(h + mix(data, n - 16, 136 - 17, seed))
    return xxh3_long(data, seed)


@cache
def seeded_secret(seed):
    """The secret of long texts: the seed is added to its even words and subtracted from its odd ones."""
    words = [u64(SECRET, at) + (-seed if at % 16 else seed) & MASK64 for at in range(0, len(SECRET), 8)]
    return struct.pack(f"<{len(words)}Q", *words)


def xxh3_long(data, seed):
    secret_bytes = seeded_secret(seed)
    keys = [u64(secret_bytes, i) for i in range(0, len(SECRET) - 7)]
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


# RULES

NAMED = {
    "standard": "diagonals=false flying=3 removal_from_mills=false",
    "lasker": "diagonals=false flying=3 removal_from_mills=false moves_while_placing=true",
    "dooz": "diagonals=true flying=3 removal_from_mills=true full_board=removes removal_while_placing=hand",
}
name = "standard"
if sys.argv[1:2] == ["--rules"] and len(sys.argv) > 2:
    if sys.argv[2] not in NAMED:
        sys.exit(f"the rules are one of {', '.join(NAMED)}, not {sys.argv[2]}")
    name = sys.argv[2]
    del sys.argv[1:3]
SETTINGS = NAMED[name].split()
RULES = xxh3(f"millbase rules 1: {NAMED[name]}".encode())
DIAGONALS = "diagonals=true" in SETTINGS
REMOVES_FROM_MILLS = "removal_from_mills=true" in SETTINGS
MOVES_WHILE_PLACING = "moves_while_placing=true" in SETTINGS
TAKES_FROM_HAND = "removal_while_placing=hand" in SETTINGS
FULL_BOARD_REMOVES = "full_board=removes" in SETTINGS
PAIRS_HAVE_HANDS = MOVES_WHILE_PLACING or TAKES_FROM_HAND

# ROWS AND COLUMNS: points are bits 8 * ring + place, sets of points are numbers

FULL = (1 << 24) - 1
BLACK = 0x55AA55


def points(set_):
    return [p for p in range(24) if set_ >> p & 1]


def neighbours_of(point):
    ring, place = point & ~7, point & 7
    near = [ring | (place + 1) & 7, ring | (place - 1) & 7]
    if place % 2 == 0 or DIAGONALS:
        near += [p for p in (point - 8, point + 8) if 0 <= p < 24]
    return sorted(near)


NEIGHBOURS = [neighbours_of(p) for p in range(24)]
LINES = [
    sorted(8 * ring + (corner + i) % 8 for i in range(3)) for ring in range(3) for corner in (7, 1, 3, 5)
] + [[place, place + 8, place + 16] for place in range(0, 8, 1 if DIAGONALS else 2)]
# For each point the other two points of its lines, as a set.
OTHER_TWO = [
    [sum(1 << q for q in line if q != p) for line in LINES if p in line] for p in range(24)
]


def symmetries():
    """The 16 maps of the board, each as three lists of the images of sets of 8 points."""
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


def is_even(set_):
    return (set_ & BLACK).bit_count() % 2 == 0


def turned(set_, symmetry):
    inner, middle, outer = symmetry
    return inner[set_ & 255] | middle[set_ >> 8 & 255] | outer[set_ >> 16]


def subsets(n, k):
    """The numbers below 2^n with k bits, in their order."""
    if k == 0:
        yield 0
        return
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


def own_set(set_):
    """The row's own set for a set."""
    return min(turned(set_, symmetry) for symmetry in SYMMETRIES)


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


# TURNS


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


def removable(stones):
    """The stones of a side that may be removed."""
    if REMOVES_FROM_MILLS:
        return points(stones)
    in_mills = sum(1 << p for p in points(stones) if closes_mill(stones, p))
    return points(stones & ~in_mills or stones)


def turns(mover, waiting, in_hand=0, waiting_in_hand=0):
    """All positions after a turn, before the sides change: the sets of the mover and the waiting side,
    then their numbers of stones in hand."""
    empty = FULL & ~mover & ~waiting
    if not empty and FULL_BOARD_REMOVES:
        for stone in points(waiting):
            yield mover, waiting & ~(1 << stone), 0, 0
    if in_hand:
        takes_from_hand = TAKES_FROM_HAND and waiting_in_hand > 0
        for to in points(empty):
            closes = closes_mill(mover, to)
            removed = removable(waiting) if closes and not takes_from_hand else []
            for left in [waiting & ~(1 << stone) for stone in removed] or [waiting]:
                yield mover | 1 << to, left, in_hand - 1, waiting_in_hand - (closes and takes_from_hand)
    if in_hand and not MOVES_WHILE_PLACING:
        return
    flying = mover.bit_count() + in_hand == 3
    for start in points(mover):
        rest = mover & ~(1 << start)
        for to in points(empty) if flying else NEIGHBOURS[start]:
            if not empty >> to & 1:
                continue
            removed = removable(waiting) if closes_mill(rest, to) else []
            for left in [waiting & ~(1 << stone) for stone in removed] or [waiting]:
                yield rest | 1 << to, left, in_hand, waiting_in_hand


# THE MODEL

UNKNOWN = 255
ESCAPE = 126
# The symbols of files without depths.
WON, DRAWN, LOST = 0, 1, 2


def parse_model(data):
    """The three lists and the tree: a node is (kind, bin, left, right) or a distribution."""
    at = 0

    def take(count):
        nonlocal at
        check(at + count <= len(data), "the model ends early")
        at += count
        return data[at - count : at]

    def parse_list(most):
        count = take(1)[0]
        entries = list(take(count))
        check(count <= most and entries == sorted(set(entries)), "a list of symbols")
        return entries

    def parse_node(depth):
        kind = take(1)[0]
        check(kind <= 4 and depth < 500, "a node of the tree")
        if kind == 4:
            return parse_distribution()
        split = take(1)[0]
        return kind, split, parse_node(depth + 1), parse_node(depth + 1)

    def parse_distribution():
        """For each of the 4096 slots the symbol, its cumulative frequency and its frequency."""
        slots = []
        symbol = None
        while symbol != ESCAPE:
            symbol, count = struct.unpack("<BH", take(3))
            check(0 < count <= 4096 - len(slots), "a distribution")
            slots += [(symbol, len(slots), count)] * count
        check(len(slots) == 4096, "a distribution")
        return slots

    lists = [parse_list(most) for most in (23, 11, 7)]
    bins = [[sum(entry < symbol for entry in entries) for symbol in range(256)] for entries in lists]
    tree = parse_node(0)
    check(at == len(data), "the model is longer than its tree")
    return bins, tree


ESCAPED = [(slot // 16, slot // 16 * 16, 16) for slot in range(4096)]


def value_of_symbol(symbol, depths):
    if not depths:
        return {WON: 2, DRAWN: 0, LOST: 1}[symbol]
    return 2 * symbol + 2 if symbol < 127 else 0 if symbol == 127 else 511 - 2 * symbol


# THE CONTAINER

MAGIC = bytes.fromhex("8e4d494c4c44420a")
PAIR, PLY = 0, 1
PAGE_ROWS = 1024


class Fields:
    """Reads fields from bytes one after the other."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, count):
        check(self.at + count <= len(self.data), "fields end early")
        self.at += count
        return self.data[self.at - count : self.at]

    def varint(self):
        number = 0
        for shift in range(0, 63, 7):
            byte = self.take(1)[0]
            number |= (byte & 127) << shift
            if byte < 128:
                return number
        raise Damaged("a number is too long")

    def histogram(self):
        length = self.varint()
        check(length <= 256, "the length of a histogram")
        return [self.varint() for _ in range(length)]

    def end(self):
        check(self.at == len(self.data), "fields go on where they should end")


def checked(data):
    """The bytes without the checksum in the last eight, which must be right."""
    check(len(data) >= 8 and xxh3(data[:-8]) == u64(data, len(data) - 8), "a checksum")
    return data[:-8]


class Container:
    """The head of a file, and its rows."""

    def __init__(self, path, kind):
        self.file = open(path, "rb")
        prefix = self.read(0, 40)
        magic, version, head, length, rules, found, metric, self.most, self.near, self.slides, tables = (
            struct.unpack("<8sIIQQBBHBBH", prefix)
        )
        check(magic == MAGIC, "the magic")
        check(version == 3, "the version")
        check(48 <= head <= 128 << 10, "the length of the head")
        check(length == path.stat().st_size, "the length of the file")
        fields = Fields(checked(self.read(0, head)))
        fields.take(40)
        check(rules == RULES, "other rules")
        check(found == kind, "the kind")
        check(metric <= 1, "the metric")
        check(64 <= self.most <= 8192, "columns")
        self.depths = metric == 0
        encodings = ((5, 3), (15, 6)) if self.depths else ((10, 3), (16, 6))
        check((self.near, self.slides) in encodings, "near or slides")
        self.schema = Fields(fields.take(fields.varint()))
        self.tables = []
        for _ in range(tables):
            row_count, width = fields.varint(), fields.take(1)[0]
            check(width in (2, 3), "the width of a length")
            model = parse_model(fields.take(fields.varint()))
            self.tables.append((row_count, width, head, model))
            head += width * row_count + 16 * -(-row_count // PAGE_ROWS)
        fields.end()

    def read(self, at, count):
        self.file.seek(at)
        data = self.file.read(count)
        check(len(data) == count, "the end of the file")
        return data

    def row(self, table, row):
        """The bytes of a row without its checksum."""
        row_count, width, directory, _ = self.tables[table]
        page, place = divmod(row, PAGE_ROWS)
        count = min(PAGE_ROWS, row_count - page * PAGE_ROWS)
        fields = checked(self.read(directory + page * (16 + PAGE_ROWS * width), 16 + count * width))
        lengths = [int.from_bytes(fields[at : at + width], "little") for at in range(8, len(fields), width)]
        check(lengths[place] >= 4, f"the length of row {row}")
        data = self.read(u64(fields, 0) + sum(lengths[:place]), lengths[place])
        sum_ = xxh3(data[:-4], table << 32 | row) & 0xFFFFFFFF
        check(sum_ == u32(data, len(data) - 4), f"the checksum of row {row}")
        return data[:-4]


class Table:
    """A table of a container. `stored` are its rows, `holds` says whether it has a column, and
    `closing` gives the points at which a side's next stone closes a mill, each as often as it can."""

    def __init__(self, container, number, mover, waiting, stored, holds, closing):
        self.container, self.number = container, number
        row_count, _, _, (self.bins, self.tree) = container.tables[number]
        check(row_count == len(stored), "the number of rows")
        self.stored, self.holds, self.closing = stored, holds, closing
        self.free, self.waiting = 24 - mover, waiting
        self.columns, self.numbers = columns(self.free, waiting), column_numbers(self.free, waiting)
        self.block_count = -(-len(self.columns) // container.most)
        self.blocks = {}

    def value(self, mover, waiting):
        """The value byte of a position that the file holds."""
        own, symmetry = min((turned(mover, s), i) for i, s in enumerate(SYMMETRIES))
        row, turned_waiting = self.stored[own], turned(waiting, SYMMETRIES[symmetry])
        outside = points(FULL & ~own)
        column = self.numbers[sum(1 << i for i, p in enumerate(outside) if turned_waiting >> p & 1)]
        block = ((column + 1) * self.block_count - 1) // len(self.columns)
        if (row, block) not in self.blocks:
            self.blocks[row, block] = self.decode(own, row, block)
        return value_of_symbol(self.blocks[row, block][column], self.container.depths)

    def block_bytes(self, row, block):
        fields = Fields(self.container.row(self.number, row))
        lengths = [fields.varint() for _ in range(self.block_count)]
        blocks = [fields.take(length) for length in lengths]
        fields.end()
        return blocks[block]

    # BLOCKS

    def decode(self, own, row, block):
        """The symbols of a block by column."""
        data = self.block_bytes(row, block)
        length = len(data) if len(data) <= 4 else 4 - len(data) % 2
        state = int.from_bytes(data[:length], "little")
        words = [word for (word,) in struct.iter_unpack("<H", data[length:])][::-1]

        def step(slots):
            nonlocal state
            slot = state % 4096
            symbol, first, count = slots[slot]
            state = count * (state // 4096) + slot - first
            if state < 65536 and words:
                state = state * 65536 + words.pop()
            return symbol

        outside = points(FULL & ~own)
        # Slides of the waiting side, as bits of a subset.
        slides = [
            (1 << i, 1 << outside.index(to))
            for i, start in enumerate(outside)
            for to in NEIGHBOURS[start]
            if to < start and to in outside
        ]
        start, end = (i * len(self.columns) // self.block_count for i in (block, block + 1))
        symbols = {}
        last = UNKNOWN
        for column in range(start, end):
            subset = self.columns[column]
            waiting = sum(1 << p for i, p in enumerate(outside) if subset >> i & 1)
            if not self.holds(own, waiting):
                continue
            features = self.features(column, subset, slides, symbols, last)
            last = step(self.distribution(*features, class_=self.mill_class(own, waiting)))
            if last == ESCAPE:
                last = step(ESCAPED)
            symbols[column] = last
        check(state == 0 and not words, f"the end of block {block} of row {row}")
        return symbols

    def distribution(self, *features, class_):
        bins = [bins[feature] for bins, feature in zip(self.bins, features)] + [class_]
        node = self.tree
        while type(node) is tuple:
            kind, split, left, right = node
            node = left if bins[kind] <= split else right
        return node

    # THE CONTEXT OF A COLUMN

    def features(self, column, subset, slides, symbols, last):
        """near, best and worst, or near, slides and far."""
        near = self.noted(column, symbols, last)
        after = self.after_slides(subset, slides, symbols)
        if self.container.depths:
            return sorted(near)[len(near) // 2], min(after, default=UNKNOWN), max(after, default=UNKNOWN)
        weighted = sum(weight * symbol for weight, symbol in zip((5, 4, 3, 2, 2), near))
        losses_to_wins = self.container.slides + after.count(LOST) - after.count(WON)
        return weighted, 8 * losses_to_wins + after.count(DRAWN), sum(near[5:])

    def noted(self, column, symbols, last):
        """The noted symbols of the nearest columns."""
        known = DRAWN if last == UNKNOWN and not self.container.depths else last
        noted = []
        for other in near_columns(self.free, self.waiting, column, self.container.near):
            symbol = symbols.get(other, UNKNOWN)
            if symbol != UNKNOWN:
                known = symbol
            noted.append(known)
        return noted + [known] * (self.container.near - len(noted))

    def after_slides(self, subset, slides, symbols):
        """The known symbols after slides."""
        possible = (subset ^ start ^ to for start, to in slides if subset & start and not subset & to)
        moved = islice(possible, self.container.slides)
        found = [symbols.get(self.numbers[column], UNKNOWN) for column in moved]
        return [symbol for symbol in found if symbol != UNKNOWN]

    def mill_class(self, mover, waiting):
        empty = FULL & ~mover & ~waiting
        threats = sum(empty >> to & 1 for to in self.closing(waiting))
        closing = sum(empty >> to & 1 for to in set(self.closing(mover)))
        return 4 * min(threats, 2) + min(closing, 3)


# The ways to close a mill by a slide: the stones, and the empty point to which one of them slides.
SLIDES_TO_MILLS = [
    (1 << third | sum(1 << p for p in line if p != to), to)
    for line in LINES
    for to in line
    for third in NEIGHBOURS[to]
    if third not in line
][: 64 if DIAGONALS else None]


@cache
def closed_by_slide(stones):
    return [to for needed, to in SLIDES_TO_MILLS if stones & needed == needed]


@cache
def closed_from_hand(stones):
    return [to for to in range(24) for two in OTHER_TWO[to] if stones & two == two]


# THE SCHEMA OF A PAIR


def occurs(table):
    """Whether games come to a table: the mover's stones on the board and in hand, then the other side's."""
    (mover, in_hand), (waiting, waiting_in_hand) = table
    if waiting == 0 < mover:
        return False
    if MOVES_WHILE_PLACING or not in_hand + waiting_in_hand:
        return True
    if not in_hand:
        return mover <= waiting
    if not waiting_in_hand:
        return mover >= waiting - 1
    return waiting - 1 <= mover <= waiting


class PairFile:
    """The values of the positions in which the larger side moves, or of the only ones that occur. Each side
    is its numbers of stones on the board and in hand."""

    def __init__(self, path, larger, smaller):
        self.path = path
        container = Container(path, PAIR)
        self.depths = container.depths
        schema = container.schema
        check(tuple(schema.take(2)) == (larger[0], smaller[0]), "the pair")
        has_hands = larger[1] + smaller[1] > 0
        if PAIRS_HAVE_HANDS:
            check(tuple(schema.take(2)) == (larger[1], smaller[1]), "the stones in hand")
        # As keys, in their order: a pair of equal sides has one table.
        tables = [*{table: None for table in ((larger, smaller), (smaller, larger)) if occurs(table)}]
        check(tables, "a pair that no game comes to")
        self.coverage = schema.take(1)[0]
        known = [0]
        if not DIAGONALS and sum(tables[0][0]) > 3:
            known += [3] if larger != smaller and len(tables) == 2 else []
            known += [4] if larger == smaller else []
            known += [1] if larger == smaller and not has_hands else []
        check(self.coverage in known, "the coverage")
        # Whether only rows with an even number of stones on black points are stored.
        self.omits_rows = self.coverage >= 3
        for _ in tables:
            schema.histogram()
        schema.end()
        check(len(container.tables) == 1, "the number of tables")
        self.stored = tables[0]
        (mover, _), (waiting, _) = self.stored
        stored = [set_ for set_ in rows(mover) if is_even(set_) or not self.omits_rows]
        places = {set_: place for place, set_ in enumerate(stored)}
        self.table = Table(container, 0, mover, waiting, places, self.holds, closed_by_slide)

    def holds(self, mover, waiting):
        """Whether the value of a position of the stored table is in the file."""
        if self.omits_rows:
            return is_even(mover) and (self.coverage == 3 or is_even(waiting))
        closes = any(not waiting >> to & 1 for to in points(closing_points(mover)))
        return self.coverage == 0 or is_even(mover | waiting) or closes

    def value(self, mover, waiting):
        return self.table.value(mover, waiting)


# THE SCHEMA OF A PLY


@cache
def possible_sets(stones, ply):
    """The own sets of the possible rows for White and for Black, by the stones that they have
    lost. Only stages that a game can reach are included."""
    if ply == 0:
        return {(0, 0): ({0}, {0})}
    found = {}

    def add(lost, mover_sets, waiting_sets):
        if max(lost) <= stones - 3 and mover_sets and waiting_sets:
            white_moves = ply % 2 == 1
            sides = (mover_sets, waiting_sets) if white_moves else (waiting_sets, mover_sets)
            for known, more in zip(found.setdefault(lost, (set(), set())), sides):
                known |= more

    mover = (ply - 1) % 2
    for lost, sides in possible_sets(stones, ply - 1).items():
        quiet, closing = set(), set()
        for before in sides[mover]:
            for to in points(FULL & ~before):
                (closing if closes_mill(before, to) else quiet).add(own_set(before | 1 << to))
        left = {own_set(set_ & ~(1 << stone)) for set_ in sides[1 - mover] for stone in removable(set_)}
        after_capture = (lost[0] + mover, lost[1] + 1 - mover)
        add(lost, quiet, sides[1 - mover])
        add(after_capture, closing, left)
    return found


class PlyFile:
    """The values of the positions after a number of placements."""

    def __init__(self, path, ply):
        self.path = path
        container = Container(path, PLY)
        self.depths = container.depths
        schema = container.schema
        self.stones, found = schema.take(2)
        check(found == ply, "the ply")
        stages = possible_sets(self.stones, ply)
        mover = ply % 2
        placed = ((ply + 1) // 2, ply // 2)
        self.tables = {}
        for number, lost in enumerate(sorted(stages, key=lambda lost: (lost[mover], lost[1 - mover]))):
            check(tuple(schema.take(2)) == lost, "the stones lost")
            schema.histogram()
            check(number < len(container.tables), "the number of tables")
            possible, others = stages[lost][mover], stages[lost][1 - mover]
            on_board = placed[mover] - lost[mover], placed[1 - mover] - lost[1 - mover]
            stored = {set_: row for row, set_ in enumerate(sorted(possible))}
            holds = lambda _, waiting, others=others: own_set(waiting) in others
            self.tables[on_board] = Table(container, number, *on_board, stored, holds, closed_from_hand)
        schema.end()
        check(number + 1 == len(container.tables), "the number of tables")

    def value(self, mover, waiting):
        """The value byte of a position, `None` if the file does not hold it."""
        table = self.tables.get((mover.bit_count(), waiting.bit_count()))
        if table and own_set(mover) in table.stored and table.holds(mover, waiting):
            return table.value(mover, waiting)
        return None


# VALUES THAT NO FILE HOLDS

def rank_of_value(value):
    """Larger is better for the side to move."""
    if value == 0:
        return 0
    return 256 - value if value % 2 == 0 else value - 256


def value_of_rank(rank):
    return 0 if rank == 0 else 256 - rank if rank > 0 else rank + 256


class Folder:
    """The files of a folder, opened when they are needed."""

    def __init__(self, path):
        self.path = Path(path)
        self.files = {}
        # The least and the greatest rank of positions that were searched.
        self.bounds = {}
        self.plies = sorted(int(file.stem[8:]) for file in self.path.glob("placing-[0-9][0-9].mill"))

    def pair(self, *sides):
        """The file of a pair. Each side is its numbers of stones on the board and in hand."""
        larger, smaller = sorted(sides, key=lambda side: (sum(side), side), reverse=True)
        if (larger, smaller) not in self.files:
            hands = f"+{larger[1]}-{smaller[1]}" if larger[1] + smaller[1] else ""
            path = self.path / f"{larger[0]}-{smaller[0]}{hands}.mill"
            with naming(path):
                self.files[larger, smaller] = PairFile(path, larger, smaller)
        return self.files[larger, smaller]

    def ply(self, ply):
        if ply not in self.files:
            path = self.path / f"placing-{ply:02}.mill"
            with naming(path):
                self.files[ply] = PlyFile(path, ply)
        return self.files[ply]

    @cache
    def of_pair(self, position):
        """The value byte of a position of a pair, stored or derived. A position is as `turns` takes it."""
        value = self.held(position)
        if value is not None:
            return value
        file = self.pair(*sides_of(position))
        if file.omits_rows:
            return best(file, [value_of_rank(self.search(position, -256, 256))])
        return best(file, [self.after_turn(after) for after in turns(*position)])

    def held(self, position):
        """The value byte of a position of a pair, `None` if no file holds it."""
        sides = sides_of(position)
        if sum(sides[0]) < 3:
            return 1
        file = self.pair(*sides)
        if sides != file.stored or not file.holds(*position[:2]):
            return None
        with naming(file.path):
            return file.value(*position[:2])

    def search(self, position, alpha, beta):
        """The rank of a position that no file holds, by alpha-beta search: a bound if it is not between
        alpha and beta. Stored values come first, captures and placements last."""
        least, most = self.bounds.get(position, (-256, 256))
        if least >= beta or least == most:
            return least
        if most <= alpha:
            return most
        found, open_ = -255, []
        after = [exchanged(turn) for turn in turns(*position)]
        for turn in sorted(after, key=lambda turn: exchanged(turn)[1:] != position[1:]):
            value = self.held(turn)
            if value is None:
                open_.append(turn)
            else:
                found = max(found, rank_of_value(before(value)))
        for turn in open_:
            if found >= beta:
                break
            # A turn brings a rank one nearer to that of a draw.
            rank = self.search(turn, -beta - 1, 1 - max(alpha, found))
            found = max(found, rank_of_value(before(value_of_rank(rank))))
        self.bounds[position] = (
            (found, most) if found >= beta else (least, found) if found <= alpha else (found, found)
        )
        return found

    def after_turn(self, position):
        """The value of a turn to this position of a pair for the side that made it."""
        return before(self.of_pair(exchanged(position)))

    @cache
    def placing(self, stones, ply, mover, waiting):
        """The value byte of a position after this many placements, stored or derived."""
        if ply == 2 * stones:
            return self.of_pair((mover, waiting, 0, 0))
        if ply in self.plies:
            file = self.ply(ply)
            with naming(file.path):
                check(file.stones == stones, "the number of stones")
                value = file.value(mover, waiting)
            if value is not None:
                return value
        placed = (after[:2] for after in turns(mover, waiting, 1))
        after = (self.after_placement(stones, ply + 1, *sets) for sets in placed)
        return max(after, key=rank_of_value)

    def after_placement(self, stones, ply, mover, waiting):
        """What a placement to this position is worth for the side that made it."""
        waiting_placed = (ply + 1) // 2 if ply % 2 == 0 else ply // 2
        if stones - waiting_placed + waiting.bit_count() < 3:
            return 2
        return before(self.placing(stones, ply, waiting, mover))

    def text(self, position):
        position = parse(position)
        mover, waiting, *hands = position
        in_hand = sum(hands)
        if in_hand and not PAIRS_HAVE_HANDS:
            if not self.plies:
                raise Unanswerable("there are no files of the placing phase")
            file = self.ply(self.plies[0])
            ply = 2 * file.stones - in_hand
            if ply < 0 or not any(ply <= there for there in self.plies) and in_hand > 2:
                raise Unanswerable("no file is near")
            value = self.placing(file.stones, ply, mover, waiting)
        else:
            value = self.of_pair(position)
            file = self.pair(*sides_of(position))
        depth = f" {value - 1}" if file.depths else ""
        return "draw" if value == 0 else ("loss", "win")[value % 2 == 0] + depth


@contextmanager
def naming(path):
    """Adds the name of a file to what is wrong with it."""
    try:
        yield
    except Damaged as damage:
        raise Damaged(f"{path}: {damage}") from None


def before(value):
    """What a position of this value is worth for the side whose turn leads there."""
    return value + 1 if value else 0


def exchanged(position):
    """The position for the other side."""
    mover, waiting, in_hand, waiting_in_hand = position
    return waiting, mover, waiting_in_hand, in_hand


def sides_of(position):
    """The numbers of stones on the board and in hand, of the mover and of the waiting side."""
    mover, waiting, in_hand, waiting_in_hand = position
    return (mover.bit_count(), in_hand), (waiting.bit_count(), waiting_in_hand)


def best(file, values):
    """The best of the values of a position's turns, as the file would hold it."""
    value = max(values, key=rank_of_value, default=1)
    return value if file.depths or value == 0 else 2 - value % 2


def parse(text):
    """A position as `turns` takes it, from its text."""
    fields = text.split()
    if len(fields) < 9:
        raise Unanswerable("a position has a board, a side to move, a phase, an action and numbers of stones")
    board = fields[0].replace("/", "")
    if len(board) != 24 or set(board) - set("O@*") or fields[1] not in ("w", "b"):
        raise Unanswerable("the board or the side to move")
    white, black = (sum(1 << p for p, c in enumerate(board) if c == colour) for colour in "O@")
    if any(field != "0" for field in fields[8:10]):
        raise Unanswerable("removals owed")
    white_in_hand, black_in_hand = int(fields[5]), int(fields[7])
    if min(white.bit_count() + white_in_hand, black.bit_count() + black_in_hand) < 3:
        raise Unanswerable("the game is over")
    position = white, black, white_in_hand, black_in_hand
    return position if fields[1] == "w" else exchanged(position)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = Folder(sys.argv[1])
    status = 0
    for position in sys.argv[2:] or map(str.strip, sys.stdin):
        try:
            print(folder.text(position), flush=True)
        except (Damaged, Unanswerable, OSError, ValueError) as error:
            print(f"error: {error}", flush=True)
            status = 1
    sys.exit(status)


if __name__ == "__main__":
    main()
