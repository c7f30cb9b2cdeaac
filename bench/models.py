#!/usr/bin/env python3
"""Loam and onnxruntime in turn on the models at hand, written to bench/RESULTS.md.

usage: models.py BUILD SHARED [--threads 1,2] [--only NAME,...] [--rounds N] [--weights DIR] [--out FILE]
       models.py BUILD SHARED --wasm [--only NAME,...] [--rounds N] [--weights DIR] [--out FILE]

BUILD is the folder that the release preset builds in. With --wasm both run as WebAssembly in Node, on one thread, and the
peer is npm's onnxruntime-web, found from the folder this is run in; a product of matrices is measured beside the native
kernel in vectors as short too. DIR keeps the models laid out with their weights.

The peer is npm's onnxruntime-node where node finds it, else Python's onnxruntime. A round runs each model on one side for
a while, then on the other; a figure is the median of all runs, a ratio the median of the rounds' ratios, so that a machine
whose speed drifts disturbs it little. What the machine can do at most is measured before and after each model."""
import argparse, array, datetime, json, math, os, pathlib, platform, shutil, statistics, subprocess, sys, tempfile, time

here = pathlib.Path(__file__).resolve().parent
parser = argparse.ArgumentParser()
parser.add_argument("build", type=pathlib.Path)
parser.add_argument("shared", type=pathlib.Path)
parser.add_argument("--threads", default="1,2")
parser.add_argument("--only", default="")
parser.add_argument("--rounds", type=int, default=7)
parser.add_argument("--weights", type=pathlib.Path)
parser.add_argument("--out", type=pathlib.Path, help="bench/RESULTS.md where not given, RESULTS-wasm.md with --wasm")
parser.add_argument("--wasm", action="store_true")
options = parser.parse_args()
if options.wasm:
    options.threads = "1"
options.out = options.out or here / ("RESULTS-wasm.md" if options.wasm else "RESULTS.md")

decode = {"batch_size": 1, "sequence_length": 1, "past_sequence_length": 64, "total_sequence_length": 65,
          "cache": "past_key_values.*=present.*"}
prefill = {"batch_size": 1, "sequence_length": 128, "past_sequence_length": 0, "total_sequence_length": 128,
           "last": "logits"}
tokens = {"batch_size": 1, "sequence_length": 128}
image = {"batch_size": 1, "batch": 1}
# Name, graph (below the demo's or the zoo's folder), lengths and what else bench_models takes, the target for the ratio.
ROWS = [
    ("demo gpt2, decode", "demo/gpt2/decoder_with_past.onnx", decode, 0.95),
    ("demo llama, decode", "demo/llama/model.onnx", decode, 0.95),
    ("demo llama, prefill 128", "demo/llama/model.onnx", prefill, 0.75),
    ("gpt2-124m-past, decode", "zoo/gpt2-124m-past/model.onnx", decode, 0.95),
    ("gpt2-124m-past, prefill 128", "zoo/gpt2-124m-past/model.onnx", prefill, 0.75),
    ("smollm2-135m-past, decode", "zoo/smollm2-135m-past/model.onnx", decode, 0.95),
    ("smollm2-135m-past, prefill 128", "zoo/smollm2-135m-past/model.onnx", prefill, 0.75),
    ("minilm-l6, 128 tokens", "zoo/minilm-l6/model.onnx", tokens, 0.9),
    ("vit-base", "zoo/vit-base/model.onnx", image, 1.0),
    ("whisper-tiny-encoder", "zoo/whisper-tiny-encoder/model.onnx", image, 0.5),
    ("resnet50", "zoo/resnet50/model.onnx", image, 0.95),
    ("mobilenet_v3_small", "zoo/mobilenet_v3_small/model.onnx", image, 0.85),
    ("efficientnet_b0", "zoo/efficientnet_b0/model.onnx", image, 0.85),
    ("unet", "zoo/unet/model.onnx", image | {"height": 256, "width": 256}, 0.85),
]
# Loam holds the weights as float16, the peer as float32: it has no product of one row by float16 that is as fast.
ROWS += [(f"{name}, float16", path, lengths | {"store": "checkpoint"}, 0.6) for name, path, lengths, _ in ROWS if lengths is decode]
PRODUCT = "product of 768 x 768 by 768 x 768"
# Measured from the start of a process to its first answer.
START = ("gpt2-124m-past, prefill 16", "zoo/gpt2-124m-past/model.onnx",
         prefill | {"sequence_length": 16, "total_sequence_length": 16}, 0.2)


