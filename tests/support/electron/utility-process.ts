import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import type { Readable } from 'node:stream';
import type { ForkOptions } from 'electron';
import { needsReady } from './ready.ts';

/** The parts of `UtilityProcess` that the shell uses, as a plain process of Node. */
class UtilityProcess extends EventEmitter {
  readonly #child: ChildProcess;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;

  constructor(modulePath: string, args: string[], options: ForkOptions) {
    super();
    const output = Array.isArray(options.stdio) && options.stdio[1] === 'pipe' ? 'pipe' : 'inherit';
    this.#child = fork(modulePath, args, {
      execArgv: [],
      // Chromium ends its processes when the program is gone. Here the channel tells them.
      stdio: ['ignore', output, output, 'ipc'],
      ...(options.env === undefined ? {} : { env: { ...options.env } }),
    });
    this.#child.on('exit', (code, signal) => this.emit('exit', code ?? (signal === null ? 1 : 15)));
    this.stdout = this.#child.stdout;
    this.stderr = this.#child.stderr;
  }

  get pid(): number | undefined {
    return this.#child.exitCode === null && this.#child.signalCode === null ? this.#child.pid : undefined;
  }

  postMessage(message: string): void {
    // It may have ended a moment ago.
    this.#child.send(message, () => undefined);
  }
}

/** Starts modules as processes of their own. */
export const utilityProcess = {
  fork(modulePath: string, args: string[] = [], options: ForkOptions = {}): UtilityProcess {
    needsReady('utilityProcess cannot be created before app is ready.');
    return new UtilityProcess(modulePath, args, options);
  },
};
