import { isAscii } from 'node:buffer';

/** The longest body that Node sends as text. Sending a longer one as text isn't faster. */
const MAX_TEXT_BYTES = 16 * 1024;

/** Returns whether Node sends this faster as text, in one piece with the headers. */
export const isShortAscii = (body: Buffer | string): boolean =>
  body.length <= MAX_TEXT_BYTES &&
  (typeof body === 'string' ? Buffer.byteLength(body) === body.length : isAscii(body));

/**
 * A validated and serialized response body. A route sends its bytes unchanged. `Body` is the type of its content.
 * `headerFields` has the fields needed for headers.
 */
export class PreparedBody<Body> {
  readonly json: Buffer;
  /** Never set. It only makes bodies of different types incompatible. */
  declare readonly body?: Body;

  readonly headerFields: Readonly<Record<string, unknown>>;

  #data: Buffer | string | undefined;

  /** The strong ETag of `json`, which the thread calculated once. Undefined if no request needs it. */
  readonly etag: string | undefined;

  constructor(json: Uint8Array, headerFields: Readonly<Record<string, unknown>> = {}, etag?: string) {
    this.headerFields = headerFields;
    this.json = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
    this.etag = etag;
  }

  get data(): Buffer | string {
    this.#data ??= isShortAscii(this.json) ? this.json.toString('latin1') : this.json;
    return this.#data;
  }
}