class Side:
    """A process that runs the model as often as it is told. `waited` is how many seconds it took to be ready."""

    def __init__(self, command):
        start = time.perf_counter()
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        words = self.process.stdout.readline().split(" ", 1)
        self.waited = time.perf_counter() - start
        if words[0] != "ready":
            raise RuntimeError(f"{pathlib.Path(command[0]).name} did not start")
        self.ready = json.loads(words[1])

    def run(self, times):
        self.process.stdin.write(f"{times}\n")
        self.process.stdin.flush()
        return [float(word) for word in self.process.stdout.readline().split()]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def find_peer():
    node = shutil.which("node")
    if options.wasm:
        found = node and subprocess.run([node, "-e", "require.resolve('onnxruntime-web')"], capture_output=True)
        return [node, "--experimental-wasm-relaxed-simd", str(here / "wasm.mjs")] if found and found.returncode == 0 else None
    check = "require.resolve('onnxruntime-node')"
    if node and subprocess.run([node, "-e", check], capture_output=True).returncode == 0:
        return [node, str(here / "peer.mjs")]
    if subprocess.run([sys.executable, "-c", "import onnxruntime, numpy"], capture_output=True).returncode == 0:
        return [sys.executable, str(here / "peer.py")]
    return None


def lay_out(path, work):
    """The graph with its weights beside it: the shared folders hold them by formula, or as float16."""
    kind, folder, file = path.split("/")
    if not (work / folder).exists():
        command = ([here.parent / "examples/models/expand.py", work] if kind == "demo" else
                   [options.shared / "models/weights.py", "-o", work, options.shared / "models/zoo" / folder])
        subprocess.run([sys.executable, *map(str, command)], check=True, stdout=subprocess.DEVNULL)
    return work / folder / file


