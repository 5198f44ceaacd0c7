import type { EndpointShape } from '../../shared/api/endpoint.ts';
import { getIndex, getOpenApi } from '../../shared/api/openapi.ts';
import type { Feature } from '../feature.ts';
import { createApiIndex } from '../http/api-index.ts';
import { type OpenApiDocument, partOf } from '../http/openapi-part.ts';

interface OpenApiDeps {
  endpoints: readonly EndpointShape[];
  facts: { readonly version: string; readonly asksForToken: boolean };
}

/** Creates the routes that describe all others: the index and the OpenAPI document. They never require a token. */
export const createOpenApi = ({ endpoints, facts }: OpenApiDeps): Feature => {
  const index = createApiIndex(endpoints, facts.asksForToken);
  const createDocument = async (): Promise<OpenApiDocument> => {
    // Loaded on first use, because the generator is the server's largest module, and startup doesn't need it.
    const { createOpenApiDocument } = await import('../http/openapi.ts');
    return Object.freeze(createOpenApiDocument(endpoints, facts));
  };
  let document: Promise<OpenApiDocument> | undefined;
  return {
    routes(bind) {
      bind(getIndex, (_, _caller, originOf) => ({ ...index, address: originOf() }));
      bind(getOpenApi, async ({ query: { path } }) => {
        document ??= createDocument();
        const whole = await document;
        return path === undefined ? whole : partOf(whole, path);
      });
    },
  };
};
