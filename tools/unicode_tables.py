#!/usr/bin/env python3
"""Writes text/unicode_tables.inc: the classes of code points the pre-tokenizers' patterns ask for.

    python3 tools/unicode_tables.py > text/unicode_tables.inc

Uses unicodedata2 where it is installed (pip install unicodedata2==16.0.0), since Python's own table ages with Python;
the version used is recorded in the file. Each entry is (first code point << 3) | word << 2 | class, and holds up to
the next entry's first code point.
"""

import sys

try:
    import unicodedata2 as unicodedata
except ImportError:
    import unicodedata

OTHER, LETTER, NUMBER, SPACE = range(4)

# PropList's White_Space, stable since Unicode 6.3; unicodedata has no such property.
WHITE_SPACE = {0x20, 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}
WHITE_SPACE.update(range(0x09, 0x0E), range(0x2000, 0x200B))

# What is Alphabetic without being a letter, a mark or a letter number: the circled and squared letters.
# (Every other Other_Alphabetic code point is a mark, and \w takes all marks.)
ALPHABETIC_SYMBOLS = {
    *range(0x24B6, 0x24EA),
    *range(0x1F130, 0x1F14A),
    *range(0x1F150, 0x1F16A),
    *range(0x1F170, 0x1F18A),
}
JOIN_CONTROL = {0x200C, 0x200D}


def entry(code_point):
    category = unicodedata.category(chr(code_point))
    if code_point in WHITE_SPACE:
        kind = SPACE
    else:
        kind = {"L": LETTER, "N": NUMBER}.get(category[0], OTHER)
    word = (  # \w of Unicode's regular expressions (UTS 18, annex C)
        category[0] in "LM"
        or category in ("Nd", "Nl", "Pc")
        or code_point in ALPHABETIC_SYMBOLS
        or code_point in JOIN_CONTROL
    )
    return word << 2 | kind


def main():
    rows, last = [], None
    for code_point in range(0x110000):
        value = entry(code_point)
        if value != last:
            rows.append(code_point << 3 | value)
            last = value
    print(f"// Written by tools/unicode_tables.py from Unicode {unicodedata.unidata_version}; do not edit.")
    line = ""
    for row in rows:
        text = f"0x{row:x},"
        if len(line) + len(text) + 1 > 120:
            print(line)
            line = ""
        line += (" " if line else "") + text
    print(line)


if __name__ == "__main__":
    sys.exit(main())
