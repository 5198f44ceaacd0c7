import type {
  BackupWords,
  Balance,
  History,
  MintStatus,
  OperationStatus,
  Receipt,
  Reclaimed,
  Restored,
  SentToken,
  TokenValidation,
} from '../../shared/api/wallet.ts';
import { AppError } from '../platform/app-error.ts';
import type { createHistory } from './history.ts';
import type { Idempotency } from './idempotency.ts';
import { type CheckedToken, type Mint, type RefusedToken, TokenError } from './mint.ts';
import type { MintWatch } from './mint-watch.ts';
import { describeOperation, failureError, type Operation } from './operation.ts';
import { pendingError, toAppError } from './problems.ts';
import { type Engine, inspectReclaim, type Redeemer } from './redeem.ts';
import { restoreFromWords } from './restore.ts';
import type { Seed } from './seed.ts';
import type { Spender } from './spend.ts';

/** The wallet as its routes call it. Amounts in sat. */
export interface WalletService {
  validate(token: string): Promise<TokenValidation>;
  receive(token: string, key: string | undefined): Promise<Receipt>;
  operation(id: string): OperationStatus;
  balance(): Balance;
  mintStatus(): Promise<MintStatus>;
  history(cursor: string | undefined, limit: number): Promise<History>;
  send(amount: number, memo: string | undefined, key: string | undefined): Promise<SentToken>;
  reclaim(id: string): Promise<Reclaimed>;
  seed(): BackupWords;
  restore(mnemonic: string): Promise<Restored>;
}

/** What the service is made of. */
export interface WalletParts {
  engine: Engine;
  mintUrl: string;
  redeemer: Redeemer;
  spender: Spender;
  idempotency: Idempotency;
  history: ReturnType<typeof createHistory>;
  watch: MintWatch;
  seed: Seed;
  balance(): Balance;
}

/** The operation of an id. Throws `operation_not_found`. */
export const requireOperation = (operation: Operation | undefined): Operation => {
  if (operation) return operation;
  throw new AppError(
    'operation_not_found',
    'The wallet has no operation of this id; see GET /api/wallet/history.',
  );
};

/** An operation that succeeded; the error of one that did not. */
const requireCompleted = (operation: Operation): Operation => {
  if (operation.state === 'completed') return operation;
  throw operation.failure && operation.state === 'failed'
    ? failureError(operation.failure)
    : pendingError(operation);
};

/** Checks a token: what can be told without the mint is told without it. */
const validateToken = async (mint: Mint, token: string): Promise<TokenValidation> => {
  let checked: RefusedToken | CheckedToken;
  try {
    checked = await mint.check(token);
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    return { valid: false, amount: 0, mint: '', reason: error.reason };
  }
  const { locked: _locked, ...told } = checked.description;
  if ('refusal' in checked) return { valid: false, ...told, reason: checked.refusal };
  const { opened, states } = checked;
  const known = { ...told, fee: opened.fee };
  if (states.includes('SPENT')) return { valid: false, ...known, reason: 'spent' };
  if (states.includes('PENDING')) return { valid: false, ...known, reason: 'pending' };
  return { valid: true, ...known };
};

/** What the port throws becomes an answer. */
const explained = async <T>(task: () => Promise<T>): Promise<T> => {
  try {
    return await task();
  } catch (error) {
    throw toAppError(error);
  }
};

/** Makes the wallet of real sats. */
export const createWalletService = ({
  engine,
  mintUrl,
  redeemer,
  spender,
  idempotency,
  history,
  watch,
  seed,
  balance,
}: WalletParts): WalletService => {
  const { store, mint } = engine;

  const receiptOf = (operation: Operation): Receipt => {
    const { amount, fee, id } = requireCompleted(operation);
    return { success: true, amount, mint: mintUrl, fee, operationId: id };
  };

  const sentOf = (operation: Operation): SentToken => {
    const { amount, fee, id, token = '' } = requireCompleted(operation);
    return { token, amount, fee, operationId: id };
  };

  return {
    validate: (token) => explained(() => validateToken(mint, token)),

    receive: (token, key) =>
      explained(() =>
        idempotency.run({ route: 'receive', key, body: { token } }, receiptOf, async (bind) =>
          receiptOf(await redeemer.redeem(await redeemer.inspect(token), bind)),
        ),
      ),

    operation: (id) => describeOperation(requireOperation(store.operation(id))),
    balance,
    mintStatus: async () => ({ mint: mintUrl, ...(await watch.status()) }),
    history,

    send: (amount, memo, key) =>
      explained(() =>
        idempotency.run({ route: 'send', key, body: { amount, memo } }, sentOf, async (bind) =>
          sentOf(await spender.send(amount, memo, bind)),
        ),
      ),

    reclaim: (id) =>
      explained(async () => {
        const redemption = await inspectReclaim(engine, requireOperation(store.operation(id)));
        const done = requireCompleted(await redeemer.redeem(redemption, () => undefined));
        return { amount: done.amount, fee: done.fee, operationId: done.id };
      }),

    seed: () => ({ mnemonic: seed.mnemonic(), protection: seed.protection() }),
    restore: (mnemonic) => explained(() => restoreFromWords(engine, seed, mnemonic)),
  };
};
