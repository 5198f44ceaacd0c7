import { type Proof, Wallet } from '@cashu/cashu-ts';

/** An answer of the mint; `body` is undefined when it is not JSON. */
export interface MintReply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect any answer
  body: any;
}

/** Sends a request to an endpoint of a mint unchanged: with a body by POST, without one by GET. */
export const askMint = async (url: string, path: string, body?: unknown): Promise<MintReply> => {
  const response = await fetch(`${url}${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  try {
    return { status: response.status, headers: response.headers, body: JSON.parse(text) };
  } catch {
    return { status: response.status, headers: response.headers, body: undefined };
  }
};

/** cashu-ts's own wallet at a mint, with its keys loaded. The seed is always the same. */
export const openWallet = async (url: string, unit = 'sat'): Promise<Wallet> => {
  const wallet = new Wallet(url, { unit, bip39seed: new Uint8Array(64).fill(7) });
  await wallet.loadMint();
  return wallet;
};

/** The body of a swap of a token for new outputs, as cashu-ts would send it, without sending it. */
export const prepareSwap = async (wallet: Wallet, token: string | Proof[], privkey?: string) => {
  const prepared = await wallet.prepareSwapToReceive(token);
  const inputs = privkey ? wallet.signP2PKProofs(prepared.inputs, privkey) : prepared.inputs;
  const outputs = (prepared.keepOutputs ?? []).map(({ blindedMessage }) => ({
    ...blindedMessage,
    amount: blindedMessage.amount.toNumber(),
  }));
  return {
    inputs: inputs.map(({ id, amount, secret, C, witness }) => ({
      id,
      amount: amount.toNumber(),
      secret,
      C,
      ...(witness === undefined ? {} : { witness: JSON.stringify(witness) }),
    })),
    outputs,
  };
};

/** The sum of proofs, in their unit. */
export const sumOf = (proofs: Proof[]): number =>
  proofs.reduce((total, { amount }) => total + amount.toNumber(), 0);
