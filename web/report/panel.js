// @ts-check
// What stands beside the graph. Every text of the model becomes a text node: none of it is read as markup.

/** @param {string} tag @param {Record<string, any>} [attributes] @param {...(Node | string | null)} children */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (name === 'of') made.style.setProperty('--of', `var(--${value})`);
    else if (value !== null) made.setAttribute(name, String(value));
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** @typedef {{ report: GraphReport, at: (text: string) => number, lengths: Map<string, number>,
 *   select: (node: number) => void, changed: () => void }} Shown */

/** A size: its polynomial, and what that is at the lengths given. @param {Shown} shown @param {string} text */
function size(shown, text) {
  const n = shown.at(text);
  return element(
    'span',
    {},
    Number.isFinite(n) ? quantity(n) : '',
    /[a-zA-Z]/.test(text)
      ? element(
          'span',
          {
            class: 'polynomial clipped',
            title: text,
            onclick: (/** @type {any} */ event) => event.target.classList.toggle('clipped'),
          },
          ` ${text}`,
        )
      : null,
  );
}

/** @param {(string | Node | null)[][]} rows name and value, by turns */
const figures = (...rows) =>
  element(
    'dl',
    { class: 'figures' },
    ...rows.flatMap(([name, ...value]) => [element('dt', {}, name), element('dd', {}, ...value)]),
  );

/** @param {Shown} shown @param {number | null} node @param {string} text */
const link = (shown, node, text) =>
  node === null ? text : element('button', { class: 'link', onclick: () => shown.select(node) }, text);

/** @param {Shown} shown */
function summary(shown) {
  const { report, at, lengths } = shown,
    all = report.nodes.length;
  const counts = fates
    .map((fate) => ({ fate, n: report.nodes.filter((node) => node.fate === fate).length }))
    .filter(({ n }) => n);
  const free = Object.entries(report.symbols).filter(([, s]) => s.name !== undefined);
  const arena = report.arenas.reduce(
    (sum, { slots }) => sum + slots.reduce((total, slot) => total + Math.max(...slot.map(at)), 0),
    0,
  );
  const by = new Map();
  for (const call of report.calls) {
    const sums = by.get(call.kernel) ?? { calls: 0, bytes: 0, operations: 0 };
    by.set(call.kernel, {
      calls: sums.calls + 1,
      bytes: sums.bytes + at(call.bytes),
      operations: sums.operations + at(call.operations),
    });
  }
  const most = Math.max(1, ...[...by.values()].map((s) => s.operations)),
    mostBytes = Math.max(1, ...[...by.values()].map((s) => s.bytes));
  return [
    element('h2', {}, 'Lengths'),
    free.length ? null : element('p', {}, 'Every length is known to the build.'),
    ...free.map(([id, s]) =>
      element(
        'label',
        { class: 'length' },
        `${s.name}${s.computed ? ' (computed in the run)' : ''}`,
        element('input', {
          type: 'number',
          min: s.from,
          max: s.to,
          value: lengths.get(id) ?? s.typical,
          onchange: (/** @type {any} */ event) => {
            const n = Number(event.target.value);
            if (event.target.value !== '' && Number.isInteger(n)) {
              lengths.set(id, Math.min(Math.max(n, s.from ?? 0), s.to ?? n));
              shown.changed();
            }
          },
        }),
      ),
    ),
    element('h2', {}, 'Nodes'),
    element(
      'div',
      { class: 'bar' },
      ...counts.map(({ fate, n }) =>
        element('i', { style: `width: ${(100 * n) / all}%`, of: fate, title: `${n} ${fate}` }),
      ),
    ),
    figures(
      ...counts.map(({ fate, n }) => [
        fate,
        `${n}: ${
          {
            computed: 'by kernels of their own',
            fused: 'part of another\u2019s kernel',
            prepared: 'once, of weights alone',
            aliased: 'views of what is there',
            folded: 'computed by the build',
            unread: 'no run needs them',
          }[fate]
        }`,
      ]),
    ),
    element('h2', {}, 'The run'),
    ...report.totals
      .filter((t) => t.calls || report.totals.length === 1)
      .map((t) =>
        figures(
          [t.where || 'each run', `${t.calls} kernel calls`],
          ['bytes moved', size(shown, t.bytes)],
          ['operations', size(shown, t.operations)],
        ),
      ),
    figures(
      ['saved by fusing', size(shown, report.saved), ' bytes not written'],
      ['memory', `${quantity(arena)}B for ${report.buffers.length} buffers`],
      ['weights', `${report.weights.count} of `, size(shown, report.weights.bytes), ' bytes'],
      ['prepared', `${report.prepared.count} of `, size(shown, report.prepared.bytes), ' bytes'],
      ['conditions', `${report.owed.length} owed, ${report.proved} proved`],
    ),
    element('h2', {}, `${by.size} kernels, ${report.calls.length} calls`),
    element(
      'table',
      {},
      element('tr', {}, ...['kernel', 'calls', 'bytes', '', 'operations', ''].map((text) => element('th', {}, text))),
      ...[...by]
        .sort(([, a], [, b]) => b.operations - a.operations)
        .map(([kernel, s]) =>
          element(
            'tr',
            {},
            element('td', {}, kernel),
            element('td', {}, String(s.calls)),
            element('td', {}, quantity(s.bytes)),
            element(
              'td',
              { class: 'left' },
              element('span', { class: 'share', style: `width: ${(44 * s.bytes) / mostBytes}px` }),
            ),
            element('td', {}, quantity(s.operations)),
            element(
              'td',
              { class: 'left' },
              element('span', { class: 'share', style: `width: ${(44 * s.operations) / most}px` }),
            ),
          ),
        ),
    ),
  ];
}

