import { EventEmitter } from 'node:events';
import type {
  BaseWindowConstructorOptions,
  BrowserWindowConstructorOptions,
  HandlerDetails,
  WindowOpenHandlerResponse,
} from 'electron';
import { PATIENCE_MS } from '../patience.ts';
import { launchOptions, preventable, report, test } from './around.ts';
import type { MadeWindow } from './launch-options.ts';
import { needsReady } from './ready.ts';

type OpenHandler = (details: HandlerDetails) => WindowOpenHandlerResponse;

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
    // An empty page needs no browser.
    if (url === 'about:blank') {
      await new Promise(setImmediate);
      if (this.#url === url) this.emit('did-finish-load');
      return;
    }
    await test.ask('load', this.#id, url);
  }

  getURL(): string {
    return this.#url;
  }

  /** The page went to another URL, perhaps without loading it. */
  follow(url: string): void {
    this.#url = url;
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

/** Electron's own delay (lib/browser/api/browser-window.ts). */
const UNRESPONSIVE_AFTER_MS = 50;
/** Electron waits 5 s, which the page of a busy machine may need to answer. Tests of this report set it. */
const UNRESPONSIVE_AFTER_CLOSE_MS = launchOptions.unresponsiveAfterCloseMs ?? PATIENCE_MS;

const windows = new Map<number, BaseWindow>();
let lastClosed = (): void => undefined;

/** The open windows. */
export const allWindows = (): BaseWindow[] => [...windows.values()];

/** Sets the listener for the moment when no window is left. */
export const onLastWindowClosed = (hear: () => void): void => {
  lastClosed = hear;
};

let lastId = 0;

/** The parts of `BaseWindow` that the shell uses. */
export class BaseWindow extends EventEmitter {
  readonly id: number;
  #isDestroyed = false;
  #isFramed = false;
  #state = { isVisible: false, isMinimized: false, isMaximized: false, isFocused: false };
  #bounds: { x: number; y: number; width: number; height: number };

  constructor({ x = 0, y = 0, width = 800, height = 600, show = true }: BaseWindowConstructorOptions = {}) {
    super();
    needsReady(`Cannot create ${new.target.name} before app is ready`);
    lastId += 1;
    this.id = lastId;
    this.#bounds = { x, y, width, height };
    this.#state.isVisible = show;
    windows.set(this.id, this);
  }

  #change(state: Partial<typeof this.state>): void {
    const { isVisible } = this.#state;
    this.#state = { ...this.#state, ...state };
    test.tell('state', this.id, this.#state);
    if (this.#state.isVisible !== isVisible) this.emit(isVisible ? 'hide' : 'show');
  }

  get state() {
    return this.#state;
  }

  static getAllWindows(): BaseWindow[] {
    return allWindows();
  }

  /** A window manager's frame is placed where the window was asked to be, so the window itself moves. */
  show(): void {
    this.#change({ isVisible: true });
    const { left, top } = launchOptions.frame ?? { left: 0, top: 0 };
    if (this.#isFramed || (left === 0 && top === 0)) return;
    this.#isFramed = true;
    this.moveBy(left, top);
  }

  /** The window manager moves the window, or a person does. */
  moveBy(x: number, y: number): void {
    this.#bounds = { ...this.#bounds, x: this.#bounds.x + x, y: this.#bounds.y + y };
    this.emit('move');
  }

  hide(): void {
    this.#change({ isVisible: false, isFocused: false });
  }

  focus(): void {
    const { isFocused } = this.#state;
    this.#change({ isFocused: true });
    if (!isFocused) this.emit('focus');
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

  flashes = false;

  flashFrame(flag: boolean): void {
    this.flashes = flag;
  }

  isFocused(): boolean {
    return this.#state.isFocused;
  }

  isDestroyed(): boolean {
    return this.#isDestroyed;
  }

  getNormalBounds() {
    return this.#bounds;
  }

  setMenu(_menu: unknown): void {}

  /** Whether the content agrees to close. */
  protected async agreesToClose(): Promise<boolean> {
    return true;
  }

  close(): void {
    void this.closeNow();
  }

  /** Closes as a person would. Returns whether the window is closed. */
  async closeNow(): Promise<boolean> {
    if (this.#isDestroyed) return true;
    const event = preventable();
    this.emit('close', event);
    if (event.isPrevented() || !(await this.agreesToClose())) return false;
    this.destroy();
    return true;
  }

  /** Closes without asking anybody. */
  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    windows.delete(this.id);
    this.emit('closed');
    if (windows.size === 0) lastClosed();
  }
}

/** The parts of `BrowserWindow` that the shell uses. */
export class BrowserWindow extends BaseWindow {
  readonly webContents: WebContents;
  #unresponsive: NodeJS.Timeout | undefined;
  #stay: (() => void) | undefined;

  constructor(options: BrowserWindowConstructorOptions = {}) {
    super(options);
    this.webContents = new WebContents(this.id);
    this.webContents.on('unresponsive', () => this.#reportUnresponsive(UNRESPONSIVE_AFTER_MS));
    // Structured clone, as between processes: functions in options would be an error.
    test.tell('window', { id: this.id, options } satisfies MadeWindow);
  }

  static fromWebContents(contents: unknown): BrowserWindow | null {
    const found = allWindows().find(
      (window) => window instanceof BrowserWindow && window.webContents === contents,
    );
    return (found as BrowserWindow | undefined) ?? null;
  }

  /** One report at a time. Refusing to close doesn't cancel it. */
  #reportUnresponsive(afterMs: number): void {
    this.#unresponsive ??= setTimeout(() => {
      this.#unresponsive = undefined;
      if (this.isDestroyed()) return;
      this.emit('unresponsive');
      report({ kind: 'unresponsive', window: this.id });
    }, afterMs).unref();
  }

  protected override async agreesToClose(): Promise<boolean> {
    this.#reportUnresponsive(UNRESPONSIVE_AFTER_CLOSE_MS);
    const stays = new Promise<false>((resolve) => {
      this.#stay = () => resolve(false);
    });
    return (await Promise.race([test.ask('close', this.id), stays])) !== false;
  }

  /** The page refused to close: Electron ends the attempt in the same turn, so that a quit right after it isn't ignored. */
  stay(): void {
    this.#stay?.();
  }

  override destroy(): void {
    clearTimeout(this.#unresponsive);
    super.destroy();
  }
}

/** The contents of a window, by its id. */
export const contentsOf = (id: number): WebContents | undefined => {
  const window = windows.get(id);
  return window instanceof BrowserWindow ? window.webContents : undefined;
};

/** Requests of the test's browser to a window. */
test.on('ask', (id: number, name: string, details: Record<string, unknown>) => {
  const event = Object.assign(preventable(), details);
  contentsOf(id)?.emit(name, event);
  const window = windows.get(id);
  if (name === 'will-prevent-unload' && !event.isPrevented() && window instanceof BrowserWindow)
    window.stay();
  return event.isPrevented();
});
test.on('open', (id: number, url: string) => contentsOf(id)?.openHandler({ url } as HandlerDetails).action);
test.on('contents', (id: number, name: string, ...args: unknown[]) => {
  contentsOf(id)?.emit(name, {}, ...args);
});
test.on('window', (id: number, name: string) => {
  const window = windows.get(id);
  if (name === 'close') window?.close();
  else if (name === 'minimize') window?.minimize();
  else if (name === 'focus') window?.focus();
  else if (name === 'zoom') contentsOf(id)?.setZoomLevel(2);
  else window?.emit(name);
});
test.on('url', (id: number, url: string) => contentsOf(id)?.follow(url));
