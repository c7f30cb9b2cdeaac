// @ts-check
// The graph on a canvas: what is within sight is drawn, and as much of it as can be read at the scale.

/** @typedef {{ fate: Record<string, string>, ink: string, faint: string, paper: string, line: string, accent: string,
 *   found: string, heat: string }} Colours */

const readable = 0.42,
  coarse = 0.16; // scales below which texts are left out, and then outlines

class Drawing {
  /** @param {HTMLCanvasElement} canvas @param {HTMLCanvasElement} overview @param {GraphReport} report */
  constructor(canvas, overview, report) {
    this.canvas = canvas;
    this.overview = overview;
    this.report = report;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    /** @type {Layout} */ this.layout = { boxes: [], edges: [], w: 0, h: 0, boxOf: new Map() };
    this.scale = 1;
    this.x = 0; // what of the layout lies at the canvas's left and top
    this.y = 0;
    this.hovered = -1;
    this.pinned = -1;
    /** @type {Set<number>} */ this.found = new Set();
    /** @type {Map<number, number>} */ this.heat = new Map(); // of a box, 0 to 1; empty: coloured by fate
    /** @type {Colours | null} */ this.colours = null;
    this.asked = false;
  }

  /** @param {Layout} layout */
  show(layout) {
    this.layout = layout;
    this.hovered = this.pinned = -1;
    /** @type {Map<number, Edge[]>} */ this.edgesOf = new Map();
    for (const edge of layout.edges)
      for (const end of [edge.from, edge.to]) {
        if (!this.edgesOf.has(end)) this.edgesOf.set(end, []);
        this.edgesOf.get(end)?.push(edge);
      }
    /** @type {HTMLCanvasElement | null} */ this.small = null;
    this.draw();
  }

