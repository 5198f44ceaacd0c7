/** The deepest nesting to read. A token has maps in lists in a map. */
const DEEPEST = 16;

const BREAK = Symbol('break');

const invalid = () => new RangeError('not CBOR');

const SIMPLE: Readonly<Record<number, unknown>> = { 20: false, 21: true, 22: null };

/**
 * Reads the CBOR item at the start of the bytes (RFC 8949), and how many bytes it has. Ignores tags. Maps become objects
 * without a prototype. Floats are undefined, because nothing that we read has one. Throws if the item is incomplete.
 * Takes linear time.
 */
export const readCbor = (bytes: Uint8Array): { value: unknown; length: number } => {
  let at = 0;
  const take = (count: number): Uint8Array => {
    if (!(at + count <= bytes.length)) throw invalid();
    at += count;
    return bytes.subarray(at - count, at);
  };

  const byte = (): number => take(1)[0] ?? 0;

  /** Reads items until there are `count`, or until the break of an indefinite length. */
  const list = (count: number, depth: number): unknown[] => {
    const items: unknown[] = [];
    while (items.length < count) {
      const item = read(depth + 1);
      if (item === BREAK) {
        if (count !== Number.POSITIVE_INFINITY) throw invalid();
        break;
      }
      items.push(item);
    }
    return items;
  };

  const string = (kind: number, count: number, depth: number): Uint8Array => {
    if (count !== Number.POSITIVE_INFINITY) return take(count);
    const parts: Uint8Array[] = [];
    for (let head = byte(); head !== 0xff; head = byte()) {
      if (head >> 5 !== kind) throw invalid();
      at -= 1;
      const part = read(depth + 1);
      parts.push(typeof part === 'string' ? new TextEncoder().encode(part) : (part as Uint8Array));
    }
    return new Uint8Array(parts.flatMap((part) => [...part]));
  };

  const map = (count: number, depth: number): object => {
    const items = list(count * 2, depth);
    if (items.length % 2 !== 0) throw invalid();
    const entries = Object.create(null);
    for (let key = 0; key < items.length; key += 2) entries[String(items[key])] = items[key + 1];
    return entries;
  };

  const read = (depth: number): unknown => {
    if (depth > DEEPEST) throw invalid();
    const head = byte();
    if (head === 0xff) return BREAK;
    const [kind, info] = [head >> 5, head & 31];
    if (info > 27 && info < 31) throw invalid();
    let count = info === 31 ? Number.POSITIVE_INFINITY : info;
    if (info >= 24 && info <= 27) count = take(1 << (info - 24)).reduce((sum, byte) => sum * 256 + byte, 0);
    if (kind === 2) return string(kind, count, depth);
    if (kind === 3) return new TextDecoder().decode(string(kind, count, depth));
    if (kind === 4) return list(count, depth);
    if (kind === 5) return map(count, depth);
    if (info === 31) throw invalid();
    if (kind === 6) return read(depth + 1);
    if (kind === 7) return SIMPLE[info];
    return kind === 0 ? count : -1 - count;
  };

  const value = read(0);
  if (value === BREAK) throw invalid();
  return { value, length: at };
};
