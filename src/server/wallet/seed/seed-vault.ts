/**
 * Seals texts so that only this person on this machine can open them, as the keychain of a system does. Handed in by a
 * host that has one.
 */
export interface SeedVault {
  seal(text: string): Promise<Uint8Array>;
  /** Throws when the bytes were sealed elsewhere, or the keychain is locked or gone. */
  open(sealed: Uint8Array): Promise<OpenedSeal>;
}

/** What was sealed. */
export interface OpenedSeal {
  readonly text: string;
  /** The vault has another key by now, or a better one: what it sealed before should be sealed again. */
  readonly isOutdated: boolean;
}
