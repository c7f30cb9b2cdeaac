// @ts-check
// Where the graph's boxes stand: layers by the longest path, ordered by barycentres, placed by least squares. One box is
// a node, or a kernel with all the nodes it computes; a control flow node's box holds its subgraphs, each laid out alike.

/** @typedef {{ x: number, y: number, w: number, h: number, nodes: number[], kind: string, title: string, note: string,
 *   lines: string[], inner: Frame[], tensor: number | null, block: number }} Box */
/** @typedef {{ x: number, y: number, w: number, h: number, title: string }} Frame */
/** @typedef {{ from: number, to: number, points: number[], tensors: Set<number> }} Edge */
/** @typedef {{ boxes: Box[], edges: Edge[], w: number, h: number, boxOf: Map<number, number>,
 *   boxOfInput: Map<number, number> }} Layout */
/** An item of a layer: a box, or the bend of an edge that passes.
 * @typedef {{ box: number, w: number, h: number, x: number, at: number, up: Item[], down: Item[] }} Item */

const line = 15, gapX = 22, gapY = 44, bend = 8, widest = 300, margin = 26;

/** The strongly connected units of a graph, as a representative of each.
 * @param {Iterable<number>} units @param {Map<number, Set<number>>} next @returns {Map<number, number>} */
function components(units, next) {
  /** @type {Map<number, number>} */ const number = new Map();
  /** @type {Map<number, number>} */ const low = new Map();
  /** @type {Map<number, number>} */ const of = new Map();
  /** @type {number[]} */ const open = [];
  for (const start of units) {
    if (number.has(start)) continue;
    /** @type {{ u: number, rest: Iterator<number> }[]} */ const path = [];
    const enter = (/** @type {number} */ u) => {
      number.set(u, number.size);
      low.set(u, number.size - 1);
      open.push(u);
      path.push({ u, rest: (next.get(u) ?? new Set()).values() });
    };
    enter(start);
    while (path.length) {
      const { u, rest } = path[path.length - 1];
      const step = rest.next();
      if (!step.done) {
        if (!number.has(step.value)) enter(step.value);
        else if (!of.has(step.value)) low.set(u, Math.min(low.get(u) ?? 0, number.get(step.value) ?? 0));
        continue;
      }
      path.pop();
      if (path.length) low.set(path[path.length - 1].u, Math.min(low.get(path[path.length - 1].u) ?? 0, low.get(u) ?? 0));
      if (low.get(u) !== number.get(u)) continue;
      for (let v = -1; v !== u;) of.set(v = /** @type {number} */ (open.pop()), u);
    }
  }
  return of;
}

/** Centres in the order given, as near to `wanted` as keeps `apart[i]` between i - 1 and i: an isotonic regression.
 * @param {number[]} wanted @param {number[]} apart @returns {number[]} */
function spread(wanted, apart) {
  /** @type {{ sum: number, n: number }[]} */ const pools = [];
  let offset = 0;
  const offsets = wanted.map((_, i) => (offset += apart[i]));
  wanted.forEach((w, i) => {
    let pool = { sum: w - offsets[i], n: 1 };
    while (pools.length && pools[pools.length - 1].sum / pools[pools.length - 1].n > pool.sum / pool.n) {
      const last = /** @type {{ sum: number, n: number }} */ (pools.pop());
      pool = { sum: last.sum + pool.sum, n: last.n + pool.n };
    }
    pools.push(pool);
  });
  return pools.flatMap(({ sum, n }) => Array(n).fill(sum / n)).map((at, i) => at + offsets[i]);
}

/** The mean of where items are, by their order or their place; `otherwise` where there are none.
 * @param {'at' | 'x'} key @param {number} otherwise @param {...Item[]} lists */
function mean(key, otherwise, ...lists) {
  let sum = 0, n = 0;
  for (const list of lists) {
    for (const item of list) sum += item[key];
    n += list.length;
  }
  return n ? sum / n : otherwise;
}

/** The layer of each unit: past all it reads, and as near to what reads it where it has little to read itself.
 * @param {number[]} units @param {Map<number, Set<number>>} next @returns {Map<number, number>} */
