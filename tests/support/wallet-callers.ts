import { expect } from 'vitest';
import type { WalletServer } from './wallet.ts';

/** The callers of a wallet's routes. */

export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** A wallet server as one caller sees it. */
export const as = <W extends WalletServer>(wallet: W, key: string): W => ({
  ...wallet,
  call: (method, path, body, headers = {}) => wallet.call(method, path, body, { ...bearer(key), ...headers }),
});

/** A wallet server as the operator sees it. */
export const asOperator = <W extends WalletServer>(wallet: W): W => as(wallet, wallet.operatorToken);

/** Creates an agent key. It can do everything with charges unless `scopes` says otherwise. */
export const createKey = async (
  wallet: WalletServer,
  agent?: string,
  scopes: readonly string[] = ['charge'],
  spend?: { satsPerDay: number },
): Promise<string> => {
  const fields = {
    label: 'x',
    scopes,
    ...(agent === undefined ? {} : { agent }),
    ...(spend ? { spend } : {}),
  };
  const { status, body } = await wallet.asOperator('POST', '/api/keys', fields);
  expect([status, body.code]).toEqual([201, undefined]);
  return body.key;
};
