import { getIndex } from '../../shared/api/api-index.ts';
import type { EndpointShape } from '../../shared/api/endpoint.ts';
import { getHealth, getOpenApi, type Health } from '../../shared/api/health.ts';
import { createApiIndex } from '../http/api-index.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import { type OpenApiDocument, partOf } from '../http/openapi-part.ts';
import type { Clock } from '../platform/clock.ts';

/** What health reports in addition to the uptime. */
type HealthFacts = Pick<Health, 'version' | 'devMode' | 'asksForToken'> & {
  dotMiRoot: string;
  rootId: string;
  /** Proves to a page that this is the server that signed it in. */
  prove: (nonce: string, origin: string) => string[];
  /** Changes without a restart. */
  isFirstRun: () => boolean;
  /** Answers from memory, because health never waits for a disk. */
  isRootTrusted: () => boolean;
};

/** Health, the index and the OpenAPI document, which never ask for a token. */
export const healthRoutes =
  (
    { isFirstRun, isRootTrusted, prove, ...facts }: HealthFacts,
    clock: Clock,
    endpoints: readonly EndpointShape[],
  ): Routes =>
  (bind) => {
    const startedAtMs = clock.now();
    let health: Health | undefined;

    bind(getHealth, ({ query: { nonce, origin } }, caller) => {
      const uptimeSeconds = Math.max(0, Math.floor((clock.now() - startedAtMs) / 1000));
      const [firstRun, rootTrusted] = [isFirstRun(), isRootTrusted()];
      const isSame = health?.firstRun === firstRun && health.rootTrusted === rootTrusted;
      if (!isSame || health?.uptimeSeconds !== uptimeSeconds)
        health = Object.freeze({ ok: true, ...facts, firstRun, rootTrusted, uptimeSeconds });
      if (nonce === undefined && !facts.asksForToken) return health;
      const answer: Health = { ...health };
      // Only callers with a token learn where the root is.
      if (facts.asksForToken && !caller.may('api')) {
        delete answer.dotMiRoot;
        delete answer.rootId;
      }
      return nonce && origin ? { ...answer, proofs: prove(nonce, origin) } : answer;
    });

    const index = createApiIndex(endpoints, facts.asksForToken);
    bind(getIndex, (_, { origin }) => ({ ...index, address: origin }));

    let document: Promise<OpenApiDocument> | undefined;
    const createDocument = async (): Promise<OpenApiDocument> => {
      // Loaded on first use: the generator is the server's largest module, and startup doesn't need it.
      const { createOpenApiDocument } = await import('../http/openapi.ts');
      return Object.freeze(createOpenApiDocument(endpoints, facts));
    };
    bind(getOpenApi, async ({ query: { path } }) => {
      document ??= createDocument();
      const whole = await document;
      return path === undefined ? whole : partOf(whole, path);
    });
  };
