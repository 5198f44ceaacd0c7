import type { IncomingMessage, ServerResponse } from 'node:http';
import { CREATE_PATH, REFUND_PATH } from '../../resources/starter-root/shared/lib/balances.mjs';
import { createCharges } from '../../resources/starter-root/shared/lib/charges.mjs';
import { CustomerError, createPaidRequests } from '../../resources/starter-root/shared/lib/paid-request.mjs';
import type { Environment } from '../shared/pi/environment.ts';
import {
  MOST_PROMPT_BYTES,
  mostTokens,
  type SaleReport,
  type SellConfig,
  type SellReport,
} from '../shared/sale-terms.ts';
import { createAgentReader, NotForSaleError } from './api.ts';
import {
  type Completion,
  type Order,
  OrderError,
  readChat,
  readOrder,
  writeChat,
} from './chat-completions.ts';
import { type FailureReason, type RunOutcome, runAgentOnce } from './run-agent-once.ts';

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

/** The lifetime of a charge that's created only to quote a price. */
const QUOTED_FOR_SECONDS = 60;

/** Caches a function's result for a moment, so that a stranger's repeated requests cost dot-mi little. */
const recent = <T>(read: () => Promise<T>): (() => Promise<T>) => {
  let known: { readonly at: number; readonly value: Promise<T> } | undefined;
  return () => {
    if (!known || Date.now() - known.at > SHOWN_FOR_MS) known = { at: Date.now(), value: read() };
    return known.value;
  };
};

const CHAT_PATH = '/v1/chat/completions';

/** The responses that customers see instead of output. None of them reveal anything about this computer. */
const FAILURES: Readonly<Record<FailureReason, readonly [status: number, message: string]>> = {
  timeout: [504, 'The agent took too long. Your payment is refunded.'],
  too_much_output: [502, 'The agent wrote too much. Your payment is refunded.'],
  too_many_tokens: [502, 'The response would have been longer than you allowed. Your payment is refunded.'],
  aborted: [502, 'The request was stopped. Your payment is refunded.'],
  model_error: [502, 'The model failed. Your payment is refunded.'],
  not_ready: [503, 'The agent has no model at the moment. Your payment is refunded.'],
  no_answer: [502, 'The agent returned no text. Your payment is refunded.'],
  exited: [502, 'The agent stopped. Your payment is refunded.'],
  not_found: [503, 'The agent could not be started. Your payment is refunded.'],
  not_startable: [503, 'The agent could not be started. Your payment is refunded.'],
};

const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?', 1)[0] ?? '/';

const isChat = ({ path }: { readonly path: string }) => path.split('?', 1)[0] === CHAT_PATH;

const sendJson = (res: ServerResponse, status: number, body: unknown): void => {
  res.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  res.end(JSON.stringify(body));
};

