#!/usr/bin/env python3
"""Trains the MLP that knows a heart's inside from its outside, and writes mlp.onnx and mlp.safetensors beside this file.
The graph names its weights as external data in the checkpoint, as large exported models do.
usage: make_model.py   (needs numpy and onnx; half a minute; the seed is fixed)"""
import json, os, struct
import numpy as np
import onnx
from onnx import TensorProto, helper

here = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(2)


def inside(p):  # (x^2 + y^2 - 1)^3 < x^2 y^3
    x, y = p[:, :1], p[:, 1:]
    return ((x**2 + y**2 - 1) ** 3 < x**2 * y**3).astype(np.float32)


sizes = {'first': (2, 24), 'second': (24, 16), 'third': (16, 1)}
weights = {}
for name, (n, m) in sizes.items():
    weights[f'{name}.weight'] = rng.normal(0, np.sqrt(2 / n), (n, m))
    weights[f'{name}.bias'] = np.zeros(m)
moments = {k: (np.zeros_like(w), np.zeros_like(w)) for k, w in weights.items()}

steps = 12000
for step in range(1, steps + 1):  # Adam on the logistic loss, the points drawn anew for each step
    x = rng.uniform(-1.6, 1.6, (512, 2))
    values, layers = [x], list(sizes)
    for name in layers:
        z = values[-1] @ weights[f'{name}.weight'] + weights[f'{name}.bias']
        values.append(np.maximum(z, 0) if name != layers[-1] else 1 / (1 + np.exp(-z)))
    error = (values[-1] - inside(x)) / len(x)
    for i in reversed(range(len(layers))):
        gradients = {'weight': values[i].T @ error, 'bias': error.sum(0)}
        error = (error @ weights[f'{layers[i]}.weight'].T) * (values[i] > 0)
        for part, g in gradients.items():
            key = f'{layers[i]}.{part}'
            m, v = moments[key]
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            rate = 0.01 * (1 - step / steps)
            weights[key] -= rate * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
weights = {k: w.astype('<f4') for k, w in weights.items()}

header, at = {}, 0
for name, w in weights.items():
    header[name] = {'dtype': 'F32', 'shape': list(w.shape), 'data_offsets': [at, at + w.nbytes]}
    at += w.nbytes
text = json.dumps(header, separators=(',', ':')).encode()
text += b' ' * (-len(text) % 8)
with open(f'{here}/mlp.safetensors', 'wb') as file:
    file.write(struct.pack('<Q', len(text)) + text + b''.join(w.tobytes() for w in weights.values()))

initializers = []
for name, w in weights.items():
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=w.shape, data_location=TensorProto.EXTERNAL)
    offset = 8 + len(text) + header[name]['data_offsets'][0]
    for key, value in (('location', 'mlp.safetensors'), ('offset', offset), ('length', w.nbytes)):
        tensor.external_data.add(key=key, value=str(value))
    initializers.append(tensor)
nodes, value = [], 'points'
for name, activation in (('first', 'Relu'), ('second', 'Relu'), ('third', 'Sigmoid')):
    result = 'inside' if name == 'third' else f'{name}.out'
    nodes += [helper.make_node('MatMul', [value, f'{name}.weight'], [f'{name}.product'], name=f'{name}/MatMul'),
              helper.make_node('Add', [f'{name}.product', f'{name}.bias'], [f'{name}.sum'], name=f'{name}/Add'),
              helper.make_node(activation, [f'{name}.sum'], [result], name=f'{name}/{activation}')]
    value = result
graph = helper.make_graph(nodes, 'mlp',
                          [helper.make_tensor_value_info('points', TensorProto.FLOAT, ['count', 2])],
                          [helper.make_tensor_value_info('inside', TensorProto.FLOAT, ['count', 1])], initializers)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8, producer_name='make_model.py')
onnx.save(model, f'{here}/mlp.onnx')

x = rng.uniform(-1.6, 1.6, (100000, 2))
value = x
for name in sizes:
    z = value @ weights[f'{name}.weight'] + weights[f'{name}.bias']
    value = np.maximum(z, 0)
print(f'{((z > 0) == inside(x)).mean():.2%} of 100,000 points told right')
