// @ts-check
// Where the graph's boxes stand. One box is a node, or a kernel with all the nodes it computes; a control flow node's
// box holds its subgraphs, each laid out alike.

/** @typedef {{ x: number, y: number, w: number, h: number, nodes: number[], kind: string, title: string, note: string,
 *   lines: string[], inner: Frame[], tensor: number | null, block: number }} Box */
/** @typedef {{ x: number, y: number, w: number, h: number, title: string }} Frame */
/** @typedef {{ from: number, to: number, points: number[], tensors: Set<number> }} Edge */
/** @typedef {{ boxes: Box[], edges: Edge[], w: number, h: number, boxOf: Map<number, number> }} Layout */

const line = 15,
  widest = 300,
  margin = 26;

/** @param {string} text @param {number} most */
const shortened = (text, most) =>
  text.length <= most ? text : `${text.slice(0, most / 2 - 1)}\u2026${text.slice(-most / 2)}`;

/** A type without its lengths, where axes have names. @param {string} type */
const axesOnly = (type) => type.replace(/ = (?!\d+[,\]])(?:[^,[\]()]|\((?:[^()]|\([^()]*\))*\))+/g, '');

/** @param {GraphReport} report
 * @param {Set<string>} shown fates that are drawn
 * @param {(text: string) => number} [widthOf] of a text in pixels
 * @returns {Layout} */
