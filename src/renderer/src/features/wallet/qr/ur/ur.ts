// The only file of this folder that the page imports.
import { bytewords, cborBytes } from './encoding.ts';
import { fountain } from './fountain.ts';

/** A text as Uniform Resources of the type `bytes`, each for one QR code (NUT-16, BCR-2020-005). */
export interface UrParts {
  /** This many parts are enough if none is missed. */
  readonly count: number;
  /** The part with this number, from 1 without end. In capitals, which make a QR code smaller. */
  readonly part: (number: number) => string;
}

/** Splits bytes into URs, each with a payload of at most `mostFragmentBytes`. */
export const urParts = (bytes: Uint8Array, mostFragmentBytes: number): UrParts => {
  const message = cborBytes(bytes);
  if (message.length <= mostFragmentBytes) {
    const only = `ur:bytes/${bytewords(message)}`.toUpperCase();
    return { count: 1, part: () => only };
  }
  const { fragmentCount, part } = fountain(message, mostFragmentBytes);
  return {
    count: fragmentCount,
    part: (number) => `ur:bytes/${number}-${fragmentCount}/${bytewords(part(number))}`.toUpperCase(),
  };
};