def as_float16(graph, out):
    """A checkpoint of the graph's float32 weights, rounded to float16."""
    import numpy
    formula, checkpoint = graph.parent / "weights.json", graph.with_suffix(".safetensors")
    if formula.exists():
        data, begin = numpy.memmap(graph.parent / "weights.bin", "u1"), 0
        tensors = {name: (w["shape"], w["offset"]) for name, w in json.loads(formula.read_text()).items()}
    else:
        data = numpy.memmap(checkpoint, "u1")
        begin = 8 + int.from_bytes(data[:8].tobytes(), "little")
        header = json.loads(data[8:begin].tobytes())
        tensors = {name: (w["shape"], w["data_offsets"][0]) for name, w in header.items() if name != "__metadata__"}
    header, end = {}, 0
    for name, (shape, _) in tensors.items():
        header[name] = {"dtype": "F16", "shape": shape, "data_offsets": [end, end + 2 * math.prod(shape)]}
        end += 2 * math.prod(shape)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(out, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for shape, offset in tensors.values():
            first = begin + offset
            file.write(data[first:first + 4 * math.prod(shape)].view("<f4").astype("<f2").tobytes())
    return out


def sizes(report, lengths):
    """Gives a size of `loam report --format json` as a number."""
    operations = {
        "min": min, "max": max, "floor_div": lambda a, b: a // b, "ceil_div": lambda a, b: -(-a // b),
        "truncated_div": lambda a, b: int(a / b), "floor_mod": lambda a, b: a % b, "from_end": lambda a, b: a if a >= 0 else a + b,
    }

    def value(terms):
        return int(terms[0]) + sum(int(product[0]) * math.prod(map(symbol, product[1:])) for product in terms[1:])

    def symbol(number):
        known = report["symbols"][str(number)]
        return lengths[known["name"]] if "op" not in known else operations[known["op"]](value(known["a"]), value(known["b"]))

    return lambda text: value(report["sizes"][text])


def asked(lengths):
    """What of a row are options of the command."""
    return [word for name in ("last", "cache", "store") if name in lengths for word in (f"--{name}", lengths[name])]


def look_at(graph, lengths, checkpoint):
    """A run's operations and bytes, and the weights' bytes."""
    command = [options.build / "loam", "report", graph, "--layout", "auto", "--format", "json"]
    command += asked(lengths) + (["--checkpoint", checkpoint] if checkpoint else [])
    report = json.loads(subprocess.run([str(word) for word in command], check=True, capture_output=True).stdout)
    size, total = sizes(report, lengths), report["totals"][0]
    return size(total["operations"]), size(total["bytes"]), int(report["weights"]["bytes"])


def ceiling(threads):
    """Bytes read and operations a second; for WebAssembly from pages of 4 KiB, which Node gives it, and by vectors of 128 bits."""
    program = "bench_ceiling_128" if options.wasm else "bench_ceiling"
    large, small, fma = subprocess.run([str(options.build / "bench" / program), str(threads)], check=True,
                                       capture_output=True, text=True).stdout.split()
    return float(small if options.wasm else large), float(fma)


def wasm_sides(graph, lengths, peer, folder, checkpoint=None):
    """The two commands, the module built first; its weights are the checkpoint's where there is one."""
    folder.mkdir(exist_ok=True)
    (folder / "package.json").write_text('{"type": "module"}')
    subprocess.run([str(options.build / "loam"), "build", str(graph), "--layout", "auto", "--namespace", "model", "--target",
                    "wasm", "-o", str(folder)] + asked(lengths) + (["--checkpoint", str(checkpoint)] if checkpoint else []),
                   check=True, capture_output=True)
    weights = graph.parent / "weights.bin"
    return (peer + ["loam", folder / "model.js", folder / "model.relaxed.wasm", checkpoint or weights, json.dumps(lengths)],
            peer + ["peer", folder / "model.js", graph, weights, json.dumps(lengths)])


def product_graph(folder):
    """A graph of one product of 768 x 768 by 768 x 768, the right side a weight beside it."""
    def field(number, value):  # of a protobuf message
        value = value.encode() if isinstance(value, str) else value
        if isinstance(value, int):
            return varint(number << 3) + varint(value)
        return varint(number << 3 | 2) + varint(len(value)) + value

    def varint(value):
        return bytes([value]) if value < 128 else bytes([value % 128 + 128]) + varint(value // 128)

    def port(name):
        extents = field(1, field(1, 768)) * 2
        return field(1, name) + field(2, field(1, field(1, 1) + field(2, extents)))

    outside = field(13, field(1, "location") + field(2, "weights.bin"))
    weight = field(1, 768) * 2 + field(2, 1) + field(8, "w") + outside + field(14, 1)
    node = field(1, "x") + field(1, "w") + field(2, "y") + field(4, "MatMul")
    graph = field(1, node) + field(2, "product") + field(5, weight) + field(11, port("x")) + field(12, port("y"))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 17)))
    (folder / "weights.bin").write_bytes(array.array("f", (i % 97 / 50 - 1 for i in range(768 * 768))).tobytes())
    return folder / "model.onnx"


def product_rows(peer, work, folder):
    """A product in WebAssembly beside onnxruntime-web's, for the table, and beside the native kernel's of as short vectors."""
    graph = product_graph(work / "product")
    ours, theirs = wasm_sides(graph, {}, peer, folder)
    line, version = time_row(PRODUCT, 0.6, 1, (ours, theirs), look_at(graph, {}, None))
    plain = [folder / "model.wasm" if str(word).endswith(".relaxed.wasm") else word for word in ours]
    shares = []
    for name, command, native in [("relaxed, by fused multiply-adds", ours, "fma"), ("plain, by products and sums", plain, "plain")]:
        wasm, machine, ratio, _ = measure(command, [options.build / f"bench/bench_gemm_{native}", "serve"])
        rate = lambda seconds: 2 * 768**3 / seconds / 1e9
        shares.append(f"| {name} | {rate(wasm):.1f} | {rate(machine):.1f} | {1 / ratio:.0%} | 90% |")
        print(shares[-1], flush=True)
    return line, shares, version


