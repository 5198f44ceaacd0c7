/**
 * The body of an answer that was checked against its schema and serialised already, in a thread: a route hands its
 * bytes on as they are. `Body` is what the bytes say.
 */
export class PreparedBody<Body> {
  readonly json: Buffer;
  /** Never set: it only tells bodies of different types apart. */
  declare readonly body?: Body;

  constructor(json: Uint8Array) {
    this.json = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  }
}
