import { EventEmitter } from 'node:events';
import { preventable, test } from './around.ts';
import type { MadeWindow } from './launch-options.ts';

type OpenHandler = (details: { url: string }) => { action: 'allow' | 'deny' };

/** Listeners for new contents that can show pages. */
const onMade: ((contents: WebContents) => void)[] = [];

/** Calls a listener for all contents that are created. */
export const onContentsMade = (hear: (contents: WebContents) => void): void => void onMade.push(hear);

/** The parts of `webContents` that the shell uses; the page itself is in the test's browser. */
export class WebContents extends EventEmitter {
  readonly #id: number;
  openHandler: OpenHandler = () => ({ action: 'allow' });
  #url = '';
  #zoomLevel = 0;
  #isCrashed = false;

  constructor(id: number) {
    super();
    this.#id = id;
    this.on('render-process-gone', () => {
      this.#isCrashed = true;
    });
    this.on('did-finish-load', () => {
      this.#isCrashed = false;
    });
    for (const hear of onMade) hear(this);
  }

  setWindowOpenHandler(handler: OpenHandler): void {
    this.openHandler = handler;
  }

  async loadURL(url: string): Promise<void> {
    this.#url = url;
    await test.ask('load', this.#id, url);
  }

  getURL(): string {
    return this.#url;
  }

  reload(): void {
    test.tell('reload', this.#id);
  }

  isCrashed(): boolean {
    return this.#isCrashed;
  }

  forcefullyCrashRenderer(): void {
    test.tell('crash', this.#id);
  }

  send(channel: string, ...args: unknown[]): void {
    test.tell('send', this.#id, channel, args);
  }

  getZoomLevel(): number {
    return this.#zoomLevel;
  }

  setZoomLevel(level: number): void {
    this.#zoomLevel = level;
  }
}

/** Electron's own delays (lib/browser/api/browser-window.ts). */
const UNRESPONSIVE_AFTER_MS = 50;
const UNRESPONSIVE_AFTER_CLOSE_MS = 5_000;

const windows = new Map<number, BrowserWindow>();
let lastClosed = (): void => undefined;

/** The open windows. */
export const allWindows = (): BrowserWindow[] => [...windows.values()];

/** Sets the listener for the moment when no window is left. */
export const onLastWindowClosed = (hear: () => void): void => {
  lastClosed = hear;
};

let lastId = 0;
let areAllowed = false;

/** Allows windows. Before Chromium is ready, a window is an error. */
export const allowWindows = (): void => {
  areAllowed = true;
};

/** The parts of `BrowserWindow` that the shell uses. */
export class BrowserWindow extends EventEmitter {
  readonly id: number;
  readonly webContents: WebContents;
  #isDestroyed = false;
  #unresponsive: NodeJS.Timeout | undefined;
  #state = { isVisible: false, isMinimized: false, isMaximized: false, isFocused: false };
  #bounds: { x: number; y: number; width: number; height: number };

  constructor(options: MadeWindow['options']) {
    super();
    if (!areAllowed) throw new Error('Cannot create BrowserWindow before app is ready');
    lastId += 1;
    this.id = lastId;
    const { x = 0, y = 0, width = 800, height = 600 } = options as Record<string, number | undefined>;
    this.#bounds = { x, y, width, height };
    windows.set(this.id, this);
    this.webContents = new WebContents(this.id);
    this.webContents.on('unresponsive', () => this.#reportUnresponsive(UNRESPONSIVE_AFTER_MS));
    // Structured clone, as between processes: functions in options would be an error.
    test.tell('window', { id: this.id, options } satisfies MadeWindow);
  }

  #change(state: Partial<typeof this.state>): void {
    this.#state = { ...this.#state, ...state };
    test.tell('state', this.id, this.#state);
  }

  /** One report at a time. Refusing to close doesn't cancel it. */
  #reportUnresponsive(afterMs: number): void {
    this.#unresponsive ??= setTimeout(() => {
      this.#unresponsive = undefined;
      if (!this.#isDestroyed) this.emit('unresponsive');
    }, afterMs);
  }

  get state() {
    return this.#state;
  }

  show(): void {
    this.#change({ isVisible: true });
  }

  hide(): void {
    this.#change({ isVisible: false, isFocused: false });
  }

  focus(): void {
    this.#change({ isFocused: true });
  }

  minimize(): void {
    this.#change({ isMinimized: true, isFocused: false });
  }

  restore(): void {
    this.#change({ isMinimized: false });
  }

  maximize(): void {
    this.#change({ isMaximized: true });
  }

  isMinimized(): boolean {
    return this.#state.isMinimized;
  }

  isMaximized(): boolean {
    return this.#state.isMaximized;
  }

  isVisible(): boolean {
    return this.#state.isVisible;
  }

  isDestroyed(): boolean {
    return this.#isDestroyed;
  }

  getNormalBounds() {
    return this.#bounds;
  }

  close(): void {
    void this.closeNow();
  }

  /** Closes as a person would. Returns whether the window is closed. */
  async closeNow(): Promise<boolean> {
    if (this.#isDestroyed) return true;
    const event = preventable();
    this.emit('close', event);
    if (event.isPrevented()) return false;
    this.#reportUnresponsive(UNRESPONSIVE_AFTER_CLOSE_MS);
    if (!(await test.ask('close', this.id))) return false;
    clearTimeout(this.#unresponsive);
    this.#isDestroyed = true;
    windows.delete(this.id);
    this.emit('closed');
    if (windows.size === 0) lastClosed();
    return true;
  }
}

/** Requests of the test's browser to a window. */
test.on('ask', (id: number, name: string, details: Record<string, unknown>) => {
  const event = { ...details, ...preventable() };
  windows.get(id)?.webContents.emit(name, event);
  return event.isPrevented();
});
test.on('open', (id: number, url: string) => windows.get(id)?.webContents.openHandler({ url }).action);
test.on('contents', (id: number, name: string, ...args: unknown[]) => {
  windows.get(id)?.webContents.emit(name, {}, ...args);
});
test.on('window', (id: number, name: string) => {
  const window = windows.get(id);
  if (name === 'close') window?.close();
  else if (name === 'minimize') window?.minimize();
  else if (name === 'zoom') window?.webContents.setZoomLevel(2);
  else window?.emit(name);
});
