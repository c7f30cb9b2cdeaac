// @ts-check
// The page: what is asked for, and what it shows then.

/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);

function main() {
  /** @type {GraphReport} */
  const report = JSON.parse(byId('report').textContent);
  const canvas = /** @type {HTMLCanvasElement} */ (byId('graph')),
    search = /** @type {HTMLInputElement} */ (byId('search'));
  const drawing = new Drawing(canvas, byId('overview'), report);
  const measure = /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'));
  measure.font = '12px system-ui, sans-serif';
  const widthOf = (/** @type {string} */ text) => measure.measureText(text).width;

  // What the build knows or drops is drawn where it is asked for: it is most of an exported graph, and none of the run.
  const fateShown = new Set(fates.filter((fate) => fate !== 'folded' && fate !== 'unread'));
  if (!report.nodes.some((node) => fateShown.has(node.fate))) fates.forEach((fate) => fateShown.add(fate));
  let tab = 'Summary',
    chosen = -1,
    colour = 'fate',
    place = -1;
  /** @type {number[]} */ let matches = [];
  /** @type {Map<string, number>} */ const lengths = new Map();
  /** @type {Shown} */ const shown = { report, lengths, at: sizesAt(report, lengths), select, changed };

  // What is searched of a node: its name, its operator, its kernels, the tensors it gives and their axes.
  const words = report.nodes.map((node) =>
    [
      node.name,
      node.site,
      node.op,
      node.fate,
      ...node.calls.map((c) => report.calls[c].kernel),
      ...node.outputs.map((t) => report.tensors[t].type),
    ]
      .join(' ')
      .toLowerCase(),
  );

  function relayout() {
    const before = drawing.layout.boxes.length;
    drawing.show(layout(report, fateShown, widthOf));
    find();
    heat();
    if (!before) drawing.start();
  }

  function heat() {
    drawing.heat = new Map();
    if (colour !== 'fate') {
      const most = Math.max(
        ...report.calls
          .map((call) => shown.at(colour === 'bytes' ? call.bytes : call.operations))
          .filter(Number.isFinite),
        1,
      );
      drawing.layout.boxes.forEach((box, i) => {
        const sum = box.nodes
          .flatMap((n) => report.nodes[n].calls)
          .reduce(
            (n, c) => n + (shown.at(colour === 'bytes' ? report.calls[c].bytes : report.calls[c].operations) || 0),
            0,
          );
        drawing.heat.set(i, Math.sqrt(Math.min(1, sum / most)));
      });
    }
    drawing.draw();
  }

  function find() {
    const asked = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    matches = asked.length ? words.flatMap((text, n) => (asked.every((word) => text.includes(word)) ? [n] : [])) : [];
    const hidden = matches.filter((n) => !fateShown.has(report.nodes[n].fate)).length;
    byId('hits').textContent = asked.length ? `${matches.length} found${hidden ? `, ${hidden} not drawn` : ''}` : '';
    drawing.found = new Set(matches.flatMap((n) => drawing.layout.boxOf.get(n) ?? []));
    place = -1;
    drawing.draw();
  }

  function next(/** @type {number} */ by) {
    if (!matches.length) return;
    place = (place + by + matches.length) % matches.length;
    select(matches[place]);
  }

  function select(/** @type {number} */ node) {
    chosen = node;
    tab = 'Node';
    const { fate } = report.nodes[node];
    if (!fateShown.has(fate)) {
      fateShown.add(fate);
      legend();
      relayout();
    }
    drawing.pinned = drawing.layout.boxOf.get(node) ?? -1;
    if (drawing.pinned >= 0) drawing.centreOn(drawing.pinned);
    panel();
  }

  function changed() {
    shown.at = sizesAt(report, lengths);
    heat();
    panel();
  }

  function panel() {
    const tabs = {
      Summary: summary,
      Kernels: kernels,
      Memory: memory,
      Checks: checks,
      Node: (/** @type {Shown} */ s) =>
        chosen < 0 ? [element('p', {}, 'Click a node of the graph.')] : nodeCard(s, chosen),
    };
    byId('tabs').replaceChildren(
      ...Object.keys(tabs).map((name) =>
        element(
          'button',
          {
            role: 'tab',
            'aria-selected': name === tab,
            onclick: () => {
              tab = name;
              panel();
            },
          },
          name,
        ),
      ),
    );
    byId('panel').replaceChildren(...tabs[/** @type {'Summary'} */ (tab)](shown).filter((child) => child !== null));
  }

  function legend() {
    byId('legend').replaceChildren(
      ...fates.flatMap((fate) => {
        const n = report.nodes.filter((node) => node.fate === fate).length;
        return n
          ? [
              element(
                'button',
                {
                  class: 'fate',
                  of: fate,
                  'aria-pressed': fateShown.has(fate),
                  onclick: () => {
                    if (!fateShown.delete(fate)) fateShown.add(fate);
                    legend();
                    relayout();
                  },
                },
                `${n} ${fate}`,
              ),
            ]
          : [];
      }),
    );
  }

  function clear() {
    search.value = '';
    drawing.pinned = drawing.hovered = chosen = -1;
    byId('tip').hidden = true;
    if (tab === 'Node') tab = 'Summary';
    canvas.focus();
    find();
    panel();
  }

  const onCanvas = (/** @type {MouseEvent} */ event) => {
    const box = canvas.getBoundingClientRect();
    return /** @type {[number, number]} */ ([event.clientX - box.left, event.clientY - box.top]);
  };
  /** @type {{ x: number, y: number, moved: boolean } | null} */ let drag = null;
  canvas.addEventListener('pointerdown', (event) => {
    drag = { x: event.clientX, y: event.clientY, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    const [x, y] = onCanvas(event),
      tipBox = byId('tip');
    if (drag) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 3) drag.moved = true;
      if (!drag.moved) return;
      canvas.classList.add('dragged');
      tipBox.hidden = true;
      drawing.x -= (event.clientX - drag.x) / drawing.scale;
      drawing.y -= (event.clientY - drag.y) / drawing.scale;
      Object.assign(drag, { x: event.clientX, y: event.clientY });
      drawing.draw();
      return;
    }
    const box = drawing.at(x, y);
    if (box !== drawing.hovered) {
      drawing.hovered = box;
      drawing.draw();
    }
    tipBox.hidden = box < 0;
    if (box < 0) return;
    tipBox.replaceChildren(
      ...tip(shown, drawing.layout.boxes[box], drawing.nodeAt(box, y)).filter((child) => child !== null),
    );
    const w = canvas.clientWidth,
      h = canvas.clientHeight;
    tipBox.style.left = `${Math.max(4, x + 18 + tipBox.offsetWidth < w ? x + 18 : x - tipBox.offsetWidth - 12)}px`;
    tipBox.style.top = `${Math.max(4, Math.min(y + 14, h - tipBox.offsetHeight - 8))}px`;
  });
  canvas.addEventListener('pointerup', (event) => {
    const moved = drag?.moved;
    drag = null;
    canvas.classList.remove('dragged');
    if (moved) return;
    const [x, y] = onCanvas(event),
      box = drawing.at(x, y);
    drawing.pinned = box === drawing.pinned ? -1 : box;
    const nodes = box < 0 ? [] : drawing.layout.boxes[box].nodes;
    chosen =
      drawing.pinned < 0 || !nodes.length
        ? -1
        : (drawing.nodeAt(box, y) ?? nodes.find((n) => report.nodes[n].calls.length) ?? nodes[0]);
    tab = chosen >= 0 ? 'Node' : tab === 'Node' ? 'Summary' : tab;
    panel();
    drawing.draw();
  });
  canvas.addEventListener('pointerleave', () => {
    drawing.hovered = -1;
    byId('tip').hidden = true;
    drawing.draw();
  });
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      drawing.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...onCanvas(event));
    },
    { passive: false },
  );
  const jump = (/** @type {PointerEvent} */ event) => {
    if (!event.buttons) return;
    const box = byId('overview').getBoundingClientRect(),
      scale = drawing.overviewScale();
    drawing.centre((event.clientX - box.left) / scale, (event.clientY - box.top) / scale);
  };
  byId('overview').addEventListener('pointerdown', jump);
  byId('overview').addEventListener('pointermove', jump);
  search.addEventListener('input', find);
  byId('colour').addEventListener('change', (/** @type {any} */ event) => {
    colour = event.target.value;
    heat();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') return clear();
    if (event.target === search) {
      if (event.key === 'Enter') next(event.shiftKey ? -1 : 1);
      return;
    }
    if (
      event.target instanceof HTMLInputElement ||
      event.target instanceof HTMLSelectElement ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey
    )
      return;
    const w = canvas.clientWidth,
      h = canvas.clientHeight,
      step = 120 / drawing.scale;
    /** @type {Record<string, () => void>} */ const keys = {
      '/': () => search.focus(),
      Enter: () => next(1),
      0: () => drawing.fit(),
      '+': () => drawing.zoom(1.25, w / 2, h / 2),
      '=': () => drawing.zoom(1.25, w / 2, h / 2),
      '-': () => drawing.zoom(0.8, w / 2, h / 2),
      ArrowUp: () => {
        drawing.y -= step;
      },
      ArrowDown: () => {
        drawing.y += step;
      },
      ArrowLeft: () => {
        drawing.x -= step;
      },
      ArrowRight: () => {
        drawing.x += step;
      },
    };
    if (!Object.hasOwn(keys, event.key) || (event.key === 'Enter' && event.target !== canvas)) return;
    event.preventDefault();
    keys[event.key]();
    drawing.draw();
  });
  window.addEventListener('resize', () => drawing.draw());
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    drawing.colours = drawing.small = null;
    drawing.draw();
    panel();
  });

  byId('counts').textContent = `${report.nodes.length} nodes, ${report.calls.length} kernel calls`;
  legend();
  panel();
  relayout();
}

main();
