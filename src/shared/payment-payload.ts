const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * Returns the proofs of a payment payload as a version 3 token. A wallet sends this JSON for a payment request (NUT-18).
 * Undefined for other text.
 */
export const payloadToken = (text: string): string | undefined => {
  const json = text.trim();
  if (!json.startsWith('{') || !json.endsWith('}')) return undefined;
  const payload = parse(json);
  if (!isRecord(payload) || typeof payload.mint !== 'string' || !Array.isArray(payload.proofs))
    return undefined;
  const { mint, proofs, unit, memo } = payload;
  const bytes = new TextEncoder().encode(JSON.stringify({ token: [{ mint, proofs }], unit, memo }));
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return `cashuA${base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`;
};