  draw() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.paint();
    });
  }

  fit() {
    const { clientWidth: w, clientHeight: h } = this.canvas,
      { layout } = this;
    this.scale = Math.min(1.2, (w - 60) / Math.max(1, layout.w), (h - 60) / Math.max(1, layout.h));
    this.centre(layout.w / 2, layout.h / 2);
  }

  /** The top of the graph, at a scale at which it is read; all of it where branches stand side by side. */
  start() {
    const { clientWidth: w, clientHeight: h } = this.canvas,
      { boxes, w: wide } = this.layout;
    if (boxes.some((box) => box.inner.length)) return this.fit();
    this.scale = Math.min(1, Math.max(0.72, (w - 60) / Math.max(1, wide)));
    const top = boxes
      .filter((box) => box.y < h / this.scale)
      .map((box) => box.x + box.w / 2)
      .sort((a, b) => a - b);
    this.centre(wide * this.scale < w ? wide / 2 : (top[top.length >> 1] ?? 0), h / 2 / this.scale - 30);
  }

  /** @param {number} x @param {number} y */
  centre(x, y) {
    this.x = x - this.canvas.clientWidth / 2 / this.scale;
    this.y = y - this.canvas.clientHeight / 2 / this.scale;
    this.draw();
  }

  /** @param {number} box */
  centreOn(box) {
    const { x, y, w, h } = this.layout.boxes[box];
    this.scale = Math.max(this.scale, 0.75);
    this.centre(x + w / 2, y + Math.min(h, this.canvas.clientHeight / this.scale) / 2);
  }

  /** @param {number} factor @param {number} atX on the canvas @param {number} atY */
  zoom(factor, atX, atY) {
    const to = Math.min(4, Math.max(0.01, this.scale * factor));
    this.x += atX / this.scale - atX / to;
    this.y += atY / this.scale - atY / to;
    this.scale = to;
    this.draw();
  }

  /** The innermost box at a place of the canvas, or -1. @param {number} px @param {number} py */
  at(px, py) {
    const x = this.x + px / this.scale,
      y = this.y + py / this.scale,
      { boxes } = this.layout;
    for (let i = boxes.length - 1; i >= 0; --i) {
      const b = boxes[i];
      if (x < b.x || x > b.x + b.w || y < b.y || y > b.y + b.h) continue;
      if (b.inner.some((f) => x > f.x && x < f.x + f.w && y > f.y && y < f.y + f.h)) continue;
      return i;
    }
    return -1;
  }

  /** The node of a box's list at a place of the canvas, or null. @param {number} box @param {number} py */
  nodeAt(box, py) {
    const b = this.layout.boxes[box];
    const row = Math.floor((this.y + py / this.scale - b.y - 5) / line) - 1 - Number(b.note !== '');
    return row >= 0 && row < b.lines.length && this.scale >= readable ? b.nodes[row] : null;
  }

  /** @returns {Colours} */
  read() {
    const style = getComputedStyle(document.documentElement),
      of = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    const fate = Object.fromEntries([...fates, 'input', 'output'].map((name) => [name, of(`--${name}`)]));
    return {
      fate,
      ink: of('--ink'),
      faint: of('--faint'),
      paper: of('--paper'),
      line: of('--line'),
      accent: of('--accent'),
      found: of('--found'),
      heat: of('--heat'),
    };
  }

  paint() {
    const { canvas, context: c, layout, scale } = this;
    const colours = (this.colours ??= this.read()),
      ratio = window.devicePixelRatio || 1;
    const w = canvas.clientWidth,
      h = canvas.clientHeight;
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(h * ratio);
    }
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.fillStyle = colours.paper;
    c.fillRect(0, 0, w, h);
    c.setTransform(ratio * scale, 0, 0, ratio * scale, -this.x * scale * ratio, -this.y * scale * ratio);
    const sight = { left: this.x, top: this.y, right: this.x + w / scale, bottom: this.y + h / scale };
    const near = this.neighbours();

    const seen = (/** @type {Box} */ b) =>
      b.x < sight.right && b.x + b.w > sight.left && b.y < sight.bottom && b.y + b.h > sight.top;
    layout.boxes.forEach((box, i) => {
      if (box.inner.length && seen(box)) this.frame(c, box, i, colours, near);
    });
    c.lineWidth = Math.max(1.2, 0.6 / scale);
    const path = (/** @type {Iterable<Edge>} */ edges) => {
      c.beginPath();
      for (const { points: p } of edges) {
        const left = Math.min(p[0], p[p.length - 2]) - 400,
          right = Math.max(p[0], p[p.length - 2]) + 400;
        if (p[1] > sight.bottom || p[p.length - 1] < sight.top || left > sight.right || right < sight.left) continue;
        this.curve(c, p);
      }
      c.stroke();
    };
    c.strokeStyle = colours.line;
    c.globalAlpha = near ? 0.35 : 1;
    path(layout.edges);
    c.globalAlpha = 1;
    const chosen = this.pinned >= 0 ? this.pinned : this.hovered;
    if (chosen >= 0) {
      c.strokeStyle = colours.accent;
      c.lineWidth = Math.max(1.8, 1.4 / scale);
      path(this.edgesOf?.get(chosen) ?? []);
    }
    layout.boxes.forEach((box, i) => {
      if (!box.inner.length && seen(box)) this.box(c, box, i, colours, near);
    });
    this.paintOverview(colours, sight);
  }

  /** What stays bright beside the pinned box. */
  neighbours() {
    if (this.pinned < 0) return null;
    return new Set([this.pinned, ...(this.edgesOf?.get(this.pinned) ?? []).flatMap((e) => [e.from, e.to])]);
  }

  /** @param {CanvasRenderingContext2D} c @param {number[]} p */
  curve(c, p) {
    c.moveTo(p[0], p[1]);
    for (let i = 2; i < p.length; i += 2) {
      const half = (p[i + 1] - p[i - 1]) / 2;
      if (p[i] === p[i - 2]) c.lineTo(p[i], p[i + 1]);
      else c.bezierCurveTo(p[i - 2], p[i - 1] + half, p[i], p[i + 1] - half, p[i], p[i + 1]);
    }
    if (this.scale < readable) return;
    const x = p[p.length - 2],
      y = p[p.length - 1];
    c.moveTo(x - 3.5, y - 6);
    c.lineTo(x, y);
    c.lineTo(x + 3.5, y - 6);
  }

  /** @param {CanvasRenderingContext2D} c @param {Box} box @param {number} i @param {Colours} colours
   * @param {Set<number> | null} near */
  frame(c, box, i, colours, near) {
    c.fillStyle = colours.fate[box.kind];
    c.globalAlpha = 0.07;
    c.fillRect(box.x, box.y, box.w, box.h);
    c.globalAlpha = 1;
    c.strokeStyle = i === this.pinned || i === this.hovered ? colours.accent : colours.fate[box.kind];
    c.lineWidth = Math.max(1, 1 / this.scale);
    c.strokeRect(box.x, box.y, box.w, box.h);
    for (const f of box.inner) {
      c.strokeStyle = colours.line;
      c.strokeRect(f.x, f.y, f.w, f.h);
      c.fillStyle = colours.faint;
      const font = Math.min(120, Math.max(12, 13 / this.scale));
      c.font = `${font}px system-ui, sans-serif`;
      c.fillText(f.title, f.x + 8, f.y + font + 2, f.w - 16);
    }
    this.texts(c, box, i, colours, near);
  }

  /** @param {CanvasRenderingContext2D} c @param {Box} box @param {number} i @param {Colours} colours
   * @param {Set<number> | null} near */
  box(c, box, i, colours, near) {
    const { scale } = this,
      heat = this.heat.get(i),
      fate = colours.fate[box.kind] ?? colours.faint;
    c.globalAlpha = near && !near.has(i) ? 0.35 : 1;
    if (scale < coarse) {
      c.fillStyle = this.heat.size ? colours.heat : fate;
      if (this.heat.size) c.globalAlpha *= 0.12 + 0.88 * (heat ?? 0);
      c.fillRect(box.x, box.y, box.w, box.h);
    } else {
      const round = box.tensor !== null ? Math.min(14, box.h / 2) : box.lines.length ? 5 : 4;
      c.beginPath();
      c.roundRect(box.x, box.y, box.w, box.h, round);
      c.fillStyle = colours.paper;
      c.fill();
      const alpha = c.globalAlpha;
      c.globalAlpha =
        alpha *
        (this.heat.size ? 0.06 + 0.74 * (heat ?? 0) : ['aliased', 'folded', 'unread'].includes(box.kind) ? 0.1 : 0.22);
      c.fillStyle = this.heat.size ? colours.heat : fate;
      c.fill();
      c.globalAlpha = alpha;
      c.strokeStyle = this.heat.size ? colours.line : fate;
      c.lineWidth = 1.2;
      c.setLineDash(['folded', 'unread'].includes(box.kind) ? [4, 3] : []);
      c.stroke();
      c.setLineDash([]);
      if (scale >= readable) this.texts(c, box, i, colours, near);
    }
    const mark = i === this.pinned || i === this.hovered ? colours.accent : this.found.has(i) ? colours.found : null;
    if (mark) {
      c.globalAlpha = 1;
      c.strokeStyle = mark;
      c.lineWidth = Math.max(2.5, 2 / scale);
      c.strokeRect(box.x - 2, box.y - 2, box.w + 4, box.h + 4);
    }
    c.globalAlpha = 1;
  }

  /** @param {CanvasRenderingContext2D} c @param {Box} box @param {number} i @param {Colours} colours
   * @param {Set<number> | null} near */
  texts(c, box, i, colours, near) {
    if (this.scale < readable && !box.inner.length) return;
    let y = box.y + 5 + 11;
    c.fillStyle = colours.ink;
    c.font = '600 12px system-ui, sans-serif';
    c.fillText(box.title, box.x + 10, y, box.w - 20);
    y += line;
    c.font = '11px system-ui, sans-serif';
    if (box.note) {
      c.fillStyle = colours.faint;
      c.fillText(box.note, box.x + 10, y, box.w - 20);
      y += line;
    }
    box.lines.forEach((text, k) => {
      c.fillStyle = colours.fate[this.report.nodes[box.nodes[k]].fate];
      c.fillRect(box.x + 9, y - 8, 4, 8);
      c.fillStyle = colours.ink;
      c.fillText(text, box.x + 18, y, box.w - 26);
      y += line;
    });
  }

  /** @param {Colours} colours @param {{ left: number, top: number, right: number, bottom: number }} sight */
  paintOverview(colours, sight) {
    const { overview, layout } = this,
      c = /** @type {CanvasRenderingContext2D} */ (overview.getContext('2d'));
    const scale = this.overviewScale(),
      w = Math.max(1, Math.ceil(layout.w * scale)),
      h = Math.max(1, Math.ceil(layout.h * scale));
    if (!this.small) {
      overview.width = w;
      overview.height = h;
      this.small = document.createElement('canvas');
      this.small.width = w;
      this.small.height = h;
      const s = /** @type {CanvasRenderingContext2D} */ (this.small.getContext('2d'));
      for (const box of layout.boxes) {
        s.globalAlpha = box.inner.length ? 0.1 : 0.8;
        s.fillStyle = colours.fate[box.kind] ?? colours.faint;
        s.fillRect(box.x * scale, box.y * scale, Math.max(1, box.w * scale), Math.max(1, box.h * scale));
      }
    }
    c.clearRect(0, 0, w, h);
    c.drawImage(this.small, 0, 0);
    c.fillStyle = colours.found;
    for (const i of this.found) {
      const b = layout.boxes[i];
      c.fillRect(b.x * scale - 1, b.y * scale - 1, Math.max(3, b.w * scale), Math.max(3, b.h * scale));
    }
    c.strokeStyle = colours.accent;
    c.lineWidth = 1.5;
    c.strokeRect(
      sight.left * scale,
      sight.top * scale,
      (sight.right - sight.left) * scale,
      (sight.bottom - sight.top) * scale,
    );
  }

  overviewScale() {
    return Math.min(170 / Math.max(1, this.layout.w), 260 / Math.max(1, this.layout.h));
  }
}
