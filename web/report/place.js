// @ts-check
// Boxes in layers: each by the longest path that leads to it, in an order by barycentres, at places by least squares.

/** An item of a layer: a box, or the bend of an edge that passes.
 * @typedef {{ box: number, w: number, h: number, x: number, at: number, up: Item[], down: Item[] }} Item */

const gapX = 22,
  gapY = 44,
  bend = 8;

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
      if (path.length)
        low.set(path[path.length - 1].u, Math.min(low.get(path[path.length - 1].u) ?? 0, low.get(u) ?? 0));
      if (low.get(u) !== number.get(u)) continue;
      for (let v = -1; v !== u;) of.set((v = /** @type {number} */ (open.pop())), u);
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
  let sum = 0,
    n = 0;
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
  const left = new Map(reads),
    order = units.filter((u) => !reads.get(u));
  const layer = new Map(units.map((u) => [u, 0]));
  for (let i = 0; i < order.length; ++i)
    for (const v of next.get(order[i]) ?? []) {
      layer.set(v, Math.max(layer.get(v) ?? 0, (layer.get(order[i]) ?? 0) + 1));
      left.set(v, (left.get(v) ?? 0) - 1);
      if (!left.get(v)) order.push(v);
    }
  for (const u of order.reverse()) {
    const after = [...(next.get(u) ?? [])].map((v) => layer.get(v) ?? 0);
    if (after.length && after.length >= (reads.get(u) ?? 0)) layer.set(u, Math.min(...after) - 1);
  }
  return layer;
}

/** Lays boxes out from the origin on; their sizes are given, their places set.
 * @param {Box[]} boxes @param {number[]} units which of them @param {Map<number, Set<number>>} next
 * @returns {{ w: number, h: number, bends: Map<number, Map<number, number[]>> }} `bends`: of the edge from one box to
 * another, the points that it passes between them */
function place(boxes, units, next) {
  const joined = new Set([...next].flatMap(([u, to]) => (to.size ? [u, ...to] : [])));
  const alone = units.filter((u) => !joined.has(u)),
    tied = units.filter((u) => joined.has(u));
  const layer = layersOf(tied, next);
  /** @type {Item[][]} */ const layers = [];
  /** @type {Map<number, Item>} */ const items = new Map();
  const put = (/** @type {number} */ at, /** @type {Item} */ item) => ((layers[at] ??= []).push(item), item);
  for (const u of tied)
    items.set(u, put(layer.get(u) ?? 0, { box: u, w: boxes[u].w, h: boxes[u].h, x: 0, at: 0, up: [], down: [] }));
  for (let i = 0; i < layers.length; ++i) layers[i] ??= [];

  // One chain of bends for all that a box hands on, as far down as any of it goes.
  /** @type {Map<number, Item[]>} */ const chains = new Map();
  for (const u of tied) {
    const from = layer.get(u) ?? 0,
      to = [...(next.get(u) ?? [])];
    const chain = [/** @type {Item} */ (items.get(u))];
    const last = Math.max(from + 1, ...to.map((v) => layer.get(v) ?? 0));
    for (let at = from + 1; at < last; ++at) {
      const item = put(at, { box: -1, w: bend, h: 0, x: 0, at: 0, up: [chain[chain.length - 1]], down: [] });
      item.up[0].down.push(item);
      chain.push(item);
    }
    for (const v of to) {
      const above = chain[(layer.get(v) ?? 0) - 1 - from],
        item = /** @type {Item} */ (items.get(v));
      above.down.push(item);
      item.up.push(above);
    }
    chains.set(u, chain);
  }

  const number = (/** @type {Item[]} */ row) =>
    row.forEach((item, i) => {
      item.at = i;
    });
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
  layers.forEach((row, k) => {
    let x = 0;
    row.forEach((item, i) => {
      item.x = x += apart[k][i];
    });
  });
  const sweeps = 12;
  for (let sweep = 0; sweep < sweeps; ++sweep) {
    const down = sweep % 2 === 0,
      both = sweep >= sweeps - 4;
    for (let j = 0; j < layers.length; ++j) {
      const k = down ? j : layers.length - 1 - j,
        row = layers[k];
      const none = /** @type {Item[]} */ ([]);
      const wanted = row.map((item) =>
        mean('x', item.x, both || down ? item.up : none, both || !down ? item.down : none),
      );
      spread(wanted, apart[k]).forEach((x, i) => {
        row[i].x = x;
      });
    }
  }

  const left = Math.min(0, ...layers.flat().map((item) => item.x - item.w / 2));
  let w = 0,
    y = 0;
  /** @type {number[]} */ const tops = [],
    bottoms = [];
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
  let x = 0,
    tallest = 0;
  y = h ? h + gapY : 0;
  for (const u of alone) {
    if (x && x + boxes[u].w > wide) {
      x = 0;
      y += tallest + gapX;
      tallest = 0;
    }
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
      for (let at = from + 1; at < (layer.get(v) ?? 0); ++at)
        points.push(chain[at - from].x, tops[at], chain[at - from].x, bottoms[at]);
      if (!bends.has(u)) bends.set(u, new Map());
      bends.get(u)?.set(v, points);
    }
  }
  return { w, h, bends };
}
