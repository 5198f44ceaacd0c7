import { createHash } from 'node:crypto';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { SessionEntry, SessionTranscript, SessionUsage } from '../../shared/api/sessions.ts';
import { SATS_PER_BTC } from '../../shared/sats.ts';
import { fromSystemError, isNotFound } from '../platform/app-error.ts';
import { openInsideSync } from '../platform/open-inside.ts';
import { isInside, type Root } from '../platform/root.ts';
import type { AgentTerms } from './agent-terms.ts';
import { toSession } from './list-sessions.ts';
import { parseFields, type SessionModel, sessionLineOf, type UsageLine } from './session-line.ts';
import { readLines } from './session-lines.ts';
import type { SessionFile } from './sessions-store.ts';
import { toSessionEntry, unreadableEntry } from './transcript-entry.ts';
import { costOfLine, type UsagePrices } from './usage-sums.ts';

/** Which page of a transcript to read. */
export interface TranscriptPage {
  /** A cursor from an earlier page. */
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** A page ends after this many bytes of entries, or this many bytes of the file. Images are only in the file. */
const MAX_RESPONSE_BYTES = 1_000_000;
const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** How many bytes at a file's start identify it. */
const HEAD_BYTES = 512;

/** The start of a page: its file and offset, and the model in use there. */
interface Place extends SessionModel {
  readonly fileId: number;
  readonly offset: number;
  readonly head: string;
}

const encode = (text: string): string => Buffer.from(text).toString('base64url');

const toCursor = ({ fileId, offset, head, provider, model }: Place): string =>
  [fileId, offset, head, encode(provider), encode(model)].join('.');

const parseCursor = (cursor: string): Place => {
  const [fileId, offset, head = '', provider = '', model = ''] = cursor.split('.');
  const decode = (text: string) => Buffer.from(text, 'base64url').toString();
  return {
    fileId: Number(fileId),
    offset: Number(offset),
    head,
    provider: decode(provider),
    model: decode(model),
  };
};

const headOf = (file: number, offset: number): string => {
  const bytes = Buffer.alloc(Math.min(HEAD_BYTES, offset));
  const length = readSync(file, bytes, 0, bytes.length, 0);
  return createHash('sha256').update(bytes.subarray(0, length)).digest('base64url').slice(0, 22);
};

const LINE_FEED = 10;

/** Returns whether this is still the file that a cursor was created for. It may have grown since. */
const isSame = (file: number, { offset, head }: Place): boolean => {
  if (offset === 0) return true;
  if (fstatSync(file).size < offset || headOf(file, offset) !== head) return false;
  const before = Buffer.alloc(1);
  return readSync(file, before, 0, 1, offset - 1) === 1 && before[0] === LINE_FEED;
};

/** Creates the function that reads pages of session files. It blocks while it reads a page, so it runs in a thread. */
export const createTranscriptReader = (
  root: Root,
  btcUsdAt: (atMs: number) => number | undefined,
  /** The resolved directories that contain session files. */
  tops: () => readonly string[],
  isOfSale: (path: string) => boolean,
) => {
  const toUsage = (line: UsageLine, prices: UsagePrices, terms: AgentTerms): SessionUsage | null => {
    const { provider, model, input, output, cacheRead, cacheWrite, atMs } = line;
    if (input + output + cacheRead + cacheWrite === 0 && line.usd === 0) return null;
    const { usd, estimated } = costOfLine(line, prices, terms);
    const btcUsd = (atMs === undefined ? undefined : btcUsdAt(atMs)) ?? prices.btcUsd;
    return {
      model: provider === '' ? model : `${provider}/${model}`,
      ...{ input, output, cacheRead, cacheWrite },
      usd,
      estimated,
      sats: usd === null || btcUsd === undefined ? null : (usd * SATS_PER_BTC) / btcUsd,
      ...(terms.subscriptions.has(provider) ? { coveredBySubscription: true } : {}),
    };
  };

  const readOpen = (
    handle: number,
    file: SessionFile,
    { cursor, limit }: TranscriptPage,
    prices: UsagePrices,
    terms: AgentTerms,
  ): SessionTranscript | 'session changed' => {
    const start: Place =
      cursor === undefined
        ? { fileId: file.id, offset: 0, head: '', provider: '', model: '' }
        : parseCursor(cursor);
    if (start.fileId !== file.id || !isSame(handle, start)) return 'session changed';
    const entries: SessionEntry[] = [];
    let { offset } = start;
    let inUse: SessionModel = start;
    let sendBytes = 0;
    let atEnd = false;
    const isFull = () => entries.length >= limit || sendBytes >= MAX_RESPONSE_BYTES;
    const add = (entry: SessionEntry) => {
      entries.push(entry);
      sendBytes += JSON.stringify(entry).length;
    };
    const addLine = (bytes: Buffer) => {
      const fields = parseFields(bytes.toString('utf8'));
      if (!fields) return add(unreadableEntry('not_json'));
      const line = sessionLineOf(fields, inUse);
      if (line?.kind === 'header') return;
      if (line?.kind === 'model' || (line?.kind === 'usage' && line.namesModel)) inUse = line;
      add(toSessionEntry(fields, line?.kind === 'usage' ? toUsage(line, prices, terms) : null));
    };
    while (!atEnd && !isFull() && offset - start.offset < MAX_FILE_BYTES) {
      const read = readLines(handle, offset, (line) => {
        addLine(line);
        return !isFull();
      });
      if (read.tooLong > 0) add(unreadableEntry('too_long'));
      ({ offset, atEnd } = read);
    }
    // A full page can end exactly at the last line.
    const isMore = !atEnd && offset < fstatSync(handle).size;
    const end = toCursor({
      fileId: file.id,
      offset,
      head: headOf(handle, offset),
      provider: inUse.provider,
      model: inUse.model,
    });
    return {
      agent: file.agent,
      path: isInside(root.path, file.path) ? relative(root.path, file.path).split(sep).join('/') : null,
      session: toSession(file, prices, terms, btcUsdAt, isOfSale(file.path)),
      entries,
      endCursor: end,
      ...(isMore ? { nextCursor: end } : {}),
    };
  };

  return (
    file: SessionFile,
    page: TranscriptPage,
    prices: UsagePrices,
    terms: AgentTerms,
  ): SessionTranscript | 'session changed' | 'session missing' | 'session unreadable' => {
    let handle: number | undefined;
    try {
      handle = openInsideSync(tops(), file.path);
      return fstatSync(handle).isFile() ? readOpen(handle, file, page, prices, terms) : 'session missing';
    } catch (error) {
      if (isNotFound(error)) return 'session missing';
      // An uncaught error would end the thread.
      if (fromSystemError(error)) return 'session unreadable';
      throw error;
    } finally {
      if (handle !== undefined) closeSync(handle);
    }
  };
};
