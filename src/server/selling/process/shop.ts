import type { IncomingMessage, ServerResponse } from 'node:http';
import { createCharges, createDotMiCheck } from '../../../../resources/starter-root/shared/lib/charges.mjs';
import {
  CustomerError,
  createPaidRequests,
  GONE,
} from '../../../../resources/starter-root/shared/lib/paid-request.mjs';
import type { Environment } from '../../../pi/environment.ts';
import { chargedSats, mostSats } from '../../../shared/price-math.ts';
import {
  MOST_PROMPT_BYTES,
  mostCalls,
  mostTokens,
  type SaleReport,
  type SellConfig,
  type SellReport,
} from '../../../shared/sale-terms.ts';
import {
  type Completion,
  createChatStream,
  type Order,
  OrderError,
  readChat,
  readOrder,
  UnknownModelError,
  writeChat,
} from './chat-completions.ts';
import {
  describeModel,
  describeOffer,
  describeSeller,
  type Offer,
  PAGE_HEADERS,
  writePage,
} from './offer.ts';
import {
  addressOf,
  FOR_PAGES,
  hasOtherKey,
  NO_KEY,
  NO_MODEL,
  notReady,
  pathOf,
  sendFree,
  usualUrl,
  wantsPage,
} from './public-http.ts';
import { createAgentRuns, type FailureReason, type RunOutcome, type TokenUsage } from './run-agent-once.ts';

/** A shop that sells the work of one agent. */
interface Shop {
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Refunds payments left over by an earlier process of this service. */
  recover(): Promise<unknown>;
  /** Finishes or refunds paid work. */
  close(): Promise<void>;
}

/** A paid request as `paid-request.mjs` passes it to the work. */
type PaidWork = Parameters<Parameters<ReturnType<typeof createPaidRequests>['handle']>[0]>[0];
type CustomerRequest = Pick<PaidWork, 'method' | 'path' | 'json'>;

const MOST_BODY_BYTES = 256 * 1024;
/** pi's events are several times larger than the output text. */
const MOST_OUTPUT_BYTES = 64 * 1024 * 1024;
/** How long the service's description for customers is cached. */
const SHOWN_FOR_MS = 5_000;

/** How long dot-mi has to say whether the agent can be sold. */
const CHECK_TIMEOUT_MS = 20_000;

/** The lifetime of a charge that's created only to quote a price. */
const QUOTED_FOR_SECONDS = 60;

/** The agent can't be sold now. `message` is for a customer, and `detail` for the operator. */
class NotForSaleError extends Error {
  readonly detail: string;

  constructor(detail: string) {
    super('This service is not ready. Try again later.');
    this.detail = detail;
  }
}

/** Creates the function that asks dot-mi whether the agent can be sold now. It throws {@link NotForSaleError}. */
const createSaleCheck = ({
  agent,
  apiUrl,
  key,
}: Pick<SellConfig, 'agent' | 'apiUrl' | 'key'>): (() => Promise<void>) => {
  const requireDotMi = createDotMiCheck({ apiUrl, key });
  return async () => {
    const response = await requireDotMi()
      .then(() =>
        fetch(`${apiUrl}/api/agents/${encodeURIComponent(agent)}/services/check`, {
          headers: { Authorization: `Bearer ${key}` },
          redirect: 'error',
          signal: AbortSignal.timeout(CHECK_TIMEOUT_MS),
        }),
      )
      .catch(() => undefined);
    const body = await response?.json().catch(() => undefined);
    if (!response || !body) throw new NotForSaleError('dot-mi could not be asked about the agent.');
    if (!response.ok) throw new NotForSaleError(`dot-mi returned ${response.status}: ${body.error}`);
    if (body.problem !== null) throw new NotForSaleError(body.problem);
  };
};

/** Caches a function's result for a moment, so that a stranger's repeated requests cost dot-mi little. */
const recent = <T>(read: () => Promise<T>): (() => Promise<T>) & { forget(): void } => {
  let known: { readonly at: number; readonly value: Promise<T> } | undefined;
  const readRecent = () => {
    if (!known || Date.now() - known.at > SHOWN_FOR_MS) known = { at: Date.now(), value: read() };
    return known.value;
  };
  return Object.assign(readRecent, {
    forget() {
      known = undefined;
    },
  });
};

const CHAT_PATH = '/v1/chat/completions';
/** Proxies such as nginx would otherwise collect a stream before they forward it. */
const STREAM_HEADERS = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' };

