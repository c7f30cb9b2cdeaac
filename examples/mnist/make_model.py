#!/usr/bin/env python3
"""Trains a small convolutional network of MNIST's form (28 by 28 grey pixels in, a probability for each digit out) and
writes digits.onnx beside this file, its weights in it. It has never seen MNIST: the digits it learns are strokes drawn
here, bent, slanted, scaled, moved and blurred at random.
usage: make_model.py   (needs numpy and onnx; two minutes; the seed is fixed)"""
import os
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

here = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(7)


def arc(cx, cy, rx, ry, start, end, n=12):
    t = np.radians(np.linspace(start, end, n))
    return [(cx + rx * np.cos(a), cy + ry * np.sin(a)) for a in t]


# Each digit's ways of being written: strokes of points, x to the right and y down, within [0, 1].
strokes = {
    0: [[arc(.5, .5, .32, .48, 0, 360, 24)], [arc(.5, .5, .42, .48, 0, 360, 24)]],
    1: [[[(.5, 0), (.5, 1)]], [[(.3, .2), (.52, 0), (.52, 1)]], [[(.3, .2), (.52, 0), (.52, 1)], [(.25, 1), (.8, 1)]]],
    2: [[arc(.5, .27, .34, .27, 180, 390) + [(.15, 1), (.88, 1)]], [[(.15, .05), (.8, .05), (.85, .45), (.15, .55), (.15, 1), (.88, 1)]]],
    3: [[arc(.45, .26, .36, .26, 200, 450) + arc(.45, .75, .4, .25, 270, 520)], [[(.15, 0), (.82, 0), (.45, .42)] + arc(.45, .7, .38, .3, 270, 500)],
        [[(.15, 0), (.85, 0), (.85, 1), (.15, 1)], [(.3, .5), (.85, .5)]]],
    4: [[[(.65, 1), (.65, 0), (.1, .68), (.95, .68)]], [[(.2, 0), (.15, .55), (.85, .55)], [(.75, 0), (.75, 1)]]],
    5: [[[(.85, 0), (.2, 0), (.18, .45)] + arc(.45, .69, .38, .3, 235, 510)], [[(.85, 0), (.18, 0), (.18, .45), (.82, .48), (.82, 1), (.15, 1)]]],
    6: [[arc(.75, .75, .6, .75, 265, 180) + arc(.5, .72, .34, .27, 180, 540, 20)], [[(.85, 0), (.15, .05), (.15, 1), (.85, 1), (.85, .5), (.15, .5)]]],
    7: [[[(.12, 0), (.88, 0), (.4, 1)]], [[(.12, 0), (.88, 0), (.4, 1)], [(.3, .5), (.8, .5)]], [[(.12, 0), (.85, 0), (.85, 1)]]],
    8: [[arc(.5, .25, .3, .25, 90, 450, 20), arc(.5, .74, .37, .26, -90, 270, 20)], [[(.15, 0), (.85, 0), (.85, 1), (.15, 1), (.15, 0)], [(.15, .5), (.85, .5)]]],
    9: [[arc(.5, .28, .34, .27, 0, 360, 20) + [(.84, .28), (.75, 1)]], [arc(.5, .28, .34, .27, 0, 360, 20) + arc(.45, .65, .39, .35, -20, 140)],
        [[(.85, .5), (.15, .5), (.15, 0), (.85, 0), (.85, 1), (.2, 1)]]],
}
ys, xs = np.mgrid[0:28, 0:28] + 0.5


def draw(digit):
    """A 28 by 28 image in [0, 1], the digit about 20 pixels high, as in MNIST."""
    lines = strokes[digit][rng.integers(len(strokes[digit]))]
    height, width = rng.uniform(15, 21), rng.uniform(10, 19)
    slant, turn = rng.normal(0, 0.15), rng.normal(0, 0.1)
    bend = rng.normal(0, 0.04, 2)
    thickness, soft = rng.uniform(0.8, 1.7), rng.uniform(0.4, 1.1)
    move = rng.normal(14, 0.9, 2)
    image = np.zeros((28, 28))
    for line in lines:
        p = np.array(line) - 0.5 + rng.normal(0, 0.012, (len(line), 2))
        p = p + bend * np.sin(6 * p[:, ::-1])
        x, y = p[:, 0] * width + slant * p[:, 1] * height, p[:, 1] * height
        x, y = x * np.cos(turn) - y * np.sin(turn) + move[0], x * np.sin(turn) + y * np.cos(turn) + move[1]
        for (ax, ay), (bx, by) in zip(np.stack([x, y], 1)[:-1], np.stack([x, y], 1)[1:]):
            dx, dy = bx - ax, by - ay
            t = np.clip(((xs - ax) * dx + (ys - ay) * dy) / (dx * dx + dy * dy + 1e-9), 0, 1)
            distance = np.hypot(xs - ax - t * dx, ys - ay - t * dy)
            image = np.maximum(image, np.clip((thickness + soft - distance) / soft, 0, 1))
    return np.clip(image * rng.uniform(0.8, 1) + rng.normal(0, 0.02, image.shape), 0, 1)


def dataset(n):
    digits = rng.integers(0, 10, n)
    return np.stack([draw(d) for d in digits])[:, None].astype('f4'), digits


