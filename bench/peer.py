#!/usr/bin/env python3
"""onnxruntime (Python) as bench/models.py times it.  usage: peer.py GRAPH THREADS FOLDER

Reads FOLDER/inputs.json, prints "ready" and the version; then as bench_models does."""
import json, sys, time
import numpy
import onnxruntime

graph, threads, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = threads
options.inter_op_num_threads = 1
session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
known = {i.name for i in session.get_inputs()}
inputs = {}
for given in json.load(open(f"{folder}/inputs.json")):
    if given["name"] in known:
        array = numpy.fromfile(f"{folder}/{given['file']}", dtype=given["dtype"])
        inputs[given["name"]] = array.reshape(given["extents"])
session.run(None, inputs)
print("ready", "onnxruntime", onnxruntime.__version__, "(Python)", flush=True)
for line in sys.stdin:
    taken = []
    for _ in range(int(line)):
        start = time.perf_counter()
        session.run(None, inputs)
        taken.append(time.perf_counter() - start)
    print(*taken, flush=True)
