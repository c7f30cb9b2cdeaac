"""What onnx 1.23.2 makes of the cases: python tests/read/onnxtext/oracle.py [--write]

cases/NAME.onnxtext is read by onnx.parser, and NAME.onnx is the model as protobuf; NAME.printed is what onnx.printer
makes of it, where its own parser reads that. Each text of malformed.txt is refused. Without --write, the files that are
committed are compared with what onnx says.
"""
import pathlib
import sys

import onnx
import onnx.parser
import onnx.printer

FOLDER = pathlib.Path(__file__).parent


def parse(text):
    try:
        return onnx.parser.parse_model(text)
    except Exception:  # ParseError, and what the numbers' conversions throw
        return None


def main():
    assert onnx.__version__ == "1.23.2", onnx.__version__
    expected = {}
    for path in sorted((FOLDER / "cases").glob("*.onnxtext")):
        model = parse(path.read_text())
        assert model is not None, f"{path.name} is refused"
        expected[path.with_suffix(".onnx")] = model.SerializeToString(deterministic=True)
        printed = onnx.printer.to_text(model)
        if parse(printed) is not None:
            expected[path.with_suffix(".printed")] = printed.encode()
    cases = (FOLDER / "malformed.txt").read_text().split("\n=== ")[1:]
    for case in cases:
        head, text = case.split("\n", 1)
        assert parse(text) is None, f"{head} is read"
    for path, content in expected.items():
        if "--write" in sys.argv:
            path.write_bytes(content)
        else:
            assert path.read_bytes() == content, f"{path.name} differs"
    print(f"{len(expected)} files and {len(cases)} malformed texts")


main()
