// @ts-check
// The buffers: where each lies while it lives.

const names = (/** @type {Buffer_} */ buffer) => buffer.tensors.join(' then ');
const life = (/** @type {Buffer_} */ buffer) => `from ${buffer.from} to ${buffer.to}`;

/** The arenas one above another over the calls in their order. @param {Shown} shown */
function memory(shown) {
  const { report, at } = shown,
    last = Math.max(1, report.calls.length);
  /** @type {Map<string, number>} */ const bases = new Map();
  let total = 0;
  for (const { number, slots } of report.arenas)
    slots.forEach((slot, i) => {
      bases.set(`${number} ${i}`, total);
      total += Math.max(0, ...slot.map(at).filter(Number.isFinite));
    });
  const pieces = report.buffers.map((buffer) => ({
    buffer,
    from: (bases.get(`${buffer.arena} ${buffer.slot}`) ?? 0) + (at(buffer.offset) || 0),
    bytes: at(buffer.bytes) || 0,
  }));
  const live = report.calls.map((_, i) =>
    pieces.reduce((sum, { buffer, bytes }) => (buffer.first <= i && i <= buffer.last ? sum + bytes : sum), 0),
  );
  const canvas = /** @type {HTMLCanvasElement} */ (
    element('canvas', { id: 'memory', 'aria-label': 'Buffers over the calls' })
  );
  const said = element(
    'p',
    { class: 'polynomial' },
    'Each buffer is drawn from the call that first writes it to the last that reads it, at its place in memory; ' +
      'the line is what lives at once.',
  );
  const place = (/** @type {MouseEvent} */ event) => {
    const box = canvas.getBoundingClientRect();
    const call = Math.floor(((event.clientX - box.left) / box.width) * last),
      byte = (1 - (event.clientY - box.top) / box.height) * total;
    return pieces.find(
      ({ buffer, from, bytes }) => buffer.first <= call && call <= buffer.last && from <= byte && byte < from + bytes,
    );
  };
  canvas.addEventListener('mousemove', (event) => {
    const found = place(event);
    if (found)
      said.textContent = `${names(found.buffer)}: ${quantity(found.bytes)}B (${found.buffer.bytes}), ${life(found.buffer)}`;
  });
  canvas.addEventListener('click', (event) => {
    const node = report.calls[place(event)?.buffer.first ?? -1]?.node;
    if (node !== null && node !== undefined) shown.select(node);
  });
  requestAnimationFrame(() => {
    const ratio = window.devicePixelRatio || 1,
      w = (canvas.width = canvas.clientWidth * ratio),
      h = (canvas.height = canvas.clientHeight * ratio);
    const c = canvas.getContext('2d'),
      style = getComputedStyle(document.documentElement);
    if (!c || !total) return;
    pieces.forEach(({ buffer, from, bytes }, i) => {
      c.fillStyle = style.getPropertyValue(['--computed', '--prepared', '--fused', '--aliased'][i % 4]);
      c.globalAlpha = 0.65;
      const width = Math.max(1.5, ((buffer.last + 1 - buffer.first) / last) * w - 0.5 * ratio);
      c.fillRect(
        (buffer.first / last) * w,
        h - ((from + bytes) / total) * h,
        width,
        Math.max(1, (bytes / total) * h - 0.5 * ratio),
      );
    });
    c.globalAlpha = 1;
    c.strokeStyle = style.getPropertyValue('--accent');
    c.lineWidth = 1.5 * ratio;
    c.beginPath();
    live.forEach((bytes, i) => {
      for (const x of [i, i + 1]) c.lineTo((x / last) * w, h - (bytes / total) * h);
    });
    c.stroke();
  });
  return [
    figures(['reserved', `${quantity(total)}B`], ['live at once', `at most ${quantity(Math.max(0, ...live))}B`]),
    canvas,
    said,
    element(
      'table',
      {},
      element('tr', {}, ...['for', 'bytes', 'calls', 'arena'].map((text) => element('th', {}, text))),
      ...pieces.map(({ buffer, bytes }) =>
        element(
          'tr',
          {
            'data-node': report.calls[buffer.first]?.node ?? null,
            title: `${names(buffer)}\n${buffer.bytes} bytes\nslot ${buffer.slot}, at ${buffer.offset}\n${life(buffer)}`,
            onclick: () => {
              const node = report.calls[buffer.first]?.node;
              if (typeof node === 'number') shown.select(node);
            },
          },
          element('td', {}, names(buffer)),
          element('td', {}, quantity(bytes)),
          element('td', {}, `${buffer.first} - ${buffer.last}`),
          element('td', {}, `${buffer.arena}.${buffer.slot}`),
        ),
      ),
    ),
  ];
}
