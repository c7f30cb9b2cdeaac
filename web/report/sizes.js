// @ts-check
// The report as the page reads it, and its sizes as numbers where lengths are given.

/** A polynomial: [constant, [coefficient, symbol, ...], ...].
 * @typedef {[number, ...number[][]]} Terms */
/** @typedef {{ name?: string, from?: number, to?: number, computed?: boolean, typical?: number,
 *   op?: string, a?: Terms, b?: Terms, c?: Terms }} LengthSymbol */
/** @typedef {{ name: string, site: string, op: string, fate: string, into: number | null, saved: string,
 *   details: string[], block: number, inputs: number[], outputs: number[], calls: number[] }} ReportNode */
/** @typedef {{ name: string, type: string, origin: string, node: number | null, returned: boolean }} Tensor */
/** @typedef {{ kernel: string, site: string, node: number | null, bytes: string, read: string, written: string,
 *   operations: string }} Call */
/** @typedef {{ arena: number, slot: number, offset: string, bytes: string, tensors: string[], from: string, to: string,
 *   first: number, last: number }} Buffer_ */
/** @typedef {{ module: string, saved: string, proved: number, kernels: Record<string, number>,
 *   weights: { count: number, bytes: string }, prepared: { count: number, bytes: string },
 *   totals: { where: string, calls: number, bytes: string, written: string, operations: string }[],
 *   owed: { condition: string, site: string, reason: string, node: number | null }[],
 *   blocks: { name: string, node: number | null }[], nodes: ReportNode[], tensors: Tensor[], calls: Call[],
 *   arenas: { number: number, slots: string[][] }[], buffers: Buffer_[],
 *   symbols: Record<string, LengthSymbol>, sizes: Record<string, Terms> }} GraphReport */

const fates = ['computed', 'fused', 'prepared', 'aliased', 'folded', 'unread'];

/** @type {Record<string, (a: number, b: number, c: number) => number>} */
const derivations = {
  min: (a, b) => Math.min(a, b),
  max: (a, b) => Math.max(a, b),
  floor_div: (a, b) => Math.floor(a / b),
  ceil_div: (a, b) => Math.ceil(a / b),
  truncated_div: (a, b) => Math.trunc(a / b),
  floor_mod: (a, b) => a - b * Math.floor(a / b),
  from_end: (a, b) => (a >= 0 ? a : a + b),
  wrap32: (a) => Number(BigInt.asIntN(32, BigInt(Math.trunc(a)))),
  half: () => NaN, // a page has no float16 to round to everywhere
  select: (a, b, c) => (a !== 0 ? b : c),
  ge: (a) => Number(a >= 0),
  eq: (a) => Number(a === 0),
};

/** Gives a size by its text; NaN where the page does not know it.
 * @param {GraphReport} report
 * @param {Map<string, number>} lengths by symbol number
 * @returns {(text: string) => number} */
function sizesAt(report, lengths) {
  /** @type {Map<number, number>} */
  const values = new Map();
  /** @param {Terms | undefined} terms @returns {number} */
  const value = (terms) => {
    if (!terms) return 0;
    const [constant, ...products] = terms;
    return products.reduce((sum, [factor, ...ids]) => sum + ids.reduce((n, id) => n * symbol(id), factor), constant);
  };
  /** @param {number} id @returns {number} */
  const symbol = (id) => {
    const known = values.get(id);
    if (known !== undefined) return known;
    const { op, a, b, c, typical } = report.symbols[id];
    const n =
      op === undefined ? (lengths.get(String(id)) ?? typical ?? NaN) : derivations[op](value(a), value(b), value(c));
    values.set(id, n);
    return n;
  };
  return (text) => (Object.hasOwn(report.sizes, text) ? value(report.sizes[text]) : NaN);
}

/** Three digits and a unit: 1.23 M. @param {number} n */
function quantity(n) {
  if (!Number.isFinite(n)) return '-';
  const units = ['', ' k', ' M', ' G', ' T', ' P', ' E'];
  let unit = 0;
  for (; Math.abs(n) >= 999.5 && unit + 1 < units.length; ++unit) n /= 1000;
  return (unit === 0 ? String(Math.round(n * 100) / 100) : n.toPrecision(3)) + units[unit];
}
