import { lookup } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { resolveConfigValue } from '../../pi/config-value.ts';
import { isOwnVariable } from '../../pi/environment.ts';
import { findSecrets } from '../../pi/secrets.ts';
import type { CallableApi, FoundModels, TestedModel } from '../../shared/api/pi-models.ts';
import { isLoopbackHost } from '../../shared/page-host.ts';
import { AppError, systemCode } from '../platform/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import { quoted } from '../platform/words.ts';
import {
  LOCAL_ROUTES,
  modelsIn,
  PROVIDER_APIS,
  type ProviderApi,
  refusalIn,
  withLocalFacts,
} from './provider-apis.ts';

/** How long a provider can take. A local server may load the model first. */
export interface ProviderTimes {
  readonly listMs: number;
  readonly testMs: number;
}

const TIMES: ProviderTimes = { listMs: 10_000, testMs: 120_000 };
/** How long a local server can take for each fact that isn't needed. */
const FACTS_MS = 2_000;

/** SECURITY: an endless response must not fill memory. OpenRouter's list is below 2 MB. */
const MAX_BYTES = 8 * 1024 * 1024;

/** The longest texts of a provider that dot-mi shows, in characters. */
const MAX_REFUSAL = 300;
const MAX_TEXT = 300;

/** A provider as a form describes it. */
export interface Provider {
  readonly baseUrl: string;
  readonly api: CallableApi;
  /** As in models.json. */
  readonly apiKey?: string | undefined;
}

interface CallerDeps {
  /** Reads a variable of dot-mi's own environment. */
  readVariable(name: string): string | undefined;
  /** Returns whether a dot-mi listens there. */
  isDotMi(host: string, port: number): Promise<boolean>;
  readonly clock: Pick<Clock, 'now'>;
  /** Ends calls when the server stops. */
  readonly signal: AbortSignal;
  readonly times?: ProviderTimes | undefined;
}

const refused = (message: string) => new AppError('provider_refused', message);
const failed = (message: string) => new AppError('provider_failed', message);

/** SECURITY: without TLS, a name that another computer's address could be behind is never called. */
const lookupLoopback: LookupFunction = (hostname, options, callback) =>
  lookup(hostname, options, (error, address, family) => {
    const all = Array.isArray(address) ? address.map((each) => each.address) : [address];
    if (error || all.every(isLoopbackHost)) callback(error, address, family);
    else callback(Object.assign(new Error('not this computer'), { code: 'EACCES' }), address, family);
  });

const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

const isHere = ({ hostname }: URL): boolean => isLoopbackHost(hostname);

/** Checks an address. Throws `provider_refused`. SECURITY: the only check of where dot-mi sends requests. */
const addressOf = (baseUrl: string): URL => {
  const text = baseUrl.trim().replace(/\/+$/, '');
  if (!URL.canParse(text))
    throw refused(`${quoted(text)} isn’t an address. Enter one such as http://127.0.0.1:1234/v1.`);
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw refused(
      'The address can’t have a user name, a password, “?” or “#”. Enter the key as the API key.',
    );
  if (url.protocol === 'https:') return url;
  if (url.protocol !== 'http:') throw refused('The address must start with https:// or http://.');
  if (!isHere(url))
    throw refused(
      `dot-mi calls addresses with http:// only on this computer, such as http://127.0.0.1:1234/v1. Use https:// for ${quoted(url.hostname)}.`,
    );
  return url;
};

interface ProviderReply {
  readonly status: number;
  /** Undefined if it isn't JSON. */
  readonly body: unknown;
}

const readBounded = async (response: IncomingMessage, host: string): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw failed(`${host} sent more than 8 MB. Check the address: most end with /v1.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Explains why there's no response. */
const reasonOf = (error: unknown, host: string): string => {
  const code = systemCode(error) ?? '';
  if (code === 'ECONNREFUSED') return `Nothing responds at ${host}. Start the server there, then try again.`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dot-mi can’t find ${host}. Check the address.`;
  if (/CERT|SIGNATURE|SELF_SIGNED|ISSUER/.test(code))
    return `dot-mi can’t verify the certificate of ${host} (${code}).`;
  if (/SSL|EPROTO|WRONG_VERSION/.test(code))
    return `${host} doesn’t use TLS. Check whether the address starts with http://.`;
  return `dot-mi can’t reach ${host}${code === '' ? '' : ` (${code})`}. Check the address.`;
};

interface ProviderCall {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object | undefined;
  readonly timeoutMs: number;
}

/** Sends one request. Follows no redirect. Throws `provider_failed`. */
const send = async (
  { url, headers, body, timeoutMs }: ProviderCall,
  stopping: AbortSignal,
): Promise<ProviderReply> => {
  const { host, protocol } = url;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const isTls = protocol === 'https:';
      const sent = (isTls ? httpsRequest : httpRequest)(url, {
        method: body === undefined ? 'GET' : 'POST',
        signal: AbortSignal.any([timeout, stopping]),
        // A connection of its own, which no proxy of the environment gets.
        agent: false,
        headers: {
          accept: 'application/json',
          'user-agent': 'dot-mi',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(isTls ? {} : { lookup: lookupLoopback }),
      });
      sent.once('response', resolve);
      // Keep listening after the response starts, because an unhandled error would end the process.
      sent.on('error', reject);
      sent.once('upgrade', (_response, socket) => {
        socket.destroy();
        reject(new Error('the provider changed the protocol'));
      });
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
    const { statusCode: status = 0 } = response;
    if (status >= 300 && status < 400) {
      response.destroy();
      // SECURITY: the key goes only to the address that the operator entered.
      throw failed(
        `${host} redirects to another address. dot-mi doesn’t follow it. Enter that address instead.`,
      );
    }
    return { status, body: parsed(await readBounded(response, host)) };
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (timeout.aborted)
      throw failed(
        `${host} didn’t respond within ${timeoutMs / 1000} seconds. Check the server, then try again.`,
      );
    throw failed(reasonOf(error, host));
  }
};

