// As much of a document as the report's page uses: elements that remember what they are told, a canvas that draws
// nothing.

class Element {
  constructor(tag) {
    Object.assign(this, { tag, children: [], attributes: {}, listeners: {}, value: '', hidden: false });
    this.style = { setProperty() {}, getPropertyValue: () => '#000' };
    const classes = new Set();
    this.classList = { add: (c) => classes.add(c), remove: (c) => classes.delete(c), toggle: () => {} };
    Object.assign(this, { clientWidth: 1000, clientHeight: 700, offsetWidth: 200, offsetHeight: 100 });
  }
  append(...children) {
    this.children.push(...children);
  }
  replaceChildren(...children) {
    this.children = children;
  }
  setAttribute(name, value) {
    this.attributes[name] = value;
  }
  addEventListener(name, listener) {
    (this.listeners[name] ??= []).push(listener);
  }
  setPointerCapture() {}
  focus() {}
  getBoundingClientRect() {
    return { left: 0, top: 0, width: this.clientWidth, height: this.clientHeight };
  }
  getContext() {
    return new Proxy(
      {},
      {
        get: (target, name) =>
          target[name] ?? (name === 'measureText' ? (text) => ({ width: 6.5 * text.length }) : () => {}),
        set: (target, name, value) => {
          target[name] = value;
          return true;
        },
      },
    );
  }
  get textContent() {
    return this.children.map((child) => (typeof child === 'string' ? child : child.textContent)).join('');
  }
  set textContent(text) {
    this.children = [text];
  }
  all(tag) {
    return this.children
      .filter((c) => c instanceof Element)
      .flatMap((c) => [...(c.tag === tag ? [c] : []), ...c.all(tag)]);
  }
  fire(name, event = {}) {
    for (const listener of this.listeners[name] ?? [])
      listener({ target: this, preventDefault() {}, pointerId: 1, ...event });
  }
}

// The globals of a page whose data is given.
export function page(data) {
  const elements = new Map([['report', new Element('script')]]);
  elements.get('report').textContent = data;
  const document = new Element('document');
  Object.assign(document, {
    documentElement: new Element('html'),
    createElement: (tag) => new Element(tag),
    getElementById: (id) => {
      if (!elements.has(id)) elements.set(id, new Element(id));
      return elements.get(id);
    },
  });
  const frames = [];
  const window = { devicePixelRatio: 2, addEventListener() {}, matchMedia: () => ({ addEventListener() {} }) };
  return {
    document,
    window,
    HTMLInputElement: class {},
    HTMLSelectElement: class {},
    getComputedStyle: (element) => element.style,
    requestAnimationFrame: (draw) => frames.push(draw),
    frames,
  };
}
