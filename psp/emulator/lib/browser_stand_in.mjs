// The little of a web page that the core's generated code touches, so that it runs under plain Node: a canvas that is
// never drawn on, threads on node:worker_threads, and a frame callback that the run loop drives.
import { Worker as NodeWorker } from 'node:worker_threads';
import { performance } from 'node:perf_hooks';

const nothing = () => undefined;

/** An object with the given members on which every other method exists and does nothing. */
function inert(members = {}) {
  return new Proxy(members, {
    get(target, key) {
      if (key in target) return target[key];
      // Handlers are looked at to see whether they are set, and "then" to see whether this is a promise.
      if (typeof key === 'symbol' || key === 'then' || key.startsWith('on')) return undefined;
      return nothing;
    },
  });
}

function makeElement(size) {
  const rectangle = { left: 0, top: 0, x: 0, y: 0, right: size.width, bottom: size.height, ...size };
  return inert({
    id: 'canvas', style: inert(), classList: inert(), parentNode: null, ...size,
    clientWidth: size.width, clientHeight: size.height, getContext: () => null, getBoundingClientRect: () => rectangle,
  });
}

/** A web worker of the core's script on a Node thread. */
function makeWorkerClass(scriptPath, onThreadError) {
  return class {
    #thread = new NodeWorker(new URL('./core_thread.cjs', import.meta.url), { workerData: { scriptPath } });
    constructor() {
      this.#thread.on('message', (data) => this.onmessage?.({ data }));
      this.#thread.on('error', (error) => onThreadError(error));
    }
    postMessage(message, transfer) { this.#thread.postMessage(message, transfer); }
    terminate() { this.#thread.terminate(); }
  };
}

/**
 * Puts the stand-in into the global object. `onFrame()` is called after each frame of the core's run loop; `size` is
 * the screen's. Returns the canvas and body to hand to the core.
 */
export function installBrowser({ scriptPath, size, onFrame, onThreadError }) {
  const canvas = makeElement(size);
  const observer = class { observe() {} unobserve() {} disconnect() {} };
  const page = {
    document: inert({
      currentScript: { src: `file://${scriptPath}` }, body: makeElement(size), documentElement: makeElement(size),
      head: makeElement(size), visibilityState: 'visible', hidden: false, baseURI: 'file:///', fullscreenElement: null,
      pointerLockElement: null, getElementById: () => canvas, querySelector: () => canvas, querySelectorAll: () => [],
      createElement: () => makeElement(size),
    }),
    location: { href: 'http://localhost/', protocol: 'http:', host: 'localhost', hostname: 'localhost',
      origin: 'http://localhost', pathname: '/', search: '', hash: '', port: '' },
    screen: { ...size, orientation: inert() },
    devicePixelRatio: 1, innerWidth: size.width, innerHeight: size.height,
    Worker: makeWorkerClass(scriptPath, onThreadError),
    ResizeObserver: observer, MutationObserver: observer,
    addEventListener: nothing, removeEventListener: nothing, matchMedia: () => inert({ matches: false }),
    // A timer and not setImmediate: the core's threads need the turn of the event loop that a timer gives them.
    requestAnimationFrame: (frame) => setTimeout(() => { frame(performance.now()); onFrame(); }, 0),
    cancelAnimationFrame: clearTimeout,
  };
  Object.assign(globalThis, page);
  globalThis.window = globalThis.self = globalThis;
  Object.defineProperty(globalThis, 'navigator', {
    configurable: true,
    value: { hardwareConcurrency: 2, userAgent: 'node', platform: 'node', language: 'en-US', languages: ['en-US'],
      getGamepads: () => [] },
  });
  return { canvas, body: page.document.body };
}
