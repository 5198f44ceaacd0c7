// Loaded into every thread of a server by `--import`: writes each attempt to reach anybody into the file that
// CONNECTIONS_FILE names, and that it was loaded.
import dgram from 'node:dgram';
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import { isIP, Socket } from 'node:net';
import { threadId } from 'node:worker_threads';

const note = (what: string, target: unknown) =>
  appendFileSync(process.env.CONNECTIONS_FILE ?? '', `${threadId} ${what} ${JSON.stringify(target)}\n`);

/** Where a call goes; its options may hold an agent, which JSON cannot. */
const targetOf = (target: unknown): unknown => {
  if (typeof target !== 'object' || target === null) return target;
  const options: Record<string, unknown> = Array.isArray(target) ? target[0] : { ...target };
  const { host, port, path } = options;
  return { host, port, path };
};

/** Notes each call of a method, then makes it. */
const watch = (object: object, name: string) => {
  const original: unknown = Reflect.get(object, name);
  if (typeof original !== 'function') throw new Error(`there is no ${name}`);
  const watched = function (this: unknown, ...args: unknown[]): unknown {
    // A server that listens looks its own address up too; an address is nobody's name.
    if (typeof args[0] !== 'string' || isIP(args[0]) === 0) note(name, targetOf(args[0]));
    return Reflect.apply(original, this, args);
  };
  Reflect.set(object, name, watched);
};

note('loaded', '');
watch(Socket.prototype, 'connect');
for (const name of ['lookup', 'resolve', 'resolve4', 'resolve6']) {
  watch(dns, name);
  watch(dns.promises, name);
}
watch(dgram.Socket.prototype, 'send');
