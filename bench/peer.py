#!/usr/bin/env python3
"""onnxruntime (Python) as bench/models.py times it.  usage: peer.py GRAPH THREADS FOLDER

Reads FOLDER/inputs.json, then as bench_models does."""
import json, pathlib, sys, time
import numpy
import onnxruntime

def memory(what):
    """Bytes as /proc/self/status has them."""
    return sum(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(what))

graph, threads, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
inputs = {}
for given in json.load(open(f"{folder}/inputs.json")):
    array = numpy.fromfile(f"{folder}/{given['file']}", dtype=given["dtype"])
    inputs[given["name"]] = array.reshape(given["extents"])
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = threads
options.inter_op_num_threads = 1
try:
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # VmHWM counts from here
except OSError:
    pass  # then what the imports took at most counts too
before, start = memory("VmRSS"), time.perf_counter()
# Between its runs it is not to look for work on a core that the other side computes on: on two cores resnet50 took Loam
# 54.6 ms beside threads that did, and 36.7 beside these.
options.add_session_config_entry("session.force_spinning_stop", "1")
session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
known = {i.name for i in session.get_inputs()}
inputs = {name: array for name, array in inputs.items() if name in known}
session.run(None, inputs)
ready = {"name": f"onnxruntime {onnxruntime.__version__} (Python)", "seconds": time.perf_counter() - start,
         "peak": memory("VmHWM") - before}
print("ready", json.dumps(ready), flush=True)
for line in sys.stdin:
    taken = []
    for _ in range(int(line)):
        start = time.perf_counter()
        session.run(None, inputs)
        taken.append(time.perf_counter() - start)
    print(*taken, flush=True)
