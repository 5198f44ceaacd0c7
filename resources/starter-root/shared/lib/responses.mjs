// @ts-check
/**
 * The responses to paid requests, kept for customers who lost one and send their token again. For paid-request.mjs, without
 * dependencies.
 */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { encode } from './customer-request.mjs';

/** @import { OutgoingHttpHeaders } from 'node:http' */
/** @import { Cost } from './charges.mjs' */
/**
 * The work of a charge, as it was before its change was known.
 * @typedef {object} DoneWork
 * @property {number} status
 * @property {OutgoingHttpHeaders} headers
 * @property {string | Uint8Array | object | undefined} [body]
 * @property {Cost} cost
 * @property {boolean} isPrepaid Whether a prepaid balance pays, so that there's no change.
 */
/**
 * Keeps work by its charge, and finds it by a hash of what its customer sends again.
 * @typedef {object} ResponseStore
 * @property {(id: string, request: string, work: DoneWork) => Promise<void>} put Resolves once the work is kept.
 * @property {(id: string) => Promise<DoneWork | undefined>} get
 * @property {(request: string) => string | undefined} find The charge of a request.
 * @property {(id: string) => Promise<void>} drop
 */

/**
 * An index of what is kept, the oldest first.
 * @param {{ keptMs: number, mostBytes: number, most: number, forget(id: string): unknown }} limits
 */
const createIndex = ({ keptMs, mostBytes, most, forget }) => {
  /** @type {Map<string, { request: string, bytes: number, at: number }>} */
  const entries = new Map();
  /** @type {Map<string, string>} */
  const ids = new Map();
  let size = 0;
  /** @param {string} id */
  const remove = (id) => {
    const entry = entries.get(id);
    if (!entry) return;
    entries.delete(id);
    if (ids.get(entry.request) === id) ids.delete(entry.request);
    size -= entry.bytes;
    forget(id);
  };
  const removeOld = () => {
    for (const [id, { at }] of entries) {
      // If the clock was set back, the time is in the future.
      const isOld = Math.abs(Date.now() - at) > keptMs;
      if (!isOld && size <= mostBytes && entries.size <= most) return;
      remove(id);
    }
  };
  return {
    /** @param {string} id @param {string} request @param {number} bytes @param {number} [at] */
    add(id, request, bytes, at = Date.now()) {
      entries.set(id, { request, bytes, at });
      ids.set(request, id);
      size += bytes;
      removeOld();
    },
    /** @param {string} id */
    requestOf(id) {
      removeOld();
      return entries.get(id)?.request;
    },
    /** @param {string} request */
    find(request) {
      removeOld();
      return ids.get(request);
    },
    remove,
    removeOld,
  };
};

const MEMORY = { keptMs: 10 * 60_000, mostBytes: 8 * 1024 * 1024, most: 200 };

/** Keeps responses in memory, for ten minutes while the process runs. @returns {ResponseStore} */
export const createMemoryResponses = () => {
  /** @type {Map<string, DoneWork>} */
  const kept = new Map();
  const index = createIndex({ ...MEMORY, forget: (id) => kept.delete(id) });
  return {
    async put(id, request, work) {
      kept.set(id, work);
      index.add(id, request, Buffer.byteLength(encode(work.body)));
    },
    async get(id) {
      index.removeOld();
      return kept.get(id);
    },
    find: index.find,
    drop: async (id) => index.remove(id),
  };
};

const FILES = { keptMs: 24 * 60 * 60_000, mostBytes: 64 * 1024 * 1024, most: 10_000 };
const LOOK_EVERY_MS = 60 * 60_000;
/** The charge's id, and the hash of the request. */
const FILE_NAME = /^([\w-]{1,64})\.([0-9a-f]{64})\.json$/;

/** Removes the responses in a directory that are older than a day, and what a killed process left. @param {string} directory */
export const removeOldResponses = (directory) => {
  const kept = [];
  for (const name of readdirSync(directory)) {
    const [, id, request] = FILE_NAME.exec(name) ?? [];
    const path = join(directory, name);
    const { mtimeMs: at, size } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0 };
    const isOld = Math.abs(Date.now() - at) > FILES.keptMs;
    if (isOld) rmSync(path, { force: true });
    else if (id !== undefined && request !== undefined) kept.push({ id, request, size, at });
  }
  return kept.sort((first, second) => first.at - second.at);
};

/** @param {DoneWork} work */
const write = ({ body, ...work }) =>
  JSON.stringify(
    body instanceof Uint8Array ? { ...work, bytes: Buffer.from(body).toString('base64') } : { ...work, body },
  );

/** @param {string} text @returns {DoneWork} */
const read = (text) => {
  const { bytes, ...work } = JSON.parse(text);
  return bytes === undefined ? work : { ...work, body: Buffer.from(bytes, 'base64') };
};

/** Writes the names of files to the disk. Windows can't, and doesn't need it. @param {string} directory */
const syncDirectory = async (directory) => {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  await handle.sync().finally(() => handle.close());
};

/**
 * Keeps responses for a day in files that only their owner can read, so that they outlive the process. A directory belongs
 * to one process at a time.
 * @param {string} directory It is created if it's missing.
 * @returns {ResponseStore & { close(): void }}
 */
export const createResponseFiles = (directory) => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  /** @type {Map<string, string>} */
  const paths = new Map();
  const index = createIndex({
    ...FILES,
    forget(id) {
      rmSync(paths.get(id) ?? '', { force: true });
      paths.delete(id);
    },
  });
  /** @param {string} id @param {string} request */
  const pathOf = (id, request) => join(directory, `${id}.${request}.json`);
  for (const { id, request, size, at } of removeOldResponses(directory)) {
    paths.set(id, pathOf(id, request));
    index.add(id, request, size, at);
  }
  const timer = setInterval(index.removeOld, LOOK_EVERY_MS).unref();
  return {
    async put(id, request, work) {
      const path = pathOf(id, request);
      if (!FILE_NAME.test(`${id}.${request}.json`)) throw new Error('a charge has an unusual id');
      const text = write(work);
      const draft = `${path}.draft`;
      index.remove(id);
      try {
        // SECURITY: it has a customer's text, so nobody else can read it.
        const file = await open(draft, 'w', 0o600);
        try {
          await file.writeFile(text);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(draft, path);
        await syncDirectory(directory);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
      paths.set(id, path);
      index.add(id, request, Buffer.byteLength(text));
    },
    async get(id) {
      if (index.requestOf(id) === undefined) return undefined;
      return read(await readFile(`${paths.get(id)}`, 'utf8'));
    },
    find: index.find,
    drop: async (id) => index.remove(id),
    close: () => clearInterval(timer),
  };
};