def prepare(graph, lengths, checkpoint, folder):
    """Compiles the model into the folder."""
    subprocess.run([str(word) for word in [options.build / "bench/bench_models", graph, checkpoint or "-", folder]] +
                   [f"{name}={length}" for name, length in lengths.items()], check=True)


def measure(ours, theirs):
    """Medians of both sides' seconds, and of the rounds' ratios; what the peer is."""
    loam, other = Side(ours), Side(theirs)
    once = max(loam.run(2)[-1], other.run(2)[-1])
    times = max(1, min(50, int(0.3 / once)))
    ours, theirs, ratios = [], [], []
    for _ in range(options.rounds):
        a, b = loam.run(times), other.run(times)
        ours += a
        theirs += b
        ratios.append(statistics.median(a) / statistics.median(b))
    loam.close()
    other.close()
    return statistics.median(ours), statistics.median(theirs), statistics.median(ratios), other.ready["name"]


def measure_starts(ours, theirs):
    """Of fresh processes in turn, ours with packed weights and without and the peer's, medians: seconds to the first answer,
    the ratio of the first and the last, bytes of memory. Our seconds count from the process's start, the peer's from before
    it opens the model."""
    taken = []
    for _ in range(min(7, options.rounds)):
        sides = []
        for command in (ours + ["packed"], ours, theirs):
            sides.append(Side(command))
            sides[-1].close()
        packed, plain, peer = sides[0].waited, sides[1].waited, sides[2].ready["seconds"]
        taken.append([packed, plain, peer, packed / peer] + [side.ready["peak"] for side in sides])
    return [statistics.median(column) for column in zip(*taken)]


def processor():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def time_row(name, target, threads, commands, counts):
    before = ceiling(threads)
    ours, theirs, ratio, version = measure(*commands)
    stream, fma = map(statistics.mean, zip(before, ceiling(threads)))
    operations, read, _ = counts
    of_stream = f"{read / ours / stream:.0%}" if "decode" in name else ""
    return (f"| {name} | {threads} | {ours * 1e3:.2f} | {theirs * 1e3:.2f} | {ratio:.2f} | {target} "
            f"| {stream / 1e9:.1f} | {of_stream} | {fma / 1e9:.0f} | {operations / ours / fma:.0%} |"), version


def start_row(name, target, commands, weights, peer_weights):
    packed, plain, peer, ratio, *memory = measure_starts(*commands)
    above = [(bytes_ - held) / 1e6 for bytes_, held in zip(memory, (weights, weights, peer_weights))]
    return (f"| {name} | {weights / 1e6:.0f} | " + " | ".join(f"{n:.0f}" for n in above) +
            f" | {packed * 1e3:.0f} | {plain * 1e3:.0f} | {peer * 1e3:.0f} | {ratio:.2f} | {target} |")


def measure_all(peer, work, temporary):
    """The lines of both tables, and what the peer is."""
    only = [name for name in options.only.split(",") if name]
    threads = [int(n) for n in options.threads.split(",")]
    lines, starts, shares, version = [], [], [], ""
    for row in ROWS + [START]:
        name, path, lengths, target = row
        zoo = path.startswith("zoo/")
        if (only and not any(word in name for word in only)) or (zoo and not (options.shared / "models" / path).exists()):
            continue
        if options.wasm and (not zoo or row is START):
            continue  # the demo's weights lie in a checkpoint of another type than its graph's
        print(name, flush=True)
        folder = temporary / "module"
        graph = lay_out(path, work)
        try:
            if options.wasm:
                checkpoint = as_float16(graph, temporary / "float16.safetensors") if "store" in lengths else None
                sides = wasm_sides(graph, lengths, peer, folder, checkpoint)
                line, version = time_row(name, 0.6, 1, sides, look_at(graph, lengths, checkpoint))
                lines.append(line)
                print(line, flush=True)
                continue
            folder.mkdir(exist_ok=True)
            checkpoint = as_float16(graph, temporary / "float16.safetensors") if "store" in lengths else None
            counts = look_at(graph, lengths, checkpoint)
            prepare(graph, lengths, checkpoint, folder)
            commands = lambda n: ([options.build / "bench/bench_models", folder, n], peer + [graph, n, folder])
            for n in threads if row is not START else []:
                line, version = time_row(name, target, n, commands(n), counts)
                lines.append(line)
                print(line, flush=True)
            held = counts[2] * 2 if checkpoint else counts[2]
            starts.append(start_row(name, target if row is START else "", commands(threads[-1]), counts[2], held))
            print(starts[-1], flush=True)
        except (RuntimeError, OSError, IndexError, KeyError, ValueError, subprocess.CalledProcessError) as error:
            lines.append(f"| {name} | not run: {error} |")
            print(lines[-1], flush=True)
    if options.wasm and (not only or any(word in PRODUCT for word in only)):
        line, shares, version = product_rows(peer, work, temporary / "module")
        lines.append(line)
        print(line, flush=True)
    return lines, starts, shares, version