/** Creates the shop. `environment` is this process's. The agent gets only part of it. */
export const createShop = (
  config: SellConfig,
  environment: Environment,
  report: (line: SellReport) => void,
): Shop => {
  const { agent, maxOutputTokens: most, priceSats } = config;
  const readAgent = createAgentReader(config);
  /** The agent's facts, cached for a moment. */
  const shownAgent = recent(readAgent);

  const orderOf = (request: CustomerRequest): Order => {
    try {
      const order = isChat(request) ? readChat(request.json()) : readOrder(request.json());
      const bytes = Buffer.byteLength(order.prompt);
      if (bytes > MOST_PROMPT_BYTES)
        throw new OrderError(
          `The prompt is ${bytes} bytes long, but this service accepts at most ${MOST_PROMPT_BYTES}. Shorten it.`,
        );
      return order;
    } catch (error) {
      if (error instanceof OrderError) throw new CustomerError(400, 'invalid_request', error.message);
      throw error;
    }
  };

  /** Limits the output to what the service allows, because some clients request more by default. */
  const limitOf = ({ maxOutputTokens = most }: Order): number => Math.min(most, maxOutputTokens);

  const termsFor = async (promptBytes: number, maxOutputTokens: number) => {
    const { model, ...facts } = await shownAgent();
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
    durationMs: 0,
    status,
    message,
    detail: null,
  });

  const paid = createPaidRequests({
    apiUrl: config.apiUrl,
    key: config.key,
    name: 'dot-mi service',
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

  const run = async (order: Order, signal: AbortSignal): Promise<RunOutcome> => {
    const { run: command } = await readAgent();
    return runAgentOnce({
      run: command,
      pi: config.pi,
      variables: config.variables,
      prompt: order.prompt,
      maxOutputTokens: limitOf(order),
      limits: { timeoutMs: config.timeoutSeconds * 1_000, mostOutputBytes: MOST_OUTPUT_BYTES },
      signal,
      environment,
      temporaryDirectory: config.temporaryDirectory,
    });
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
          durationMs: Math.round(performance.now() - startedAt),
          status,
          message,
          detail,
        },
      });

    let outcome: RunOutcome;
    try {
      outcome = await run(order, request.signal);
    } catch (error) {
      if (error instanceof NotForSaleError) tell('refunded', undefined, [503, error.message, error.detail]);
      throw asCustomerError(error);
    }
    const { usage } = outcome;
    const used = {
      // For customers, input that a provider writes to its cache costs as much as other input.
      inputTokens: usage.inputTokens + usage.cacheWriteTokens,
      outputTokens: usage.outputTokens,
      cacheReadTokens: usage.cacheReadTokens,
    };
    if (outcome.kind === 'failed') {
      const [status, message] = FAILURES[outcome.reason];
      tell('refunded', usage, [status, message, `${outcome.reason}. ${outcome.detail}`.trim()]);
      throw new CustomerError(status, outcome.reason, message, { usage: used });
    }
    tell('sold', usage, [200, null, null]);
    const { text, isCutOff } = outcome;
    const completion: Completion = {
      text,
      isCutOff,
      usage: {
        inputTokens: usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
        outputTokens: usage.outputTokens,
      },
    };
    const cost = { ...(priceSats === null ? {} : { amount: priceSats }), usage: used };
    if (!isChat(request)) return { body: { text, usage: completion.usage }, ...cost };
    const { isStream } = readChat(request.json());
    return {
      body: writeChat(agent, completion, isStream),
      ...(isStream ? { headers: { 'Content-Type': 'text/event-stream; charset=utf-8' } } : {}),
      ...cost,
    };
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

  const describe = async () => {
    const [{ model }, price] = await Promise.all([shownAgent(), highestPrice()]);
    return {
      agent,
      description: config.description ?? agent,
      model,
      price: {
        ...(priceSats === null ? {} : { perRequest: price.faceValue }),
        estimate: price.faceValue,
        currency: 'sat',
      },
      mints: price.mints,
      refund: REFUND_PATH,
      prepaid: CREATE_PATH,
    };
  };

  const models = async () => {
    const { faceValue } = await highestPrice();
    return {
      object: 'list',
      data: [
        {
          id: agent,
          object: 'model',
          created: 0,
          owned_by: 'dot-mi',
          name: agent,
          description: config.description ?? agent,
          // The format is that of Routstr's nodes (routstr-core, payment/models.py). All sats are paid in advance.
          sats_pricing: {
            prompt: 0,
            completion: 0,
            request: faceValue,
            max_prompt_cost: 0,
            max_completion_cost: 0,
            max_cost: faceValue,
          },
        },
      ],
    };
  };

  const shown: Readonly<Record<string, () => Promise<unknown>>> = {
    '/': describe,
    '/v1/models': models,
    '/v1/info': async () => {
      const { mints } = await highestPrice();
      return { name: agent, description: config.description ?? agent, mints };
    },
  };

  const sell = paid.handle(work);
  return {
    async handle(req, res) {
      const path = pathOf(req);
      const page = req.method === 'GET' && Object.hasOwn(shown, path) ? shown[path] : undefined;
      if (page) {
        try {
          sendJson(res, 200, await page());
        } catch (error) {
          const { message } = new NotForSaleError('');
          if (error instanceof NotForSaleError) report({ kind: 'problem', message: error.detail });
          sendJson(res, 503, { error: { message, type: 'api_error', code: 'service_unavailable' } });
        }
        return;
      }
      const isSold = req.method === 'POST' && (path === '/' || path === CHAT_PATH);
      await (isSold ? sell(req, res) : paid.balances(req, res));
    },
    recover: paid.recover,
    close: paid.close,
  };
};
