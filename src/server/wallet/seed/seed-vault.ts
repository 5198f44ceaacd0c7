/**
 * Thrown if the keychain is locked, or not available yet. It may open later, so the wallet waits instead of asking for
 * the words.
 */
export class VaultUnavailableError extends Error {}

/**
 * Seals text so that only this operator can open it, and only on this computer. A host with a system keychain
 * passes in a vault.
 */
export interface SeedVault {
  seal(text: string): Promise<Uint8Array>;
  /**
   * Throws if the bytes were sealed elsewhere or the keychain is gone, and {@link VaultUnavailableError} if it's only
   * locked.
   */
  open(sealed: Uint8Array): Promise<OpenedSeal>;
}

/** The result of {@link SeedVault.open}. */
export interface OpenedSeal {
  readonly text: string;
  /** True if the vault now has a new or better key, so that older seals should be renewed. */
  readonly isOutdated: boolean;
}
