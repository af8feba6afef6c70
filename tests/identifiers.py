#!/usr/bin/env python3
"""Draws declarations of the production sources at random, to be explained by a reader who has not seen the code.

    tests/identifiers.py [COUNT [SEED]]     40 and 35 unless given

Each is printed with its signature alone: no body, no comment, and no path but that of its crate and, for a method, the
type or trait that it belongs to. A name is good when the reader says in a sentence what it is.
"""
import pathlib
import random
import re
import sys

count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
seed = int(sys.argv[2]) if len(sys.argv) > 2 else 35
root = pathlib.Path(__file__).resolve().parent.parent
declaration = re.compile(
    r"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?(?:const\s+|async\s+|unsafe\s+)*(?:struct|enum|trait|type|fn)\s+\w+[^{;]*", re.M
)
block = re.compile(r"^(?:unsafe\s+)?(impl\b[^{;]*|(?:pub(?:\([^)]*\))?\s+)?trait\s+\w+[^{;]*)\{.*?^\}", re.M | re.S)
excluded = re.compile(r"(^|/)(test|fake|migration)")
signatures = []
for path in sorted([*root.glob("crates/*/src/**/*.rs"), *root.glob("gateway/src/**/*.rs")]):
    relative = path.relative_to(root).as_posix()
    if excluded.search(relative.split("/src/", 1)[1]):
        continue
    text = path.read_text().split("#[cfg(test)]\nmod ", 1)[0]
    crate = relative.split("/src/", 1)[0].removeprefix("crates/")
    blocks = [(match.start(), match.end(), " ".join(match[1].split())) for match in block.finditer(text)]
    for match in declaration.finditer(text):
        owner = next((owner for start, end, owner in blocks if start < match.start() < end), None)
        prefix = f"{crate}: {owner} … " if owner else f"{crate}: "
        signatures.append(prefix + " ".join(match[0].split()))
print("\n".join(random.Random(seed).sample(signatures, count)))
