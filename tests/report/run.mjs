// The page of `loam report`: it is whole, it says what the JSON says, and its script lays 3,000 nodes out in time.
//   node run.mjs LOAM REPOSITORY WORK
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import vm from 'node:vm';

import { page } from './document.mjs';

const [loam, root, work] = process.argv.slice(2);
fs.mkdirSync(work, { recursive: true });

function reported(model, ...options) {
  const file = path.join(work, `${path.basename(model)}.html`),
    graph = path.resolve(root, 'examples', model);
  execFileSync(loam, ['report', graph, '--layout', 'auto', '--format', 'html', '-o', file, ...options]);
  const text = fs.readFileSync(file, 'utf8');
  const json = JSON.parse(
    execFileSync(loam, ['report', graph, '--layout', 'auto', '--format', 'json', ...options], { maxBuffer: 1 << 28 }),
  );
  const [, data] = text.match(/<script type="application\/json" id="report">(.*?)<\/script>/s);
  const [, script] = text.match(/<script>(.*?)<\/script>/s);
  return { text, json, data, script };
}

const merged = reported('models/gpt2/decoder_merged.onnx');

test('the page is whole: it holds the JSON, and asks no one for anything', () => {
  assert.deepEqual(JSON.parse(merged.data), merged.json);
  assert.equal(merged.json.nodes.length, 3135);
  assert.ok(!merged.text.replace(merged.data, '').match(/:\/\/|src=|href=|@import|url\(/));
  assert.equal(merged.text.match(/<\/script/g).length, 2);
  const script = path.join(work, 'script.js');
  fs.writeFileSync(script, merged.script);
  execFileSync(process.execPath, ['--check', script]);
});

// The page's script, run, and a way to evaluate in it.
function run({ data, script }) {
  const globals = page(data),
    context = vm.createContext(globals);
  vm.runInContext(script, context);
  for (let draw; (draw = globals.frames.shift());) draw();
  return { ...globals, evaluate: (code) => vm.runInContext(code, context), id: globals.document.getElementById };
}

function expectApart(boxes) {
  const byTop = [...boxes].sort((a, b) => a.y - b.y);
  byTop.forEach((a, i) => {
    for (let j = i + 1; j < byTop.length && byTop[j].y < a.y + a.h; ++j) {
      const b = byTop[j];
      assert.ok(a.x + a.w <= b.x || b.x + b.w <= a.x, `${a.title} and ${b.title} overlap`);
    }
  });
}

for (const [model, options] of [
  ['models/gpt2/decoder_merged.onnx', []],
  ['models/gpt2/decoder.onnx', []],
  ['mlp/mlp.onnx', []],
  ['mnist/digits.onnx', ['--no-fuse']],
])
  test(`every node of ${model} has a place in one box, and no two boxes overlap`, () => {
    const { evaluate } = run(model.includes('merged') ? merged : reported(model, ...options));
    const start = process.cpuUsage();
    const layout = evaluate('layout(JSON.parse(byId("report").textContent), new Set(fates))');
    const seconds = process.cpuUsage(start).user / 1e6;
    assert.ok(seconds < 2, `the layout took ${seconds} s`);
    const { nodes } = evaluate('JSON.parse(byId("report").textContent)');
    assert.equal(layout.boxOf.size, nodes.length);
    assert.deepEqual(
      Array.from(layout.boxes, (box) => Array.from(box.nodes))
        .flat()
        .sort((a, b) => a - b),
      [...nodes.keys()],
    );
    nodes.forEach((node, n) => {
      if (node.into !== null && nodes[node.into].block === node.block)
        assert.equal(layout.boxOf.get(n), layout.boxOf.get(node.into), node.site);
    });
    expectApart(layout.boxes.filter((box) => !box.inner.length));
    for (const block of new Set(layout.boxes.map((box) => box.block)))
      expectApart(layout.boxes.filter((box) => box.block === block));
    const frames = layout.boxes.flatMap((box) => [...box.inner]);
    for (const box of layout.boxes.filter(({ block }) => block > 0))
      assert.ok(
        frames.some((f) => f.x <= box.x && box.x + box.w <= f.x + f.w && f.y <= box.y && box.y + box.h <= f.y + f.h),
        `${box.title} stands in no frame`,
      );
    for (const { from, to } of layout.edges)
      assert.ok(layout.boxes[from].y + layout.boxes[from].h <= layout.boxes[to].y, 'edges lead down');
  });

const derived = path.resolve(root, '../shared/models/zoo/wav2vec2/model.onnx'); // lengths that follow from lengths
const whole = [
  ['the merged GPT-2', merged, false],
  ['wav2vec2', derived, !fs.existsSync(derived) && `${derived} is not there`],
];
for (const [name, model, skip] of whole)
  test(`sizes of ${name} at the lengths that the build calls typical are the build's`, { skip }, () => {
    const made = typeof model === 'string' ? reported(model) : model;
    const { evaluate } = run(made);
    const at = evaluate('sizesAt(JSON.parse(byId("report").textContent), new Map())');
    for (const arena of made.json.arenas)
      assert.equal(
        arena.slots.reduce((sum, slot) => sum + Math.max(...slot.map(at)), 0),
        arena.typical_bytes,
      );
  });

test('each operation on lengths is computed', () => {
  const { evaluate } = run(merged);
  const value = (op, a, b, c = [0]) =>
    evaluate('(report, lengths) => sizesAt(report, new Map(lengths))("size")')(
      { sizes: { size: [1, [2, 1]] }, symbols: { 0: { name: 'N', typical: 100 }, 1: { op, a, b, c } } },
      [['0', 7]],
    );
  const n = [0, [1, 0]]; // N, which is 7: the size is 1 + 2 * op(...)
  assert.equal(value('min', n, [5]), 11);
  assert.equal(value('max', n, [0, [3, 0]]), 43);
  assert.equal(value('floor_div', [-8, [1, 0]], [2]), -1);
  assert.equal(value('ceil_div', n, [2]), 9);
  assert.equal(value('truncated_div', [-10, [1, 0]], [2]), -1);
  assert.equal(value('floor_mod', [-10, [1, 0]], [5]), 5);
  assert.equal(value('from_end', [-1], n), 13);
  assert.equal(value('wrap32', [4294967297], [0]), 3);
  assert.equal(value('select', [0, [1, 0, 0]], [4], [9]), 9);
  assert.equal(value('ge', [-7, [1, 0]], [0]), 3);
  assert.equal(value('eq', [-6, [1, 0]], [0]), 1);
});

test('what is asked for is shown: search, pins, tabs, Escape', () => {
  const { document, id } = run(merged),
    search = id('search'),
    key = (name, target = id('graph')) => document.fire('keydown', { key: name, target });
  assert.equal(id('counts').textContent, `3135 nodes, ${merged.json.calls.length} kernel calls`);
  search.value = 'softmax sequencelength';
  search.fire('input');
  const softmaxes = merged.json.nodes.filter((n) => n.op === 'Softmax').length;
  assert.equal(id('hits').textContent, `${softmaxes} found`);
  key('Enter', search);
  const shown = () => id('panel').textContent;
  assert.match(shown(), /= Softmax/);
  assert.match(shown(), /Reads/);
  for (const [name, says] of [
    ['Kernels', /matmul_map/],
    ['Memory', /live at once/],
    ['Checks', /sequence_length - 1 >= 0/],
    ['Summary', /\d{4}: computed by the build/],
  ]) {
    id('tabs')
      .children.find((tab) => tab.textContent === name)
      .fire('click');
    assert.match(shown(), says);
  }
  id('tabs')
    .children.find((tab) => tab.textContent === 'Kernels')
    .fire('click');
  const head = (name) =>
    id('panel')
      .all('th')
      .find((th) => th.textContent === name);
  head('ops').fire('click');
  const rows = id('panel')
    .all('tr')
    .slice(1)
    .map((row) => row.children[0].textContent);
  const at = run(merged).evaluate('sizesAt(JSON.parse(byId("report").textContent), new Map())');
  const most = merged.json.calls.reduce(
    (best, call, i) => (at(call.operations) > at(merged.json.calls[best].operations) ? i : best),
    0,
  );
  assert.equal(rows[0], String(most));
  search.value = 'constant folded';
  search.fire('input');
  assert.match(id('hits').textContent, /^\d+ found, \d+ not drawn$/);
  key('Escape');
  assert.equal(search.value, '');
  assert.equal(id('hits').textContent, '');
});

test('a click pins what it hits, and what the pointer rests on is told', () => {
  const { id, evaluate } = run(merged),
    canvas = id('graph');
  const view = evaluate(
    'layout(JSON.parse(byId("report").textContent), new Set(["computed", "fused", "prepared", "aliased"]), ' +
      '(text) => 6.5 * text.length)',
  );
  const scale = Math.min(1.2, 940 / view.w, 640 / view.h),
    target = view.boxes.findLast((box) => box.nodes.length > 5);
  const place = {
    clientX: (target.x + target.w / 2 - view.w / 2) * scale + 500,
    clientY: (target.y + target.h / 2 - view.h / 2) * scale + 350,
  };
  canvas.fire('pointermove', place);
  assert.equal(id('tip').hidden, false);
  assert.match(id('tip').textContent, /more nodes/);
  canvas.fire('pointerdown', place);
  canvas.fire('pointerup', place);
  assert.match(id('panel').textContent, /Computes as well/);
});
