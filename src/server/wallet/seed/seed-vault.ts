/**
 * The keychain is locked, or not there yet. What it sealed may open later, so the wallet waits instead of
 * asking for the words.
 */
export class VaultUnavailableError extends Error {}

/**
 * Seals text so that only this operator can open it, on this machine, like a system keychain. Passed in by a
 * host that has one.
 */
export interface SeedVault {
  seal(text: string): Promise<Uint8Array>;
  /**
   * Throws when the bytes were sealed elsewhere or the keychain is gone, and {@link VaultUnavailableError} when
   * it is only locked.
   */
  open(sealed: Uint8Array): Promise<OpenedSeal>;
}

/** The result of {@link SeedVault.open}. */
export interface OpenedSeal {
  readonly text: string;
  /** Whether the vault has a new or better key by now. Its older seals should be renewed then. */
  readonly isOutdated: boolean;
}
