#!/usr/bin/env python3
"""Loam and onnxruntime in turn on the models at hand, written to bench/RESULTS.md.

usage: models.py BENCH_MODELS SHARED [--threads 1,2] [--only NAME,...] [--rounds N] [--out FILE]
       models.py LOAM SHARED --wasm [--only NAME,...] [--rounds N] [--out FILE]

With --wasm both run as WebAssembly in Node, on one thread, and the peer is npm's onnxruntime-web, found from the folder
this is run in.

The peer is npm's onnxruntime-node where node finds it, else Python's onnxruntime. Weights are float32 on both sides. A
round runs each model on one side for a while, then on the other; a figure is the median of all runs, a ratio the median
of the rounds' ratios, so that a machine whose speed drifts disturbs it little."""
import argparse, datetime, json, os, pathlib, platform, shutil, statistics, subprocess, sys, tempfile

here = pathlib.Path(__file__).resolve().parent
parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("shared", type=pathlib.Path)
parser.add_argument("--threads", default="1,2")
parser.add_argument("--only", default="")
parser.add_argument("--rounds", type=int, default=7)
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
# Name, graph (below the demo's or the zoo's folder), lengths, the target for the ratio.
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


class Side:
    """A process that runs the model as often as it is told."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        ready = self.process.stdout.readline().split()
        if not ready or ready[0] != "ready":
            raise RuntimeError(f"{command[0]} did not start")
        self.name = " ".join(ready[1:])

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
    kind, folder, _ = path.split("/")
    out = work / kind
    if kind == "demo":
        if not (out / folder).exists():
            subprocess.run([sys.executable, str(here.parent / "examples/models/expand.py"), str(out)], check=True,
                           stdout=subprocess.DEVNULL)
    elif not (out / folder).exists():
        subprocess.run([sys.executable, str(options.shared / "models/weights.py"), "-o", str(out),
                        str(options.shared / "models/zoo" / folder)], check=True, stdout=subprocess.DEVNULL)
    return work / path


def wasm_sides(graph, lengths, peer, folder):
    """The two commands, the module built first."""
    (folder / "package.json").write_text('{"type": "module"}')
    asked = [word for option in ("cache", "last") if option in lengths for word in (f"--{option}", lengths[option])]
    subprocess.run([options.program, "build", str(graph), "--layout", "auto", "--namespace", "model", "--target", "wasm",
                    "-o", str(folder)] + asked, check=True, capture_output=True)
    given = [str(graph.parent / "weights.bin"), json.dumps(lengths)]
    return (peer + ["loam", str(folder / "model.js"), str(folder / "model.relaxed.wasm")] + given,
            peer + ["peer", str(folder / "model.js"), str(graph)] + given)


def native_sides(graph, lengths, threads, peer, folder):
    return ([options.program, str(graph), "-", str(threads), str(folder)] + [f"{k}={v}" for k, v in lengths.items()],
            peer + [str(graph), str(threads), str(folder)])


def measure(graph, lengths, threads, peer, folder):
    ours, theirs = (wasm_sides(graph, lengths, peer, folder) if options.wasm
                    else native_sides(graph, lengths, threads, peer, folder))
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
    return statistics.median(ours), statistics.median(theirs), statistics.median(ratios), other.name


def processor():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def main():
    peer = find_peer()
    if not peer:
        lacking = "npm's onnxruntime-web is not" if options.wasm else "neither npm's onnxruntime-node nor Python's onnxruntime is"
        print(f"models.py: skipped, {lacking} here")
        return
    only = [name for name in options.only.split(",") if name]
    lines, version = [], ""
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        for name, path, lengths, target in ROWS:
            if only and not any(word in name for word in only):
                continue
            if options.wasm:
                if not path.startswith("zoo/"):
                    continue  # the demo's weights lie in a checkpoint of another type than its graph's
                target = 0.6
            if path.startswith("zoo/") and not (options.shared / "models" / path).exists():
                continue
            graph = lay_out(path, work)
            for threads in (int(n) for n in options.threads.split(",")):
                print(f"{name}, {threads} threads", flush=True)
                folder = work / "inputs"
                folder.mkdir(exist_ok=True)
                try:
                    ours, theirs, ratio, version = measure(graph, lengths, threads, peer, folder)
                except (RuntimeError, OSError, IndexError) as error:
                    lines.append(f"| {name} | {threads} | not run: {error} | | | {target} |")
                    continue
                lines.append(f"| {name} | {threads} | {ours * 1e3:.2f} | {theirs * 1e3:.2f} | {ratio:.2f} | {target} |")
                print(lines[-1], flush=True)
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    head = [
        "# Loam and onnxruntime, measured",
        "",
        f"bench/models.py wrote this on {datetime.date.today()}: {processor()}, {os.cpu_count()} processors, load {load};",
        f"{version}. Milliseconds a run, medians; the ratio is the median over {options.rounds} rounds in which the two",
        "alternate. Weights are float32; a decoder's step has 64 tokens before it, and of a prefill Loam gives the last place's",
        "logits (--last logits), onnxruntime all.",
        "",
        "| work | threads | Loam, ms | onnxruntime, ms | ratio | target |",
        "|---|---|---|---|---|---|",
    ]
    options.out.write_text("\n".join(head + lines) + "\n")
    print(f"wrote {options.out}")


main()