const order = { key: 'place', down: false };

/** @param {Shown} shown */
function kernels(shown) {
  const { report, at } = shown;
  const rows = report.calls.map((call, place) => {
    const bytes = at(call.bytes),
      operations = at(call.operations);
    return { place, call, kernel: call.kernel, site: call.site, bytes, operations, intensity: operations / bytes };
  });
  const key = /** @type {'place'} */ (order.key),
    sign = order.down ? -1 : 1;
  rows.sort(
    (a, b) =>
      sign *
        (typeof a[key] === 'string' ? String(a[key]).localeCompare(String(b[key])) : (a[key] || 0) - (b[key] || 0)) ||
      a.place - b.place,
  );
  const head = [
    ['place', '#'],
    ['kernel', 'kernel'],
    ['site', 'for'],
    ['bytes', 'bytes'],
    ['operations', 'ops'],
    ['intensity', 'ops/B'],
  ];
  return [
    element(
      'table',
      {},
      element(
        'tr',
        {},
        ...head.map(([name, text]) =>
          element(
            'th',
            {
              'data-key': name,
              class: name === 'kernel' || name === 'site' ? 'left' : null,
              'aria-sort': order.key === name ? (order.down ? 'descending' : 'ascending') : null,
              onclick: () => {
                order.down = order.key === name ? !order.down : !['place', 'kernel', 'site'].includes(name);
                order.key = name;
                shown.changed();
              },
            },
            text,
          ),
        ),
      ),
      ...rows.map(({ place, call, bytes, operations, intensity }) =>
        element(
          'tr',
          {
            'data-node': call.node,
            title:
              `${call.site}\n${call.read} bytes read\n${call.written} bytes written\n` +
              `${call.operations} operations`,
            onclick: () => call.node !== null && shown.select(call.node),
          },
          element('td', {}, String(place)),
          element('td', { class: 'left' }, call.kernel),
          element('td', { class: 'left' }, call.site),
          element('td', {}, quantity(bytes)),
          element('td', {}, quantity(operations)),
          element('td', {}, quantity(intensity)),
        ),
      ),
    ),
  ];
}

/** @param {Shown} shown */
function checks(shown) {
  const { report } = shown;
  return [
    element(
      'p',
      {},
      `forward checks ${report.owed.length} conditions before any kernel that relies on them runs; ` +
        `${report.proved} more hold at every length.`,
    ),
    ...report.owed.map((owed) =>
      element(
        'div',
        { class: 'owed' },
        element('b', {}, owed.condition),
        element('br'),
        link(shown, owed.node, owed.site),
        element('br'),
        owed.reason,
      ),
    ),
  ];
}

