import fc from 'fast-check';

/** Text of any characters. fast-check's own takes more than a second to prepare. */
export const anyText = (constraints: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof(fc.integer({ max: 0xd7ff, min: 0 }), fc.integer({ max: 0x10ffff, min: 0xe000 })),
      constraints,
    )
    .map((codes) => codes.map((code) => String.fromCodePoint(code)).join(''));