/** Shorter ones are words that local servers ignore, such as "ollama". */
const MIN_KEY = 8;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]+/gu;

/** Returns a provider's text without secrets, on one line. SECURITY: some providers repeat the key. */
const shown = (text: string, key: string | undefined, most: number): string => {
  let safe = key === undefined || key.length < MIN_KEY ? text : text.replaceAll(key, '•••');
  for (const { start, end } of [...findSecrets(safe)].reverse())
    safe = `${safe.slice(0, start)}•••${safe.slice(end)}`;
  const line = safe.replace(UNSEEN, ' ').replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most).toWellFormed()}…` : line;
};

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const NOT_FOUND = 404;

/** Says in plain words why a provider refused a request. */
const refusalOf = ({ status, body }: ProviderReply, { host }: URL, key: string | undefined): string => {
  const words = shown(refusalIn(body), key, MAX_REFUSAL);
  const said = words === '' ? '' : ` It says: ${words}`;
  if (status === UNAUTHORIZED || status === FORBIDDEN)
    return key === undefined
      ? `${host} needs an API key (${status}).${said}`
      : `${host} refused the API key (${status}).${said}`;
  if (status === NOT_FOUND && words === '')
    return `${host} has no such API (404). Check the address: most end with /v1.`;
  return `${host} refused the request (${status}).${said}`;
};

/** Lists and tests the models of providers. */
export interface ProviderCaller {
  list(provider: Provider): Promise<FoundModels>;
  test(provider: Provider, model: string): Promise<TestedModel>;
}

/** Creates a {@link ProviderCaller}. It throws `provider_refused` and `provider_failed`. */
export const createProviderCaller = ({
  readVariable,
  isDotMi,
  clock,
  signal,
  times = TIMES,
}: CallerDeps): ProviderCaller => {
  const keyOf = (apiKey: string | undefined): string | undefined => {
    if (apiKey === undefined) return undefined;
    const resolved = resolveConfigValue(apiKey, (name) => {
      // SECURITY: no provider gets dot-mi's own tokens.
      if (isOwnVariable(name))
        throw refused(`${name} is dot-mi’s own, so no provider gets it. Use another variable.`);
      return readVariable(name);
    });
    if ('isCommand' in resolved)
      throw refused('dot-mi doesn’t run the command that gets the API key. Test the model in pi.');
    if ('missing' in resolved)
      throw refused(
        `dot-mi’s environment has no ${resolved.missing}. Start dot-mi from a terminal where it’s set, or test the model in pi.`,
      );
    if (/[^\x21-\x7e]/.test(resolved.value))
      throw refused('The API key has a character that no key can have, such as a space. Enter it again.');
    return resolved.value;
  };

  const open = ({ baseUrl, api, apiKey }: Provider) => {
    const base = addressOf(baseUrl);
    const key = keyOf(apiKey);
    const rules: ProviderApi = PROVIDER_APIS[api];
    const headers = key === undefined ? {} : rules.headers(key);
    const at = (path: string) => new URL(`${base.href.replace(/\/+$/, '')}${path}`);
    const call = async (path: string, timeoutMs: number, body?: object): Promise<unknown> => {
      const reply = await send({ url: at(path), headers, body, timeoutMs }, signal);
      const isFine = reply.status >= 200 && reply.status < 300;
      if (isFine && reply.body !== undefined) return reply.body;
      if (isHere(base) && (await isDotMi(bareHost(base), Number(base.port || 80))))
        throw failed(
          `dot-mi itself responds at ${base.host}. vLLM has the same default port. Start vLLM with another one, such as --port 8001, and enter that address.`,
        );
      throw failed(
        isFine
          ? `${base.host} didn’t respond with JSON. Check the address: most end with /v1.`
          : refusalOf(reply, base, key),
      );
    };
    /** Returns undefined if the server has no such route. */
    const fact = async (path: string): Promise<unknown> => {
      const reply = await send({ url: new URL(path, base), headers, timeoutMs: FACTS_MS }, signal).catch(
        () => undefined,
      );
      return reply?.status === 200 ? reply.body : undefined;
    };
    return { base, key, rules, call, fact };
  };

  return {
    async list(provider) {
      const { base, rules, call, fact } = open(provider);
      const found = modelsIn(await call(rules.list.path, times.listMs));
      if (!found)
        throw failed(
          `${base.host} didn’t respond with a list of models. Check the address: most end with /v1.`,
        );
      return isHere(base) ? withLocalFacts(found, await Promise.all(LOCAL_ROUTES.map(fact))) : found;
    },
    async test(provider, model) {
      const { base, key, rules, call } = open(provider);
      const { path, body } = rules.test(model, base.hostname);
      const startedAt = clock.now();
      const text = rules.textIn(await call(path, times.testMs, body));
      if (text === undefined)
        throw failed(`${base.host} didn’t respond as this API does. Choose another API.`);
      return { text: shown(text, key, MAX_TEXT), durationMs: Math.max(0, clock.now() - startedAt) };
    },
  };
};
