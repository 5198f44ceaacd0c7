// Loaded first in vitest's processes and their children, threads included (`--require`). A process that tries
// to reach another machine ends at once: that would be a real source, mint or list, and a real person's.
// CommonJS, because each thread would otherwise load the reader of TypeScript for it, which takes 50 ms of processor time.
const { writeSync } = require('node:fs');
const { Socket } = require('node:net');

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/;

/** @returns {{ host?: unknown, path?: unknown, port?: unknown }} */
const targetOf = (/** @type {unknown[]} */ args) => {
  // Node passes its own calls on as one list, [options, callback].
  const first = Array.isArray(args[0]) ? args[0][0] : args[0];
  if (typeof first === 'object' && first !== null) return first;
  return typeof first === 'string' ? { path: first } : { port: first, host: args[1] };
};

const { connect } = Socket.prototype;
Socket.prototype.connect = function (...args) {
  const { host = 'localhost', path } = targetOf(args);
  if (!path && typeof host === 'string' && !LOOPBACK.test(host)) {
    // At once: a thread that is about to die loses what it streams.
    writeSync(2, `A test tried to reach ${host}.\n`);
    process.kill(process.pid, 'SIGABRT');
  }
  return Reflect.apply(connect, this, args);
};
