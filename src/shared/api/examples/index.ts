// Separate from example.ts, because each feature's examples import their builder from there.
import { agentExamples } from './agents.ts';
import type { RequestExample } from './example.ts';
import {
  chargeExamples,
  confirmExamples,
  prepaidExamples,
  pricingExamples,
  restoreExamples,
  serviceExamples,
  testMoneyExamples,
  testTokenExamples,
  walletExamples,
} from './money.ts';
import { programExamples, settingsExamples } from './program.ts';
import { workExamples } from './work.ts';

/** Every example, grouped by the feature that a test sends it to. */
export const examples: readonly RequestExample[] = [
  ...agentExamples,
  ...workExamples,
  ...restoreExamples,
  ...confirmExamples,
  ...walletExamples,
  ...chargeExamples,
  ...prepaidExamples,
  ...serviceExamples,
  ...testMoneyExamples,
  ...testTokenExamples,
  ...pricingExamples,
  ...programExamples,
  ...settingsExamples,
];

/** Returns an endpoint's examples, the most typical one first. */
export const examplesOf = (endpointId: string): readonly RequestExample[] =>
  examples.filter(({ endpoint }) => endpoint.id === endpointId);