/** The responses that customers see instead of output. None of them reveal anything about this computer. */
const FAILURES: Readonly<Record<FailureReason, readonly [status: number, message: string]>> = {
  timeout: [504, 'The agent took too long.'],
  too_much_output: [502, 'The agent wrote too much.'],
  aborted: [502, 'The request was stopped.'],
  model_error: [502, 'The model failed.'],
  not_ready: [503, 'The agent has no model at the moment.'],
  no_answer: [502, 'The agent returned no text.'],
  exited: [502, 'The agent stopped.'],
  not_found: [503, 'The agent could not be started.'],
  not_startable: [503, 'The agent could not be started.'],
};

const isChat = ({ path }: { readonly path: string }) => path.split('?', 1)[0] === CHAT_PATH;

/** Creates the shop. `environment` is this process's. The agent gets only part of it. */
export const createShop = (
  config: SellConfig,
  environment: Environment,
  report: (line: SellReport) => void,
): Shop => {
  const { agent, facts, maxOutputTokens: most, priceSats } = config;
  const requireForSale = createSaleCheck(config);
  /** Whether the agent can be sold, cached for a moment. */
  const isForSale = recent(requireForSale);
  const runAgent = createAgentRuns({
    files: config,
    args: config.args,
    promptTokens: facts.promptTokens,
    pi: config.pi,
    variables: config.variables,
    limits: { timeoutMs: config.timeoutSeconds * 1_000, mostOutputBytes: MOST_OUTPUT_BYTES },
    environment,
    temporaryDirectory: config.temporaryDirectory,
  });

  const orderOf = (request: CustomerRequest): Order => {
    try {
      const order = isChat(request) ? readChat(request.json(), agent) : readOrder(request.json(), agent);
      const bytes = Buffer.byteLength(order.prompt);
      if (bytes > MOST_PROMPT_BYTES)
        throw new OrderError(
          `The prompt is ${bytes} bytes long, but this service accepts at most ${MOST_PROMPT_BYTES}. Shorten it.`,
        );
      return order;
    } catch (error) {
      if (error instanceof UnknownModelError) throw new CustomerError(400, 'model_not_found', error.message);
      if (error instanceof OrderError) throw new CustomerError(400, 'invalid_request', error.message);
      throw error;
    }
  };

  /** Limits the output to what the service allows, because some clients request more by default. */
  const limitOf = ({ maxOutputTokens = most }: Order): number => Math.min(most, maxOutputTokens);

  const termsFor = async (promptBytes: number, maxOutputTokens: number) => {
    await isForSale();
    const { model } = facts;
    if (priceSats !== null) return { amount: priceSats, ...(model === null ? {} : { model }) };
    if (model === null) throw new NotForSaleError('None of the agent’s files names its model.');
    return { model, marginPercent: config.marginPercent, ...mostTokens(facts, promptBytes, maxOutputTokens) };
  };

  const asCustomerError = (error: unknown): unknown => {
    if (!(error instanceof NotForSaleError)) return error;
    report({ kind: 'problem', message: error.detail });
    return new CustomerError(503, 'service_unavailable', error.message);
  };

  /** Paid requests for which only the work or only the payment has ended. */
  const ending = new Map<string, { sale?: Omit<SaleReport, 'charged'>; charged?: number | null }>();
  const note = (
    chargeId: string,
    end: { sale: Omit<SaleReport, 'charged'> } | { charged: number | null },
  ) => {
    const { sale, charged } = { ...ending.get(chargeId), ...end };
    if (sale === undefined || charged === undefined) {
      ending.set(chargeId, { ...ending.get(chargeId), ...end });
      return;
    }
    ending.delete(chargeId);
    begun.delete(chargeId);
    // A failure may have closed the service.
    isForSale.forget();
    // Work can finish although its customer disconnected and was refunded.
    report({
      kind: 'sale',
      sale: { ...sale, charged, outcome: charged === 0 ? 'refunded' : sale.outcome },
    });
  };

  /** The charges whose work has begun. */
  const begun = new Set<string>();
  /** The report about a customer who left the line, or waited for too long. */
  const unbegun = (chargeId: string, { status, message }: CustomerError): Omit<SaleReport, 'charged'> => ({
    outcome: 'refunded',
    chargeId,
    inputTokens: 0,
    outputTokens: 0,
    isEstimated: false,
    durationMs: 0,
    status,
    message,
    detail: null,
  });

  const paid = createPaidRequests({
    apiUrl: config.apiUrl,
    key: config.key,
    name: 'dot-mi service',
    responseDirectory: config.responseDirectory,
    isPricedByBody: true,
    mostBodyBytes: MOST_BODY_BYTES,
    mostAtOnce: config.parallel,
    workTimeoutMs: config.timeoutSeconds * 1_000 + 10_000,
    onProblem: (message: string) => report({ kind: 'problem', message }),
    onEnd({ id }, charged, refusal) {
      note(id, { charged: charged ?? null });
      if (!begun.has(id) && refusal) note(id, { sale: unbegun(id, refusal) });
    },
    async charge(request: CustomerRequest) {
      const order = orderOf(request);
      try {
        return await termsFor(Buffer.byteLength(order.prompt), limitOf(order));
      } catch (error) {
        throw asCustomerError(error);
      }
    },
  });

  /** Creates charges only to request their prices. */
  const prices = createCharges({ apiUrl: config.apiUrl, key: config.key, name: 'prices' });

  /** Returns what a usage costs the customer, in sats. Undefined if dot-mi doesn't know the model's price. */
  const costOf = ({ price }: PaidWork['charge'], usage: TokenUsage): number | undefined =>
    price && chargedSats({ ...price, marginPercent: price.marginPercent ?? 0 }, usage);

  /** Limits the output to what was paid: a price can be older than a limit that its owner raised. */
  const paidOutput = ({ price, amount }: PaidWork['charge'], order: Order): number => {
    const limit = limitOf(order);
    if (price?.marginPercent === undefined) return limit;
    const prices = { ...price, marginPercent: price.marginPercent };
    const bytes = Buffer.byteLength(order.prompt);
    let [least, most] = [1, limit];
    while (least < most) {
      const middle = Math.ceil((least + most) / 2);
      if (mostSats(prices, mostTokens(facts, bytes, middle)) <= amount) least = middle;
      else most = middle - 1;
    }
    return least;
  };

  const run = async (
    { charge, signal }: PaidWork,
    order: Order,
    onText?: (part: string) => void,
  ): Promise<RunOutcome> => {
    await requireForSale();
    return runAgent({
      prompt: order.prompt,
      budget: {
        maxOutputTokens: paidOutput(charge, order),
        maxCalls: mostCalls(facts),
        isTooMuch: (usage) => (costOf(charge, usage) ?? 0) > charge.amount,
      },
      onText,
      signal,
    });
  };

  /**
   * Creates the stream of a chat. Undefined if the customer wants none. Parts are sent only if a key pays: change is in a
   * header, before the text, and a request that can be repeated needs a response that can be kept.
   */
  const streamFor = (request: PaidWork) => {
    if (!isChat(request) || !readChat(request.json(), agent).isStream) return undefined;
    const events = createChatStream(agent);
    const isLive = request.charge.balanceId !== undefined && request.headers['idempotency-key'] === undefined;
    let waiting = '';
    let sending: Promise<void> | undefined;
    const send = async () => {
      while (waiting !== '') {
        const part = waiting;
        waiting = '';
        await request.write(events.part(part), { headers: STREAM_HEADERS });
      }
      sending = undefined;
    };
    let isBegun = false;
    return {
      onText: isLive
        ? (part: string) => {
            isBegun = true;
            waiting += part;
            // Nothing more is sent to a customer who left, which aborts the work too.
            sending ??= send().catch(() => undefined);
          }
        : undefined,
      /** Returns what follows the parts that were sent. */
      async end(completion: Completion): Promise<string> {
        await sending;
        return `${isBegun ? '' : events.part(completion.text)}${events.end(completion)}`;
      },
      /** Returns the end of a stream that failed. Undefined if the customer has no part of the text. */
      async failure(message: string, code: string): Promise<string | undefined> {
        await sending;
        return isBegun ? events.failure(message, code) : undefined;
      },
    };
  };

  const work = async (request: PaidWork) => {
    begun.add(request.charge.id);
    const startedAt = performance.now();
    const order = orderOf(request);
    const tell = (
      outcome: 'sold' | 'refunded',
      usage: RunOutcome['usage'] | undefined,
      [status, message, detail]: readonly [number, string | null, string | null],
    ) =>
      note(request.charge.id, {
        sale: {
          outcome,
          chargeId: request.charge.id,
          inputTokens: usage ? usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens : 0,
          outputTokens: usage?.outputTokens ?? 0,
          isEstimated: usage?.isEstimated ?? false,
          durationMs: Math.round(performance.now() - startedAt),
          status,
          message,
          detail,
        },
      });

    const stream = streamFor(request);
    let outcome: RunOutcome;
    try {
      outcome = await run(request, order, stream?.onText);
    } catch (error) {
      if (error instanceof NotForSaleError) tell('refunded', undefined, [503, error.message, error.detail]);
      throw asCustomerError(error);
    }
    const { usage } = outcome;
    const { isEstimated: _isEstimated, ...used } = usage;
    const respond = async ({ text, stopped }: Pick<Completion, 'text' | 'stopped'>) => {
      const completion: Completion = {
        text,
        stopped,
        usage: {
          inputTokens: usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
          outputTokens: usage.outputTokens,
        },
      };
      // The charge has the price: a customer may have been quoted it before the owner changed it.
      const cost = { usage: used };
      if (stream) return { body: await stream.end(completion), headers: STREAM_HEADERS, ...cost };
      if (isChat(request)) return { body: writeChat(agent, completion), ...cost };
      const early = stopped === null ? {} : { stopped };
      return { body: { text, usage: completion.usage, ...early }, ...cost };
    };
    // The customer left, so they pay for what was used until then, if the model was called.
    const isLeft = request.signal.reason === GONE && usage.requests > 0;
    if (isLeft && outcome.kind === 'failed' && outcome.reason === 'aborted') {
      tell('sold', usage, [200, null, 'The customer left before the response was ready.']);
      return respond({ text: '', stopped: 'customer_left' });
    }
    if (outcome.kind === 'failed') {
      const [status, message] = FAILURES[outcome.reason];
      const detail = `${outcome.reason}. ${outcome.detail}`.trim();
      // A customer who has the text must not get it for nothing: a prompt can make an agent fail after its last word.
      const body = await stream?.failure(`${message} You pay for what it used until then.`, outcome.reason);
      if (body !== undefined) {
        tell('sold', usage, [200, message, detail]);
        return { body, usage: used };
      }
      const refunded = `${message} Your payment is refunded.`;
      tell('refunded', usage, [status, refunded, detail]);
      throw new CustomerError(status, outcome.reason, refunded, { usage: used });
    }
    tell('sold', usage, [200, null, null]);
    return respond(outcome);
  };

  /** Returns the advance payment for the largest request, including the mint's fee for a customer's token. */
  const highestPrice = recent(async () => {
    const terms = await termsFor(MOST_PROMPT_BYTES, most);
    return prices.quote({
      ...terms,
      ttlSeconds: QUOTED_FOR_SECONDS,
      requestHash: prices.hash(['price'], ''),
    });
  });

  const readOffer = async (): Promise<Offer> => {
    const { faceValue, mints, price } = await highestPrice();
    const { maxInputTokens } = mostTokens(facts, MOST_PROMPT_BYTES, most);
    const description = config.description ?? agent;
    return { agent, description, model: facts.model, faceValue, mints, price, maxInputTokens };
  };

  /** What anybody can read as JSON, by its path. */
  const readers: Readonly<Record<string, (offer: Offer) => object>> = {
    '/': describeOffer,
    '/v1/models': (offer) => ({ object: 'list', data: [describeModel(offer)] }),
    [`/v1/models/${agent}`]: describeModel,
    '/v1/info': describeSeller,
  };

  const show = async (req: IncomingMessage, res: ServerResponse, read: (offer: Offer) => object) => {
    try {
      const offer = await readOffer();
      const isPage = read === describeOffer && wantsPage(req);
      if (isPage) sendFree(res, 200, writePage(offer, addressOf(req)), PAGE_HEADERS);
      else sendFree(res, 200, JSON.stringify(read(offer)));
    } catch (error) {
      if (error instanceof NotForSaleError) report({ kind: 'problem', message: error.detail });
      sendFree(res, 503, notReady(new NotForSaleError('').message));
    }
  };

  const sell = paid.handle(work);
  return {
    async handle(req, res) {
      req.url = usualUrl(req.url ?? '/');
      for (const [name, value] of Object.entries(FOR_PAGES)) res.setHeader(name, value);
      const path = pathOf(req);
      if (req.method === 'OPTIONS') {
        req.resume();
        res.writeHead(204).end();
        return;
      }
      const isRead = req.method === 'GET' || req.method === 'HEAD';
      const read = isRead && Object.hasOwn(readers, path) ? readers[path] : undefined;
      if (read) return show(req, res, read);
      if (isRead && path.startsWith('/v1/models/')) return sendFree(res, 404, NO_MODEL);
      const isSold = req.method === 'POST' && (path === '/' || path === CHAT_PATH);
      if (isSold && hasOtherKey(req)) {
        req.resume();
        res.setHeader('WWW-Authenticate', 'Bearer');
        return sendFree(res, 401, NO_KEY);
      }
      await (isSold ? sell(req, res) : paid.balances(req, res));
    },
    recover: paid.recover,
    close: paid.close,
  };
};
