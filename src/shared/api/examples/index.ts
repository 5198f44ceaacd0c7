// Separate, because the examples of each feature import their builder from example.ts.
import { agentExamples } from './agents.ts';
import type { RequestExample } from './example.ts';

/** Every example, by the feature that a test sends them to. */
export const examples: readonly RequestExample[] = [...agentExamples];

/** The examples of an endpoint. The first one is the most usual. */
export const examplesOf = (endpointId: string): readonly RequestExample[] =>
  examples.filter(({ endpoint }) => endpoint.id === endpointId);