def patches(x, k=5):  # [N, C, H, W] -> [N, H, W, C k k], zeros around
    x = np.pad(x, ((0, 0), (0, 0), (k // 2, k // 2), (k // 2, k // 2)))
    v = np.lib.stride_tricks.sliding_window_view(x, (k, k), (2, 3))
    n, c, h, w = v.shape[:4]
    return v.transpose(0, 2, 3, 1, 4, 5).reshape(n, h, w, c * k * k)


def convolve(x, weight, bias):
    p = patches(x)
    return (p @ weight.reshape(len(weight), -1).T + bias).transpose(0, 3, 1, 2), p


def pool(x):
    n, c, h, w = x.shape
    cells = x.reshape(n, c, h // 2, 2, w // 2, 2)
    y = cells.max((3, 5))
    return y, cells == y[:, :, :, None, :, None]


def scale(shape):
    return rng.normal(0, np.sqrt(2 / np.prod(shape[1:])), shape).astype('f4')


w = {'conv1.weight': scale((8, 1, 5, 5)), 'conv1.bias': np.zeros(8, 'f4'),
     'conv2.weight': scale((16, 8, 5, 5)), 'conv2.bias': np.zeros(16, 'f4'),
     'classes.weight': scale((10, 784)).T.copy(), 'classes.bias': np.zeros(10, 'f4')}
moments = {k: [np.zeros_like(v), np.zeros_like(v)] for k, v in w.items()}


def run(x):
    a, p1 = convolve(x, w['conv1.weight'], w['conv1.bias'])
    b, m1 = pool(np.maximum(a, 0))
    c, p2 = convolve(b, w['conv2.weight'], w['conv2.bias'])
    d, m2 = pool(np.maximum(c, 0))
    flat = d.reshape(len(x), -1)
    scores = flat @ w['classes.weight'] + w['classes.bias']
    return scores, (p1, a, m1, b, p2, c, m2, flat)


images, labels = dataset(8000)
batch, epochs = 64, 5
steps, step = epochs * (len(images) // batch), 0
for epoch in range(epochs):
    order = rng.permutation(len(images))
    for i in range(len(images) // batch):
        step += 1
        rows = order[i * batch:(i + 1) * batch]
        scores, (p1, a, m1, b, p2, c, m2, flat) = run(images[rows])
        e = np.exp(scores - scores.max(1, keepdims=True))
        e /= e.sum(1, keepdims=True)
        e[np.arange(batch), labels[rows]] -= 1
        e /= batch
        g = {'classes.weight': flat.T @ e, 'classes.bias': e.sum(0)}
        d = (e @ w['classes.weight'].T).reshape(batch, 16, 7, 1, 7, 1) * m2
        d = d.reshape(c.shape) * (c > 0)
        g['conv2.weight'] = np.tensordot(d, p2, ((0, 2, 3), (0, 1, 2))).reshape(w['conv2.weight'].shape)
        g['conv2.bias'] = d.sum((0, 2, 3))
        back = w['conv2.weight'].transpose(1, 0, 2, 3)[:, :, ::-1, ::-1]
        d = convolve(d, back, 0)[0].reshape(batch, 8, 14, 1, 14, 1) * m1
        d = d.reshape(a.shape) * (a > 0)
        g['conv1.weight'] = np.tensordot(d, p1, ((0, 2, 3), (0, 1, 2))).reshape(w['conv1.weight'].shape)
        g['conv1.bias'] = d.sum((0, 2, 3))
        for k, grad in g.items():  # Adam
            m, v = moments[k]
            m += 0.1 * (grad - m)
            v += 0.001 * (grad * grad - v)
            w[k] -= (0.003 * (1 - step / steps) * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)).astype('f4')
    print(f'epoch {epoch + 1}: {(run(images[:1000])[0].argmax(1) == labels[:1000]).mean():.1%}', flush=True)
new, answers = dataset(2000)
print(f'{(run(new)[0].argmax(1) == answers).mean():.2%} of 2,000 new drawings told right')

nodes = [helper.make_node('Conv', ['image', 'conv1.weight', 'conv1.bias'], ['conv1'], name='conv1', kernel_shape=[5, 5], pads=[2] * 4),
         helper.make_node('Relu', ['conv1'], ['relu1'], name='relu1'),
         helper.make_node('MaxPool', ['relu1'], ['pool1'], name='pool1', kernel_shape=[2, 2], strides=[2, 2]),
         helper.make_node('Conv', ['pool1', 'conv2.weight', 'conv2.bias'], ['conv2'], name='conv2', kernel_shape=[5, 5], pads=[2] * 4),
         helper.make_node('Relu', ['conv2'], ['relu2'], name='relu2'),
         helper.make_node('MaxPool', ['relu2'], ['pool2'], name='pool2', kernel_shape=[2, 2], strides=[2, 2]),
         helper.make_node('Flatten', ['pool2'], ['flat'], name='flatten'),
         helper.make_node('Gemm', ['flat', 'classes.weight', 'classes.bias'], ['scores'], name='classes'),
         helper.make_node('Softmax', ['scores'], ['probability'], name='softmax', axis=1)]
graph = helper.make_graph(nodes, 'digits', [helper.make_tensor_value_info('image', TensorProto.FLOAT, ['count', 1, 28, 28])],
                          [helper.make_tensor_value_info('probability', TensorProto.FLOAT, ['count', 10])],
                          [numpy_helper.from_array(v.astype('<f4'), k) for k, v in w.items()])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8, producer_name='make_model.py')
onnx.checker.check_model(model)
onnx.save(model, f'{here}/digits.onnx')
