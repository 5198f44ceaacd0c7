/**
 * Returns the proofs of a payment payload as a version 3 token. A wallet sends this JSON for a payment request (NUT-18).
 * Undefined for other text.
 */
export const payloadToken = (text: string): string | undefined => {
  if (!/^\s*\{.*\}\s*$/s.test(text)) return undefined;
  try {
    const { mint, proofs, unit, memo } = JSON.parse(text);
    if (typeof mint !== 'string' || !Array.isArray(proofs)) return undefined;
    const bytes = new TextEncoder().encode(JSON.stringify({ token: [{ mint, proofs }], unit, memo }));
    const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
    return `cashuA${base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`;
  } catch {
    return undefined;
  }
};
