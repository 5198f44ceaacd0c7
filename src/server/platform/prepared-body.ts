import { etagOf } from './etag.ts';

/**
 * The body of an answer that is already checked and serialized. A route sends its bytes unchanged. `Body` is
 * the type of its content. `about` has the fields of it that headers are created from.
 */
export class PreparedBody<Body> {
  readonly json: Buffer;
  /** Never set. It only distinguishes bodies of different types. */
  declare readonly body?: Body;

  readonly about: Readonly<Record<string, unknown>>;

  #etag: string | undefined;

  /** `etag` is that of `json`, if a thread has calculated it. */
  constructor(json: Uint8Array, about: Readonly<Record<string, unknown>> = {}, etag?: string) {
    this.about = about;
    this.json = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
    this.#etag = etag;
  }

  /** A strong ETag of the bytes, calculated at most once. */
  get etag(): string {
    this.#etag ??= etagOf(this.json);
    return this.#etag;
  }
}