function layout(report, shown, widthOf = (text) => 6.7 * text.length) {
  const { nodes, tensors, blocks } = report;
  /** @type {Box[]} */ const boxes = [];
  /** @type {Map<number, number>} */ const unitOf = new Map(),
    unitOfInput = new Map(),
    unitOfOutput = new Map();
  const hostOf = (/** @type {number} */ n) => {
    const into = nodes[n].into;
    return into !== null && nodes[into].block === nodes[n].block ? into : n;
  };
  const add = (/** @type {Partial<Box>} */ box) =>
    boxes.push({
      x: 0,
      y: 0,
      w: 0,
      h: 0,
      nodes: [],
      kind: '',
      title: '',
      note: '',
      lines: [],
      inner: [],
      tensor: null,
      block: 0,
      ...box,
    }) - 1;
  nodes.forEach((node, n) => {
    if (!shown.has(node.fate)) return;
    const host = hostOf(n);
    if (!unitOf.has(host)) unitOf.set(host, add({ block: node.block }));
    const unit = /** @type {number} */ (unitOf.get(host));
    unitOf.set(n, unit);
    boxes[unit].nodes.push(n);
  });
  tensors.forEach((tensor, t) => {
    if (tensor.origin === 'input')
      unitOfInput.set(t, add({ kind: 'input', tensor: t, title: tensor.name, note: axesOnly(tensor.type) }));
    if (tensor.returned)
      unitOfOutput.set(t, add({ kind: 'output', tensor: t, title: tensor.name, note: axesOnly(tensor.type) }));
  });

  /** @type {Map<number, Map<number, Set<number>>>} */ const between = new Map();
  const tie = (
    /** @type {number | undefined} */ from,
    /** @type {number | undefined} */ to,
    /** @type {number} */ t,
  ) => {
    if (from === undefined || to === undefined || from === to || boxes[from].block !== boxes[to].block) return;
    if (!between.has(from)) between.set(from, new Map());
    const ends = /** @type {Map<number, Set<number>>} */ (between.get(from));
    if (!ends.has(to)) ends.set(to, new Set());
    ends.get(to)?.add(t);
  };
  const outward = (/** @type {number | null} */ n) => {
    // the node and those it stands within
    const path = [];
    for (let at = n; at !== null; at = blocks[nodes[at].block].node) path.push(at);
    return path;
  };
  nodes.forEach((node, n) => {
    if (!shown.has(node.fate)) return;
    const path = outward(n),
      top = path[path.length - 1];
    for (const t of node.inputs) {
      const { node: maker, origin } = tensors[t];
      if (maker === null) {
        if (origin === 'input') tie(unitOfInput.get(t), unitOf.get(top), t);
        continue;
      }
      const makers = outward(maker),
        common = makers.find((m) => path.some((p) => nodes[p].block === nodes[m].block));
      if (common === undefined) continue;
      tie(
        unitOf.get(common),
        unitOf.get(/** @type {number} */ (path.find((p) => nodes[p].block === nodes[common].block))),
        t,
      );
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
      const a = /** @type {number} */ (one.get(u)),
        b = /** @type {number} */ (one.get(v));
      if (a === b) continue;
      if (!merged.has(a)) merged.set(a, new Map());
      const ends = /** @type {Map<number, Set<number>>} */ (merged.get(a));
      ends.set(b, new Set([...(ends.get(b) ?? []), ...list]));
    }
  boxes.forEach((box, u) => {
    const to = /** @type {number} */ (one.get(u));
    if (to === u) return;
    boxes[to].nodes.push(...box.nodes);
    box.nodes.forEach((n) => unitOf.set(n, to));
    box.block = -1; // gone
  });
  for (const box of boxes) box.nodes.sort((a, b) => a - b);

  /** @param {Box} box */
  const size = (box) => {
    const host =
      box.nodes.find((n) => nodes[n].calls.length) ?? box.nodes.find((n) => nodes[n].into === null) ?? box.nodes[0];
    if (host !== undefined) {
      const node = nodes[host];
      box.kind = box.nodes.length > 1 && box.nodes.some((n) => nodes[n].calls.length) ? 'computed' : node.fate;
      const kernels = [...new Set(box.nodes.flatMap((n) => nodes[n].calls.map((c) => report.calls[c].kernel)))];
      box.title = box.nodes.length > 1 && kernels.length ? kernels.join(', ') : node.op;
      const result = node.outputs.length ? tensors[node.outputs[0]] : null;
      if (['computed', 'prepared', 'fused'].includes(box.kind)) box.note = axesOnly(result?.type ?? '');
      if (box.nodes.length > 1)
        box.lines = box.nodes.map((n) =>
          shortened(`${nodes[n].op}  ${nodes[n].outputs.length ? tensors[nodes[n].outputs[0]].name : ''}`, 46),
        );
    }
    box.title = shortened(box.title, 46);
    box.note = shortened(box.note, 54);
    box.w = Math.min(
      widest,
      20 +
        Math.max(
          44,
          1.1 * widthOf(box.title),
          0.9 * widthOf(box.note),
          ...box.lines.map((text) => 8 + 0.9 * widthOf(text)),
        ),
    );
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
      for (const frame of box.inner) {
        frame.x += dx;
        frame.y += dy;
      }
      for (const n of box.nodes)
        blocks.forEach((b, i) => {
          if (b.node === n) move(i, dx, dy);
        });
    }
    for (const edge of edges)
      if (boxes[edge.from].block === block)
        for (let i = 0; i < edge.points.length; i += 2) {
          edge.points[i] += dx;
          edge.points[i + 1] += dy;
        }
  };
  /** @param {number} block */
  const lay = (block) => {
    const units = inside.get(block) ?? [];
    for (const u of units) {
      const box = boxes[u];
      size(box);
      let x = 12,
        tall = 0;
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
      for (const frame of box.inner) {
        frame.x += box.x;
        frame.y += box.y;
      }
      blocks.forEach((b, i) => {
        if (b.node !== null && unitOf.get(b.node) === u && inside.has(i)) move(i, box.x, box.y);
      });
    }
    for (const u of units)
      for (const [v, list] of merged.get(u) ?? []) {
        const a = boxes[u],
          b = boxes[v];
        edges.push({
          from: u,
          to: v,
          tensors: list,
          points: [a.x + a.w / 2, a.y + a.h, ...(bends.get(u)?.get(v) ?? []), b.x + b.w / 2, b.y],
        });
      }
    return { w, h };
  };
  const { w, h } = lay(0);

  // Boxes that stand within others come after them: what is drawn last is found first.
  /** @type {Map<number, number>} */ const renumbered = new Map();
  const kept = [...boxes.keys()].filter((u) => boxes[u].block >= 0);
  kept.sort(
    (a, b) => outward(blocks[boxes[a].block].node).length - outward(blocks[boxes[b].block].node).length || a - b,
  );
  kept.forEach((u, i) => renumbered.set(u, i));
  const at = (/** @type {number} */ u) => /** @type {number} */ (renumbered.get(/** @type {number} */ (one.get(u))));
  return {
    boxes: kept.map((u) => boxes[u]),
    edges: edges.map((e) => ({ ...e, from: at(e.from), to: at(e.to) })),
    w,
    h,
    boxOf: new Map([...unitOf].flatMap(([n, u]) => (shown.has(nodes[n].fate) ? [[n, at(u)]] : []))),
  };
}