def main():
    peer = find_peer()
    if not peer:
        lacking = "npm's onnxruntime-web is not" if options.wasm else "neither npm's onnxruntime-node nor Python's onnxruntime is"
        print(f"models.py: skipped, {lacking} here")
        return
    with tempfile.TemporaryDirectory() as temporary:
        work = options.weights or pathlib.Path(temporary) / "weights"
        work.mkdir(parents=True, exist_ok=True)
        lines, starts, shares, version = measure_all(peer, work.resolve(), pathlib.Path(temporary))
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    text = [
        "# Loam and onnxruntime, measured",
        "",
        f"bench/models.py wrote this on {datetime.date.today()}: {processor()}, {os.cpu_count()} processors, load {load};",
        f"{version}. Milliseconds a run, medians; the ratio is the median over {options.rounds} rounds in which the two",
        "alternate. Weights are float32 on both sides, but in the rows that say float16: there Loam's are, onnxruntime's are",
        "float32. A decoder's step has 64 tokens before it, and of a prefill Loam gives the last place's logits (--last logits),",
        "onnxruntime all.",
    ]
    text += [
        "",
        "Stream is what the machine reads from memory, FMA what it multiplies and adds in float32, both measured by",
        "bench_ceiling on as many threads before and after the row. Beside each is the share that Loam reaches by what",
        "`loam report` counts: each byte that a kernel reads or writes once, and each operation of a convolution's definition,",
        "so that one that transforms its windows may seem faster than it is, and a cache faster than the stream.",
    ]
    if options.wasm:
        text += ["Here they are what WebAssembly can do: vectors of 128 bits, and memory in pages of 4 KiB, which Node takes."]
    text += [
        "",
        "| work | threads | Loam, ms | onnxruntime, ms | ratio | target | stream, GB/s | of it | FMA, Gflop/s | of it |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    text += lines
    if shares:
        text += [
            "",
            "That product on one thread, in Gflop/s: the module's whole call, its operands copied in and out, beside the same kernel",
            "compiled natively for vectors of 128 bits, which are what WebAssembly has.",
            "",
            "| SIMD | WebAssembly | native | of it | target |",
            "|---|---|---|---|---|",
        ] + shares
    if starts:
        text += [
            "",
            f"Of fresh processes, on {options.threads.split(',')[-1]} threads, what is in the page cache: how much memory they hold at most",
            "above the weights' bytes and what they held before they opened the model (below 0 where not all weights are read), and the",
            "milliseconds until they have run the model once: Loam's from the process's start, onnxruntime's from before it makes its",
            "session, its import not counted. Loam reads a file of packed weights (`loam pack`), or packs the graph's own. The ratio is",
            "that of the packed file.",
            "",
            "| work | weights, MB | memory above: packed, MB | graph's own, MB | onnxruntime, MB "
            "| first answer: packed, ms | graph's own, ms | onnxruntime, ms | ratio | target |",
            "|---|---|---|---|---|---|---|---|---|---|",
        ] + starts
    options.out.write_text("\n".join(text) + "\n")
    print(f"wrote {options.out}")


main()
