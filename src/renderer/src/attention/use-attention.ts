import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import {
  agentListQuery,
  btcPriceQuery,
  budgetsQuery,
  checkCountsQuery,
  linkCountsQuery,
} from '../api/queries.ts';

import { lastRead } from '../api/read-status.ts';
import { balanceQuery, mintQuery } from '../api/wallet-queries.ts';
import { type Attention, findAttention } from './find-attention.ts';

/**
 * Everything that needs attention, from the same reads as the views. `asksAll` also asks about the mint and the
 * checks; otherwise only what a view has already read of them counts.
 */
export const useAttention = ({ asksAll }: { readonly asksAll: boolean }): readonly Attention[] => {
  const agents = lastRead(useQuery(agentListQuery()));
  const links = lastRead(useQuery(linkCountsQuery()));
  const balance = lastRead(useQuery(balanceQuery()));
  const mint = lastRead(useQuery({ ...mintQuery(), enabled: asksAll }));
  const checks = lastRead(useQuery({ ...checkCountsQuery(), enabled: asksAll }))?.agents;
  const budgets = lastRead(useQuery(budgetsQuery()));
  const priceRead = useQuery(btcPriceQuery());
  const price = lastRead(priceRead);
  const hasNoPrice = priceRead.error?.code === 'price_unavailable';
  return useMemo(
    () =>
      findAttention({
        agents,
        links,
        checks,
        budgets: budgets && [...budgets.values()],
        balance,
        mint,
        price,
        hasNoPrice,
      }),
    [agents, links, checks, budgets, balance, mint, price, hasNoPrice],
  );
};
