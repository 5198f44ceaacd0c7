import { PassThrough } from 'node:stream';
import { app, utilityProcess } from 'electron';
import type { StartedProgram, StartProgram } from '../server/selling/index.ts';

/** The name of these processes in the system's process list. */
const SERVICE_NAME = 'dot-mi service';

/**
 * Starts one of our programs as a utility process: a fuse keeps the signed program from running as plain Node.
 * Chromium ends it when this process ends, even after a crash.
 */
export const startUtilityProgram: StartProgram = (file, args, environment): StartedProgram => {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const exited = Promise.withResolvers<void>();
  let isStopped = false;
  let child: Electron.UtilityProcess | undefined;

  const start = () => {
    if (isStopped) return exited.resolve();
    child = utilityProcess.fork(file, [...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environment,
      serviceName: SERVICE_NAME,
    });
    child.stdout?.pipe(stdout);
    child.stderr?.pipe(stderr);
    child.once('exit', () => exited.resolve());
    // Without a listener, the report of a crash inside V8 would end this process. The `exit` event still follows.
    child.on('error', () => undefined);
  };
  // The server starts before Chromium is ready, and Electron can't fork a process before that.
  app
    .whenReady()
    .then(start)
    .catch((error: unknown) => {
      stderr.end(error instanceof Error ? error.message : String(error));
      exited.resolve();
    });

  return {
    stdout,
    stderr,
    kill(isAtOnce) {
      isStopped = true;
      // Node's signal handlers aren't called in a utility process.
      if (!isAtOnce) child?.postMessage('end');
      else if (child?.pid !== undefined) process.kill(child.pid, 'SIGKILL');
    },
    onExit: (heard) => void exited.promise.then(heard),
  };
};
