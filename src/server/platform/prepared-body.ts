import { isAscii } from 'node:buffer';
import { etagOf } from './etag.ts';

/** Longer bodies gain nothing as text. */
const MAX_TEXT_BYTES = 16 * 1024;

/** Whether Node sends these bytes as text faster, in one piece with the headers. */
export const isShortAscii = (bytes: Buffer): boolean => bytes.length <= MAX_TEXT_BYTES && isAscii(bytes);

/**
 * The body of a response that is already checked and serialized. A route sends its bytes unchanged. `Body` is
 * the type of its content. `headerFields` has the fields of it that headers are created from.
 */
export class PreparedBody<Body> {
  readonly json: Buffer;
  /** Never set. It only distinguishes bodies of different types. */
  declare readonly body?: Body;

  readonly headerFields: Readonly<Record<string, unknown>>;

  #etag: string | undefined;
  #data: Buffer | string | undefined;

  /** `etag` is that of `json`, if a thread has calculated it. */
  constructor(json: Uint8Array, headerFields: Readonly<Record<string, unknown>> = {}, etag?: string) {
    this.headerFields = headerFields;
    this.json = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
    this.#etag = etag;
  }

  /** What to send. */
  get data(): Buffer | string {
    this.#data ??= isShortAscii(this.json) ? this.json.toString('latin1') : this.json;
    return this.#data;
  }

  /** A strong ETag of the bytes, calculated at most once. */
  get etag(): string {
    this.#etag ??= etagOf(this.json);
    return this.#etag;
  }
}