function layersOf(units, next) {
  /** @type {Map<number, number>} */ const reads = new Map(units.map((u) => [u, 0]));
  for (const u of units) for (const v of next.get(u) ?? []) reads.set(v, (reads.get(v) ?? 0) + 1);
  const left = new Map(reads), order = units.filter((u) => !reads.get(u));
  const layer = new Map(units.map((u) => [u, 0]));
  for (let i = 0; i < order.length; ++i)
    for (const v of next.get(order[i]) ?? []) {
      layer.set(v, Math.max(layer.get(v) ?? 0, (layer.get(order[i]) ?? 0) + 1));
      left.set(v, (left.get(v) ?? 0) - 1);
      if (!left.get(v)) order.push(v);
    }
  for (const u of order.reverse()) {
    const after = [...next.get(u) ?? []].map((v) => layer.get(v) ?? 0);
    if (after.length && after.length >= (reads.get(u) ?? 0)) layer.set(u, Math.min(...after) - 1);
  }
  return layer;
}

/** Lays boxes out from the origin on; their sizes are given, their places set.
 * @param {Box[]} boxes @param {number[]} units which of them @param {Map<number, Set<number>>} next
 * @returns {{ w: number, h: number, bends: Map<number, Map<number, number[]>> }} where edges from a box bend, by layer's
 * first box reached: see `points` */
function place(boxes, units, next) {
  const joined = new Set([...next].flatMap(([u, to]) => (to.size ? [u, ...to] : [])));
  const alone = units.filter((u) => !joined.has(u)), tied = units.filter((u) => joined.has(u));
  const layer = layersOf(tied, next);
  /** @type {Item[][]} */ const layers = [];
  /** @type {Map<number, Item>} */ const items = new Map();
  const put = (/** @type {number} */ at, /** @type {Item} */ item) => ((layers[at] ??= []).push(item), item);
  for (const u of tied) items.set(u, put(layer.get(u) ?? 0, { box: u, w: boxes[u].w, h: boxes[u].h, x: 0, at: 0, up: [], down: [] }));
  for (let i = 0; i < layers.length; ++i) layers[i] ??= [];

  // One chain of bends for all that a box hands on, as far down as any of it goes.
  /** @type {Map<number, Item[]>} */ const chains = new Map();
  for (const u of tied) {
    const from = layer.get(u) ?? 0, to = [...next.get(u) ?? []];
    const chain = [/** @type {Item} */ (items.get(u))];
    const last = Math.max(from + 1, ...to.map((v) => layer.get(v) ?? 0));
    for (let at = from + 1; at < last; ++at) {
      const item = put(at, { box: -1, w: bend, h: 0, x: 0, at: 0, up: [chain[chain.length - 1]], down: [] });
      item.up[0].down.push(item);
      chain.push(item);
    }
    for (const v of to) {
      const above = chain[(layer.get(v) ?? 0) - 1 - from], item = /** @type {Item} */ (items.get(v));
      above.down.push(item);
      item.up.push(above);
    }
    chains.set(u, chain);
  }

  const number = (/** @type {Item[]} */ row) => row.forEach((item, i) => { item.at = i; });
  layers.forEach(number);
  for (let sweep = 0; sweep < 10; ++sweep) {
    const down = sweep % 2 === 0;
    for (let k = 0; k < layers.length; ++k) {
      const row = layers[down ? k : layers.length - 1 - k];
      if (row.length < 2) continue;
      for (const item of row) item.x = mean('at', item.at, down ? item.up : item.down);
      row.sort((a, b) => a.x - b.x || a.at - b.at);
      number(row);
    }
  }

  const apart = layers.map((row) => row.map((item, i) => (i ? (row[i - 1].w + item.w) / 2 + gapX : 0)));
  layers.forEach((row, k) => { let x = 0; row.forEach((item, i) => { item.x = x += apart[k][i]; }); });
  const sweeps = 12;
  for (let sweep = 0; sweep < sweeps; ++sweep) {
    const down = sweep % 2 === 0, both = sweep >= sweeps - 4;
    for (let j = 0; j < layers.length; ++j) {
      const k = down ? j : layers.length - 1 - j, row = layers[k];
      const none = /** @type {Item[]} */ ([]);
      const wanted = row.map((item) => mean('x', item.x, both || down ? item.up : none, both || !down ? item.down : none));
      spread(wanted, apart[k]).forEach((x, i) => { row[i].x = x; });
    }
  }

  const left = Math.min(0, ...layers.flat().map((item) => item.x - item.w / 2));
  let w = 0, y = 0;
  /** @type {number[]} */ const tops = [], bottoms = [];
  for (const row of layers) {
    const h = Math.max(0, ...row.map((item) => item.h));
    for (const item of row) {
      item.x -= left;
      w = Math.max(w, item.x + item.w / 2);
      if (item.box >= 0) Object.assign(boxes[item.box], { x: item.x - item.w / 2, y: y + (h - item.h) / 2 });
    }
    tops.push(y);
    bottoms.push(y + h);
    y += h + gapY;
  }
  let h = Math.max(0, y - gapY);
  // What nothing ties to anything stands below, in rows.
  const wide = Math.max(w, 900);
  let x = 0, tallest = 0;
  y = h ? h + gapY : 0;
  for (const u of alone) {
    if (x && x + boxes[u].w > wide) { x = 0; y += tallest + gapX; tallest = 0; }
    Object.assign(boxes[u], { x, y });
    tallest = Math.max(tallest, boxes[u].h);
    h = y + tallest;
    w = Math.max(w, x + boxes[u].w);
    x += boxes[u].w + gapX;
  }

  // An edge goes straight through a layer that it passes.
  /** @type {Map<number, Map<number, number[]>>} */ const bends = new Map();
  for (const [u, chain] of chains) {
    const from = layer.get(u) ?? 0;
    for (const v of next.get(u) ?? []) {
      const points = [];
      for (let at = from + 1; at < (layer.get(v) ?? 0); ++at) points.push(chain[at - from].x, tops[at], chain[at - from].x, bottoms[at]);
      if (!bends.has(u)) bends.set(u, new Map());
      bends.get(u)?.set(v, points);
    }
  }
  return { w, h, bends };
}