/** @param {Shown} shown @param {number} t @param {'node' | 'readers'} toward */
function tensorLine(shown, t, toward) {
  const { report } = shown,
    tensor = report.tensors[t];
  const others =
    toward === 'node'
      ? tensor.node === null
        ? []
        : [tensor.node]
      : report.nodes.flatMap((node, n) => (node.inputs.includes(t) ? [n] : []));
  const made = tensor.origin === 'node' ? '' : ` (${tensor.origin})`;
  return element(
    'li',
    {},
    element('b', {}, tensor.name),
    ` ${tensor.type}${made}${tensor.returned ? ' (returned)' : ''}`,
    ...others.flatMap((n) => [element('br'), toward === 'node' ? 'of ' : 'for ', link(shown, n, report.nodes[n].site)]),
  );
}

/** @param {Shown} shown @param {number} n */
function nodeCard(shown, n) {
  const { report } = shown,
    node = report.nodes[n];
  const taken = report.nodes.flatMap((other, i) => (other.into === n ? [i] : []));
  return [
    element(
      'p',
      {},
      element('b', {}, node.site),
      element('br'),
      node.name && node.name !== node.site ? element('span', { class: 'polynomial' }, node.name) : null,
    ),
    element(
      'p',
      {},
      element('span', { class: 'dot', of: node.fate }, node.fate),
      node.into === null ? null : ' into ',
      node.into === null ? null : link(shown, node.into, report.nodes[node.into].site),
    ),
    element('ul', {}, ...node.details.map((detail) => element('li', {}, detail))),
    node.saved ? figures(['not written', size(shown, node.saved), ' bytes']) : null,
    ...node.calls.map((c) =>
      figures(
        ['kernel', report.calls[c].kernel],
        ['bytes read', size(shown, report.calls[c].read)],
        ['bytes written', size(shown, report.calls[c].written)],
        ['operations', size(shown, report.calls[c].operations)],
      ),
    ),
    taken.length ? element('h2', {}, `Computes as well`) : null,
    taken.length
      ? element('ul', {}, ...taken.map((i) => element('li', {}, link(shown, i, report.nodes[i].site))))
      : null,
    element('h2', {}, 'Reads'),
    element('ul', {}, ...node.inputs.map((t) => tensorLine(shown, t, 'node'))),
    element('h2', {}, 'Gives'),
    element('ul', {}, ...node.outputs.map((t) => tensorLine(shown, t, 'readers'))),
  ];
}

/** What the pointer rests on. @param {Shown} shown @param {Box} box @param {number | null} row a node of its list */
function tip(shown, box, row) {
  const { report, at } = shown;
  if (box.tensor !== null) {
    const tensor = report.tensors[box.tensor];
    return [element('b', {}, tensor.name), element('p', {}, `${tensor.type}, ${box.kind}`)];
  }
  const n = row ?? box.nodes.find((i) => report.nodes[i].calls.length) ?? box.nodes[0],
    node = report.nodes[n];
  const calls = node.calls.map((c) => report.calls[c]);
  return [
    element('b', {}, node.site),
    node.name ? element('span', { class: 'polynomial' }, ` ${node.name}`) : null,
    element(
      'p',
      {},
      element('span', { class: 'dot', of: node.fate }, node.fate),
      node.into === null ? '' : ` into ${report.nodes[node.into].site}`,
      box.nodes.length > 1 && row === null ? `, with ${box.nodes.length - 1} more nodes` : '',
    ),
    ...node.inputs
      .slice(0, 6)
      .map((t) => element('p', { class: 'polynomial' }, `${report.tensors[t].name}: ${report.tensors[t].type}`)),
    ...node.outputs
      .slice(0, 4)
      .map((t) => element('p', {}, `\u2192 ${report.tensors[t].name}: ${report.tensors[t].type}`)),
    ...calls.map((c) =>
      element(
        'p',
        {},
        `${c.kernel}: ${quantity(at(c.bytes))}B (${c.bytes}), ` +
          `${quantity(at(c.operations))} operations (${c.operations})`,
      ),
    ),
    ...node.details.slice(0, 4).map((detail) => element('p', {}, detail)),
    node.details.length > 4 ? element('p', {}, `${node.details.length - 4} more reasons`) : null,
  ];
}
