#!/usr/bin/env python3
"""Writes tests/text/data/tokenizer_cases.json: what Hugging Face tokenizers makes of texts that are easy to get wrong.

    pip install tokenizers==0.23.3
    python3 tools/tokenizer_cases.py DEMO_TOKENIZER_JSON TOKENIZERS_DIR > tests/text/data/tokenizer_cases.json

Two kinds of cases: "tokenizers", published files found in TOKENIZERS_DIR, and "variants", each a JSON merge patch on
the demo's tokenizer that turns one option the other way (or a file of its own).
"""

import json
import os
import sys

from tokenizers import Tokenizer
from tokenizers.implementations import ByteLevelBPETokenizer

TEXTS = [
    "", "a", " ", "  ", "   a", "a  ", " a b ", "\n\n x", "\r\n\r\ny", "\t\tz", "a\u00a0b", "a \u3000 b", "\u2028x",
    "Hello, my name is", "don't we'll I'VE y'all'd 'tis 's ''s it's.", "12345 3.14 ½ ² Ⅷ 一二", "naïve café — 日本語 🙂",
    "e\u0301 combin\u0300ing", "مرحبا بالعالم", "שלום עולם", "здравствуй, мир!", "नमस्ते दुनिया", "สวัสดีชาวโลก",
    "안녕하세요 세계", "👨‍👩‍👧‍👦 🏳️‍🌈 🇯🇵", "\u0000\u0001\x7f\x85", "<|endoftext|>x", "x<|endoftext|><|endoftext|> y",
    "<|endoftext",
    "<mask>", "a <mask> b", "a  \n<mask>  b", "<s>hi</s>", "<pad><unk>", " " * 31 + "x", " " * 40, "\t" * 9, "  \t  ",
    "def f(x):\n        return x\n\n\n    y", "a" * 60, "ab" * 20, "!?" * 10, "<|en|><|0.00|>hey<|30.00|>", "\ufffd",
    "\ufeffbom", "İstanbul ß ſ", "𝔘𝔫𝔦", "▁x ▁ y", "<0x41><0x0A>", "Ġthe", "a\u200db\u200c", "ⒶⒷ x\u0301 \u0301x",
    "  the",
    "the other that 日", "\U0001f3fb\U000e0001", "\u1c89\ua7cb\U000105c0", "!?  ab abab  abc",
]  # fmt: skip


def added(token_id, content, **flags):
    token = {"id": token_id, "content": content}
    for name in ("single_word", "lstrip", "rstrip", "normalized", "special"):
        token[name] = flags.get(name, False)
    return token


def variants(demo):
    vocabulary = demo["model"]["vocab"]
    end = demo["added_tokens"]
    around = {"type": "BertProcessing", "cls": ["<|endoftext|>", 0], "sep": ["Ġt", vocabulary["Ġt"]]}
    byte_level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True}
    template = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "E", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"E": {"id": "E", "ids": [0, 5], "tokens": ["<|endoftext|>", "%"]}},
    }
    return {
        "add_prefix_space": {"pre_tokenizer": {"add_prefix_space": True}},
        "no_regex": {"pre_tokenizer": {"use_regex": False, "add_prefix_space": True}},
        "ignore_merges": {"model": {"ignore_merges": True}},
        "no_merges_ignored": {"model": {"ignore_merges": True, "merges": []}},
        "around": {"post_processor": {"type": "Sequence", "processors": [byte_level, around]}},
        "template": {"post_processor": template},
        "suffix": {"model": {"end_of_word_suffix": "t", "unk_token": "<|endoftext|>"}},
        "suffix_fused": {"model": {"end_of_word_suffix": "</w>", "unk_token": "<|endoftext|>", "fuse_unk": True}},
        "added_tokens": {
            "added_tokens": end
            + [
                added(vocabulary["the"], "the", single_word=True),
                added(vocabulary["th"], "th", single_word=True, normalized=True),
                added(4096, "!?", rstrip=True),
                added(4097, "<mask>", lstrip=True, rstrip=True, normalized=True, special=True),
                added(4098, "日", normalized=True),
                added(4099, "🙂", single_word=True),
                added(4100, "abab", lstrip=True),
                added(vocabulary["ab"], "ab", rstrip=True),
            ]
        },
    }


def continuing_subword_prefix(demo):
    file = {key: value for key, value in demo.items() if key != "added_tokens"}
    tokens = ["?", "a", "b", "##a", "##b", "ab", "aba", "##ab", "abab", "##t"]
    file["model"] = {
        "type": "BPE",
        "continuing_subword_prefix": "##",
        "unk_token": "?",
        "fuse_unk": False,
        "vocab": {token: i for i, token in enumerate(tokens)},
        "merges": ["a ##b", "##a ##b", "ab ##a", "ab ##ab"],
    }
    return file


def merge_patch(target, patch):
    """RFC 7396."""
    if not isinstance(patch, dict):
        return patch
    target = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        else:
            target[key] = merge_patch(target.get(key), value)
    return target


def cases(encode):
    return [[text, encode(text)] for text in TEXTS]


def published(folder, file):
    with open(os.path.join(folder, file), encoding="utf-8") as stream:
        data = json.load(stream)
    # Merges of tokens that are spaces, which the library itself cannot split at a space.
    spaces = {"   ": [" ", " "], "     ": ["  ", "  "], "▁  ": ["▁", " "]}
    merges = data["model"]["merges"]
    data["model"]["merges"] = [spaces[m] if m in spaces else m.split(" ") for m in merges]
    return Tokenizer.from_str(json.dumps(data))


def main(demo_path, folder):
    with open(demo_path, encoding="utf-8") as stream:
        demo = json.load(stream)
    tokenizers = {}
    for name in ("phi-2", "roberta-base", "whisper.tiny", "llama2"):
        tokenizer = published(folder, name + "-tokenizer.json")
        tokenizers[name] = cases(lambda text: tokenizer.encode(text).ids)
    gpt2 = ByteLevelBPETokenizer(os.path.join(folder, "encoder.json"), os.path.join(folder, "vocab.bpe"))
    gpt2.add_special_tokens(["<|endoftext|>"])
    tokenizers["gpt2"] = cases(lambda text: gpt2.encode(text).ids)
    changed = {}
    for name, patch in variants(demo).items():
        tokenizer = Tokenizer.from_str(json.dumps(merge_patch(demo, patch)))
        changed[name] = {"patch": patch, "cases": cases(lambda text: tokenizer.encode(text).ids)}
    file = continuing_subword_prefix(demo)
    tokenizer = Tokenizer.from_str(json.dumps(file))
    changed["continuing_subword_prefix"] = {"file": file, "cases": cases(lambda text: tokenizer.encode(text).ids)}
    rows = {"tokenizers": tokenizers, "variants": changed}
    json.dump(rows, sys.stdout, ensure_ascii=True, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])
