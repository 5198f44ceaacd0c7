/**
 * The body of an answer that was checked against its schema and serialised already, in a thread: a route hands its
 * bytes on as they are. `Body` is what the bytes say; `about` the fields of it that headers are made from.
 */
export class PreparedBody<Body> {
  readonly json: Buffer;
  /** Never set: it only tells bodies of different types apart. */
  declare readonly body?: Body;

  readonly about: Readonly<Record<string, unknown>>;

  constructor(json: Uint8Array, about: Readonly<Record<string, unknown>> = {}) {
    this.about = about;
    this.json = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  }
}
