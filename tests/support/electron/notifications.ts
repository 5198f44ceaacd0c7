import { EventEmitter } from 'node:events';
import { launchOptions, report, test } from './around.ts';
import { needsReady } from './ready.ts';

/** The notifications on the screen or in the system's list. */
const shown = new Map<number, Notification>();
let lastId = 0;

/** The parts of `Notification` that the shell uses. */
export class Notification extends EventEmitter {
  readonly #id: number;
  readonly title: string;
  readonly body: string;

  constructor({ title = '', body = '' }: { title?: string; body?: string } = {}) {
    super();
    needsReady('Cannot create Notification before app is ready');
    lastId += 1;
    this.#id = lastId;
    this.title = title;
    this.body = body;
  }

  static isSupported(): boolean {
    return launchOptions.hasNotifications !== false;
  }

  show(): void {
    shown.set(this.#id, this);
    report({ kind: 'notification', id: this.#id, title: this.title, body: this.body });
    this.emit('show', {});
  }

  close(): void {
    if (shown.delete(this.#id)) report({ kind: 'notification-closed', id: this.#id });
  }
}

/** A person clicks one, which removes it; or the system couldn't show it. */
test.on('notification', (id: number, name: 'click' | 'failed', reason?: string) => {
  const notification = shown.get(id);
  shown.delete(id);
  notification?.emit(name, {}, reason);
});
