#!/usr/bin/env python3
"""Writes ops/normalize_strings/case_table.hpp: the simple case mappings of Unicode.

    python3 tools/case_table.py > ops/normalize_strings/case_table.hpp

The mappings are those of Python's Unicode. Its full mappings to several code points give way to the simple ones of
UnicodeData.txt: what is also the title case, or nothing.
"""

import unicodedata


def lower(c):
    return c.lower() if len(c.lower()) == 1 else c.lower()[0] if c == "\u0130" else c


def upper(c):
    return c.upper() if len(c.upper()) == 1 else c.title() if len(c.title()) == 1 else c


def ranges(mapping):
    """(first, last, step, added): the code points first, first + step, ..., last each map to themselves + added."""
    out = []
    for code_point in range(0x80, 0x110000):
        added = ord(mapping(chr(code_point))) - code_point if not 0xD800 <= code_point < 0xE000 else 0
        if added == 0:
            continue
        if out:
            first, last, step, same = out[-1]
            gap = code_point - last
            if same == added and (gap == step or (first == last and gap in (1, 2))):
                out[-1] = (first, code_point, gap, added)
                continue
        out.append((code_point, code_point, 1, added))
    return out


def table(name, rows):
    lines, line = [], "   "
    for first, last, step, added in rows:
        text = f" {{0x{first:x}, 0x{last:x}, {step}, {added}}},"
        if len(line) + len(text) > 118:
            lines.append(line)
            line = "   "
        line += text
    lines.append(line)
    return f"inline constexpr CaseRange {name}[] = {{\n" + "\n".join(lines) + "\n};\n"


print(f"""// Written by tools/case_table.py from Unicode {unicodedata.unidata_version}; do not edit.
#pragma once

#include <cstdint>

namespace loam {{

namespace detail {{

// The code points first, first + step, ..., last each map to themselves + added.
struct CaseRange {{
  char32_t first, last;
  std::uint8_t step;
  std::int32_t added;
}};

// Past ASCII, in ascending order.
{table("to_lower", ranges(lower))}
{table("to_upper", ranges(upper))}
}}  // namespace detail

}}  // namespace loam""")
