import { z } from 'zod';
import type { Purchase } from '../../shared/api/services.ts';
import type { Base } from '../feature.ts';
import { AppError } from '../platform/app-error.ts';
import type { Wallet } from '../wallet/index.ts';

/** The service to buy from. `timeoutMs` is the longest time that its work can take. */
interface Shop {
  readonly url: string;
  readonly timeoutMs: number;
}

/** The fields of a service's responses that matter here. A service never sends others of their names. */
const replyBody = z
  .object({
    amount: z.int().positive().optional(),
    text: z.string().optional(),
    error: z.object({ message: z.string() }).optional(),
  })
  .catch({});

interface Reply {
  readonly status: number;
  /** The token in the response: change or a refund. */
  readonly token: string | undefined;
  readonly body: z.infer<typeof replyBody>;
}

/** How long a service can take in addition to its work, because customers wait in line. */
const PATIENCE_MS = 60_000;
/** A service that died starts again after five seconds, and then gives back what it was paid for unfinished work. */
const REFUND_TRIES = 15;
const REFUND_PAUSE_MS = 2_000;
/** The service was not paid with this token. */
const NOT_FOUND = 404;

const readReply = async (response: Response): Promise<Reply> => {
  const header = response.headers.get('x-cashu') ?? '';
  return {
    status: response.status,
    token: /^cashu[AB]/.test(header) ? header : undefined,
    body: replyBody.parse(await response.json().catch(() => undefined)),
  };
};

/** Returns the sentence that a customer reads. */
const refusalOf = ({ status, body }: Reply): string | null =>
  status === 200 ? null : (body.error?.message ?? `The service returned ${status}.`);

const refuse = (error: unknown): never => {
  if (!(error instanceof AppError) || error.code === 'insufficient_funds') throw error;
  throw new AppError('service_failed', `The wallet couldn’t pay. ${error.message}`);
};

/**
 * Creates the function that buys from a service as any customer does: over HTTP, with a token from the operator's wallet. The
 * wallet takes back all that the service returns or doesn't take.
 *
 * Throws `insufficient_funds`, and `service_failed` if the service names no price or the wallet can't pay. Once the token is
 * sent, it returns what became of it.
 */
export const createBuy =
  ({
    wallet: { own: wallet },
    clock,
    logger,
  }: Pick<Base, 'clock' | 'logger'> & { wallet: Pick<Wallet, 'own'> }) =>
  async ({ url, timeoutMs }: Shop, prompt: string): Promise<Purchase> => {
    const post = (path: string, headers: Readonly<Record<string, string>>, body?: object) =>
      fetch(new URL(path, url), {
        method: 'POST',
        redirect: 'error',
        headers: { 'Content-Type': 'application/json', ...headers },
        signal: AbortSignal.timeout(timeoutMs + PATIENCE_MS),
        ...(body ? { body: JSON.stringify(body) } : {}),
      }).then(readReply);

    const offer = await post('', {}, { prompt }).catch(() => undefined);
    const price = offer?.status === 402 ? offer.body.amount : undefined;
    if (price === undefined)
      throw new AppError(
        'service_failed',
        `The service named no price. ${offer ? (refusalOf(offer) ?? '') : 'It could not be reached.'}`.trim(),
      );

    const sent = await wallet.send(price).catch(refuse);
    const pay = { 'X-Cashu': sent.token };

    /** Returns the sats that came back. */
    const takeBack = async (token: string | undefined): Promise<number> => {
      if (token !== undefined && token !== sent.token) return (await wallet.receive(token)).amount;
      // The service may not have taken it.
      return sent.operationId === undefined
        ? (await wallet.receive(sent.token)).amount
        : (await wallet.reclaim(sent.operationId)).amount;
    };

    const refund = async (triesLeft = REFUND_TRIES): Promise<Reply | undefined> => {
      const reply = await post('v1/balance/refund', pay).catch(() => undefined);
      if (reply?.token !== undefined || reply?.status === NOT_FOUND || triesLeft <= 1) return reply;
      await new Promise<void>((resolve) => clock.after(REFUND_PAUSE_MS, resolve));
      return refund(triesLeft - 1);
    };

    const bought = await post('', pay, { prompt }).catch((error: unknown) => {
      logger.warn({ err: error }, 'a service did not respond to its owner’s own request');
      return undefined;
    });
    const isDone = bought?.status === 200;
    // An unclear answer may have taken the token.
    const reply = isDone || bought?.token !== undefined ? bought : await refund();
    const back =
      isDone && bought.token === undefined
        ? 0
        : await takeBack(reply?.token).catch((error: unknown) => {
            logger.warn({ err: error }, 'the rest of a payment to an own service did not come back');
            return null;
          });
    return {
      answer: isDone ? (bought.body.text ?? null) : null,
      refusal: bought ? refusalOf(bought) : 'The service didn’t respond.',
      paidSats: price,
      backSats: back,
      ...(sent.operationId === undefined ? {} : { operationId: sent.operationId }),
    };
  };
