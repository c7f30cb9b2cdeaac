#!/usr/bin/env python3
"""Writes edges.onnx beside this file: Sobel's edge detector in float16, weights and all.
usage: make_model.py   (needs numpy and onnx)"""
import os
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

here = os.path.dirname(os.path.abspath(__file__))
sobel = np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]], '<f2') / 8
kernels = np.stack([sobel, sobel.T])[:, None]  # the slope across and the slope down

nodes = [helper.make_node('Unsqueeze', ['image', 'front'], ['one image'], name='unsqueeze'),
         helper.make_node('Conv', ['one image', 'kernels'], ['slopes'], name='slopes', kernel_shape=[3, 3]),
         helper.make_node('Mul', ['slopes', 'slopes'], ['squares'], name='squares'),
         helper.make_node('ReduceSum', ['squares', 'directions'], ['sum'], name='sum', keepdims=0),
         helper.make_node('Sqrt', ['sum'], ['root'], name='root'),
         helper.make_node('Squeeze', ['root', 'batch'], ['edges'], name='squeeze')]
constants = {'kernels': kernels, 'front': np.array([0, 1]), 'directions': np.array([1]), 'batch': np.array([0])}
graph = helper.make_graph(nodes, 'edges', [helper.make_tensor_value_info('image', TensorProto.FLOAT16, ['height', 'width'])],
                          [helper.make_tensor_value_info('edges', TensorProto.FLOAT16, [None, None])],
                          [numpy_helper.from_array(v, k) for k, v in constants.items()])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8, producer_name='make_model.py')
onnx.checker.check_model(model)
onnx.save(model, f'{here}/edges.onnx')