/** @param {string} text @param {number} most */
const shortened = (text, most) => (text.length <= most ? text : `${text.slice(0, most / 2 - 1)}\u2026${text.slice(-most / 2)}`);

/** A type without its lengths, where axes have names. @param {string} type */
const axesOnly = (type) => type.replace(/ = (?!\d+[,\]])(?:[^,[\]()]|\((?:[^()]|\([^()]*\))*\))+/g, '');

/** @param {GraphReport} report
 * @param {Set<string>} shown fates that are drawn
 * @param {(text: string) => number} [widthOf] of a text in pixels
 * @returns {Layout} */
function layout(report, shown, widthOf = (text) => 6.7 * text.length) {
  const { nodes, tensors, blocks } = report;
  /** @type {Box[]} */ const boxes = [];
  /** @type {Map<number, number>} */ const unitOf = new Map(), unitOfInput = new Map(), unitOfOutput = new Map();
  const hostOf = (/** @type {number} */ n) => {
    const into = nodes[n].into;
    return into !== null && nodes[into].block === nodes[n].block ? into : n;
  };
  const add = (/** @type {Partial<Box>} */ box) => boxes.push({ x: 0, y: 0, w: 0, h: 0, nodes: [], kind: '', title: '', note: '',
    lines: [], inner: [], tensor: null, block: 0, ...box }) - 1;
  nodes.forEach((node, n) => {
    if (!shown.has(node.fate)) return;
    const host = hostOf(n);
    if (!unitOf.has(host)) unitOf.set(host, add({ block: node.block }));
    const unit = /** @type {number} */ (unitOf.get(host));
    unitOf.set(n, unit);
    boxes[unit].nodes.push(n);
  });
  tensors.forEach((tensor, t) => {
    if (tensor.origin === 'input') unitOfInput.set(t, add({ kind: 'input', tensor: t, title: tensor.name, note: axesOnly(tensor.type) }));
    if (tensor.returned) unitOfOutput.set(t, add({ kind: 'output', tensor: t, title: tensor.name, note: axesOnly(tensor.type) }));
  });

  /** @type {Map<number, Map<number, Set<number>>>} */ const between = new Map();
  const tie = (/** @type {number | undefined} */ from, /** @type {number | undefined} */ to, /** @type {number} */ t) => {
    if (from === undefined || to === undefined || from === to || boxes[from].block !== boxes[to].block) return;
    if (!between.has(from)) between.set(from, new Map());
    const ends = /** @type {Map<number, Set<number>>} */ (between.get(from));
    if (!ends.has(to)) ends.set(to, new Set());
    ends.get(to)?.add(t);
  };
  const outward = (/** @type {number | null} */ n) => {  // the node and those it stands within
    const path = [];
    for (let at = n; at !== null; at = blocks[nodes[at].block].node) path.push(at);
    return path;
  };
  nodes.forEach((node, n) => {
    if (!shown.has(node.fate)) return;
    const path = outward(n), top = path[path.length - 1];
    for (const t of node.inputs) {
      const { node: maker, origin } = tensors[t];
      if (maker === null) {
        if (origin === 'input') tie(unitOfInput.get(t), unitOf.get(top), t);
        continue;
      }
      const makers = outward(maker), common = makers.find((m) => path.some((p) => nodes[p].block === nodes[m].block));
      if (common === undefined) continue;
      tie(unitOf.get(common), unitOf.get(/** @type {number} */ (path.find((p) => nodes[p].block === nodes[common].block))), t);
    }
  });
  for (const [t, unit] of unitOfOutput) {
    const { node } = tensors[t];
    if (node !== null) tie(unitOf.get(outward(node).at(-1) ?? -1), unit, t);
    else tie(unitOfInput.get(t), unit, t);
  }

  // Views between the parts of one kernel belong to its box: where boxes lead to one another they are one.
  const nexts = () => new Map([...between].map(([u, to]) => [u, new Set(to.keys())]));
  const one = components(boxes.keys(), nexts());
  /** @type {Map<number, Map<number, Set<number>>>} */ const merged = new Map();
  for (const [u, to] of between)
    for (const [v, list] of to) {
      const a = /** @type {number} */ (one.get(u)), b = /** @type {number} */ (one.get(v));
      if (a === b) continue;
      if (!merged.has(a)) merged.set(a, new Map());
      const ends = /** @type {Map<number, Set<number>>} */ (merged.get(a));
      ends.set(b, new Set([...ends.get(b) ?? [], ...list]));
    }
  boxes.forEach((box, u) => {
    const to = /** @type {number} */ (one.get(u));
    if (to === u) return;
    boxes[to].nodes.push(...box.nodes);
    box.nodes.forEach((n) => unitOf.set(n, to));
    box.block = -1;  // gone
  });
  for (const box of boxes) box.nodes.sort((a, b) => a - b);

  /** @param {Box} box */
  const size = (box) => {
    const host = box.nodes.find((n) => nodes[n].calls.length) ?? box.nodes.find((n) => nodes[n].into === null) ?? box.nodes[0];
    if (host !== undefined) {
      const node = nodes[host];
      box.kind = box.nodes.length > 1 && box.nodes.some((n) => nodes[n].calls.length) ? 'computed' : node.fate;
      const kernels = [...new Set(box.nodes.flatMap((n) => nodes[n].calls.map((c) => report.calls[c].kernel)))];
      box.title = box.nodes.length > 1 && kernels.length ? kernels.join(', ') : node.op;
      const result = node.outputs.length ? tensors[node.outputs[0]] : null;
      if (['computed', 'prepared', 'fused'].includes(box.kind)) box.note = axesOnly(result?.type ?? '');
      if (box.nodes.length > 1) box.lines = box.nodes.map((n) => shortened(`${nodes[n].op}  ${nodes[n].outputs.length ? tensors[nodes[n].outputs[0]].name : ''}`, 46));
    }
    box.title = shortened(box.title, 46);
    box.note = shortened(box.note, 54);
    box.w = Math.min(widest, 20 + Math.max(44, 1.1 * widthOf(box.title), 0.9 * widthOf(box.note), ...box.lines.map((text) => 8 + 0.9 * widthOf(text))));
    box.h = 10 + line * (1 + Number(box.note !== '') + box.lines.length);
  };

  /** @type {Edge[]} */ const edges = [];
  /** @type {Map<number, number[]>} */ const inside = new Map();
  boxes.forEach((box, u) => {
    if (box.block < 0) return;
    if (!inside.has(box.block)) inside.set(box.block, []);
    inside.get(box.block)?.push(u);
  });
  const move = (/** @type {number} */ block, /** @type {number} */ dx, /** @type {number} */ dy) => {
    for (const u of inside.get(block) ?? []) {
      const box = boxes[u];
      box.x += dx;
      box.y += dy;
      for (const frame of box.inner) { frame.x += dx; frame.y += dy; }
      for (const n of box.nodes) blocks.forEach((b, i) => { if (b.node === n) move(i, dx, dy); });
    }
    for (const edge of edges)
      if (boxes[edge.from].block === block)
        for (let i = 0; i < edge.points.length; i += 2) { edge.points[i] += dx; edge.points[i + 1] += dy; }
  };
  /** @param {number} block */
  const lay = (block) => {
    const units = inside.get(block) ?? [];
    for (const u of units) {
      const box = boxes[u];
      size(box);
      let x = 12, tall = 0;
      blocks.forEach((b, i) => {
        if (b.node === null || unitOf.get(b.node) !== u || !inside.has(i)) return;
        const { w, h } = lay(i);
        box.inner.push({ x, y: box.h, w: w + 2 * margin, h: h + 2 * margin, title: b.name });
        move(i, x + margin, box.h + margin);
        x += w + 2 * margin + 12;
        tall = Math.max(tall, h + 2 * margin);
      });
      if (!tall) continue;
      // What is within moves on with the box, once it is placed.
      box.w = Math.max(box.w, x);
      box.h += tall + 12;
    }
    const next = new Map(units.map((u) => [u, new Set(merged.get(u)?.keys() ?? [])]));
    const { w, h, bends } = place(boxes, units, next);
    for (const u of units) {
      const box = boxes[u];
      for (const frame of box.inner) { frame.x += box.x; frame.y += box.y; }
      blocks.forEach((b, i) => { if (b.node !== null && unitOf.get(b.node) === u && inside.has(i)) move(i, box.x, box.y); });
    }
    for (const u of units)
      for (const [v, list] of merged.get(u) ?? []) {
        const a = boxes[u], b = boxes[v];
        edges.push({ from: u, to: v, tensors: list, points: [a.x + a.w / 2, a.y + a.h, ...bends.get(u)?.get(v) ?? [], b.x + b.w / 2, b.y] });
      }
    return { w, h };
  };
  const { w, h } = lay(0);

  // Boxes that stand within others come after them: what is drawn last is found first.
  /** @type {Map<number, number>} */ const renumbered = new Map();
  const kept = [...boxes.keys()].filter((u) => boxes[u].block >= 0);
  kept.sort((a, b) => outward(blocks[boxes[a].block].node).length - outward(blocks[boxes[b].block].node).length || a - b);
  kept.forEach((u, i) => renumbered.set(u, i));
  const at = (/** @type {number} */ u) => /** @type {number} */ (renumbered.get(/** @type {number} */ (one.get(u))));
  const settled = (/** @type {Map<number, number>} */ map) => new Map([...map].map(([k, u]) => [k, at(u)]));
  return { boxes: kept.map((u) => boxes[u]), edges: edges.map((e) => ({ ...e, from: at(e.from), to: at(e.to) })), w, h,
    boxOf: settled(new Map([...unitOf].filter(([n]) => shown.has(nodes[n].fate)))), boxOfInput: settled(unitOfInput) };
}
