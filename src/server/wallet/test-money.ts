import type { TokenValidation } from '../../shared/api/wallet.ts';
import { MOST_SATS, type Proof } from './mint/mint.ts';
import { normalizeMintUrl, pastedToken } from './mint/token-text.ts';
import type { MintWallet } from './operations/mint-wallet.ts';
import { splitAmount } from './operations/outputs.ts';
import { devModeError, withAppErrors } from './operations/problems.ts';
import { inputLimit } from './operations/read-token.ts';
import { type Receiver, requireOutputKeyset, type WalletContext } from './operations/receive.ts';
import { TEST_MINT } from './test-tokens.ts';
import { requireOperation, type WalletService } from './wallet.service.ts';

const NOT_CHECKED = 'dot-mi is running with test money, so it accepts every token without checking it.';

/** Gets new test sats from their mint, which gives them away. */
const mintProofs = async (context: WalletContext, amount: number): Promise<Proof[]> => {
  const { output } = await requireOutputKeyset(context);
  const send = await context.mint.randomOutputs(output.id, splitAmount(output, amount));
  return (await context.mint.swap({ keysetId: output.id, inputs: [], keep: [], send })).send;
};

/**
 * Creates a receiver that accepts any text. For a token of another mint, it receives new test sats of the same amount, so
 * that everything after this works as with real sats. Text that isn't a token is worth 0 sat.
 *
 * Stores the text of tokens that may be real, so that the real wallet can receive them later.
 */
export const createTestReceiver = ({
  context,
  receiver,
}: Pick<MintWallet, 'context' | 'receiver'>): Receiver => {
  const { store, mint, onChange } = context;
  return {
    async inspect(text) {
      const read = await mint.inspect(text, inputLimit(store));
      if ('opened' in read) return receiver.inspect(text);
      const { description } = read;
      // A wallet never holds more sats than exist.
      const amount = Math.min(description?.amount ?? 0, MOST_SATS - store.total());
      const mayBeReal = description?.unit === 'sat' && normalizeMintUrl(description.mint) !== TEST_MINT;
      return {
        kind: 'receive',
        proofs: amount > 0 ? await mintProofs(context, amount) : [],
        fee: 0,
        keysets: await mint.keysets(false),
        memo: description?.memo,
        isSigned: true,
        ...(mayBeReal
          ? {
              replaced: {
                mint: normalizeMintUrl(description.mint),
                amount: description.amount,
                memo: description.memo,
                // Store the bare token, so that copies of it are recognized.
                token: pastedToken(text),
              },
            }
          : {}),
      };
    },

    async receive(prepared, bind) {
      const { replaced } = prepared;
      const bindAll: typeof bind = (written) => {
        bind(written);
        if (replaced) store.testTokens.keep({ ...replaced, operation: written.number });
      };
      if (prepared.proofs.length > 0) return receiver.receive(prepared, bindAll);
      const operation = store.transaction(() => {
        const { memo } = prepared;
        const number = store.operations.addCompleted({ kind: 'receive', amount: 0, memo });
        const written = requireOperation(store.operations.get(number));
        bindAll(written);
        return written;
      });
      onChange(operation);
      return { operation };
    },
  };
};

/**
 * Creates the wallet of test money from one at its mint. It accepts every token, marks its responses as simulated, and
 * refuses what has no meaning for test sats. `mintUrl` is the mint that the wallet would use for real sats, which its
 * responses name.
 */
export const createTestMoney = (
  wallet: WalletService,
  context: WalletContext,
  mintUrl: string,
): WalletService => {
  const refuse = async (): Promise<never> => {
    throw devModeError();
  };
  const simulated = { simulated: true } as const;

  return {
    ...wallet,

    async validate(caller, token): Promise<TokenValidation> {
      const checked = await wallet.validate(caller, token);
      // Only test money itself is spent or pending, because the others are never redeemed.
      if (checked.valid || checked.reason === 'spent' || checked.reason === 'pending') return checked;
      const { reason: _reason, acceptedMints: _mints, looksLike: _looks, ...read } = checked;
      return { ...read, valid: true, mint: read.mint || mintUrl, message: NOT_CHECKED };
    },
    receive: async (...request) => ({ ...(await wallet.receive(...request)), mint: mintUrl, ...simulated }),
    operation: (...which) => ({ ...wallet.operation(...which), ...simulated }),
    async history(...page) {
      const { entries, ...rest } = await wallet.history(...page);
      return { entries: entries.map((entry) => ({ ...entry, ...simulated })), ...rest };
    },
    historyOfSend(key) {
      const { entries } = wallet.historyOfSend(key);
      return { entries: entries.map((entry) => ({ ...entry, ...simulated })) };
    },
    send: async (...request) => ({ ...(await wallet.send(...request)), ...simulated }),
    reclaim: async (id) => ({ ...(await wallet.reclaim(id)), ...simulated }),
    mintStatus: async () => ({ mint: mintUrl, state: 'simulated', checkedAt: null }),
    createTestToken: (amount) =>
      withAppErrors(async () => {
        const proofs = await mintProofs(context, amount);
        return { token: await context.mint.encode(proofs, undefined), amount };
      }),
    check: refuse,
    changeMintAddress: refuse,
    release: refuse,
    seed: refuse,
    confirmSeed: refuse,
    newSeed: refuse,
    restore: refuse,
    rescan: refuse,
    testTokens: async () => ({ tokens: [] }),
    redeemTestToken: refuse,
    dropTestToken: refuse,
  };
};
