import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { AgentCost } from '../../../shared/api/cost.ts';
import type { BtcPrice } from '../../../shared/api/pricing.ts';
import { satsPerToken, usdPerToken } from '../../../shared/sats.ts';
import { costQuery } from '../api/agent-queries.ts';
import type { ReadModels } from '../api/models.ts';
import { btcPriceQuery, modelsQuery } from '../api/queries.ts';
import { lastRead, type ReadStatus, readStatus } from '../api/read-status.ts';
import { models as words } from '../strings/models.ts';
import type { ModelChoice } from './model-rows.ts';

/** The models with their prices. */
export interface PricedChoices {
  readonly choices: readonly ModelChoice[];
  /** Says what the prices are for. */
  readonly caption: string;
}

const ofAgent = ({ models, promptTokens, unreadable }: AgentCost): PricedChoices => ({
  choices: models.map(({ model, call }) => ({
    name: model,
    // If one of the prompt's files is unreadable, the price would be too low.
    price: unreadable.length === 0 ? call : null,
  })),
  caption: unreadable.length === 0 ? words.perCall(promptTokens) : words.uncounted,
});

const TOKENS = 1_000;

const ofTokens = ({ models }: ReadModels, btc: BtcPrice | undefined): PricedChoices => ({
  choices: models.map(({ name, inputUsd }) => ({
    name,
    price: {
      usd: TOKENS * usdPerToken(inputUsd),
      sats: btc ? TOKENS * satsPerToken(inputUsd, btc.btc_price_usd) : null,
    },
  })),
  caption: words.perThousand,
});

/**
 * Returns the models in the models file, each with the price of a call with an agent's prompt, or of 1,000 input
 * tokens.
 */
export const useModelChoices = (agent: string | undefined): ReadStatus<PricedChoices> => {
  const btc = lastRead(useQuery({ ...btcPriceQuery(), enabled: agent === undefined }));
  const cost = useQuery({ ...costQuery(agent ?? ''), enabled: agent !== undefined, select: ofAgent });
  const models = useQuery({
    ...modelsQuery(),
    enabled: agent === undefined,
    select: useCallback((read: ReadModels) => ofTokens(read, btc), [btc]),
  });
  return readStatus(agent === undefined ? models : cost);
};
