import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { staleKeys } from '../../src/renderer/src/api/invalidations.ts';
import { servicesQuery } from '../../src/renderer/src/api/service-queries.ts';
import {
  isRight,
  NEW_TERMS,
  priceTermsOf,
  saleBlocker,
  type TypedTerms,
  termsOf,
  toTerms,
} from '../../src/renderer/src/features/sell/sale-terms.ts';
import { sellCommands } from '../../src/renderer/src/features/sell/sell-commands.ts';
import { forgetSaved, keepTyped, typedFor } from '../../src/renderer/src/features/sell/typed-terms.ts';
import type { PageRoute } from '../../src/renderer/src/routes.ts';
import { type Service, startService } from '../../src/shared/api/services.ts';

const service: Service = {
  agent: 'translator',
  state: 'running',
  url: 'http://127.0.0.1:8402',
  port: 8402,
  priceSats: null,
  marginPercent: 50,
  maxOutputTokens: 1_000,
  parallel: 3,
  timeoutSeconds: 60,
  lossLimitSats: 500,
  description: 'Translates.',
  variables: ['OPENAI_API_KEY', 'OTHER'],
  startsWithApp: true,
  accepts: [],
  copiedAt: '2026-11-26T00:00:00.000Z',
  createdAt: '2026-11-26T00:00:00.000Z',
};

/** What the API makes of typed terms. */
const accepted = (typed: TypedTerms) => {
  const terms = toTerms(typed);
  return terms && startService.body.parse({ agent: 'translator', ...terms });
};

describe('the terms of a sale', () => {
  it('are those of the API until something is typed', () => {
    expect(accepted(NEW_TERMS)).toEqual(startService.body.parse({ agent: 'translator' }));
  });

  it('of a service come back as they were', () => {
    const {
      copiedAt: _copiedAt,
      state: _state,
      url: _url,
      createdAt: _createdAt,
      priceSats: _priceSats,
      ...kept
    } = service;
    expect(accepted(termsOf(service))).toEqual(kept);
    expect(accepted(termsOf({ ...service, priceSats: 7 }))).toEqual({ ...kept, priceSats: 7 });
  });

  it('have a margin or a flat price, and ignore what is typed for the other', () => {
    expect(priceTermsOf({ ...NEW_TERMS, price: 'none' })).toEqual({
      marginPercent: 30,
      maxOutputTokens: 2_000,
    });
    const flat: TypedTerms = { ...NEW_TERMS, pricing: 'flat', price: '1,500', margin: 'none' };
    expect(priceTermsOf(flat)).toEqual({ priceSats: 1_500, maxOutputTokens: 2_000 });
    expect(accepted(flat)).toMatchObject({ priceSats: 1_500, marginPercent: 30 });
  });

  it.each([
    ['margin', '-1'],
    ['margin', '2.5'],
    ['margin', ''],
    ['maxOutputTokens', '0'],
    ['parallel', '33'],
    ['timeoutSeconds', '9'],
    ['port', '80'],
    ['port', '70000'],
    ['description', 'x'.repeat(1_000)],
  ] as const)('are refused with the %s %o', (field, text) => {
    const typed = { ...NEW_TERMS, [field]: text };
    expect([isRight(typed, field), toTerms(typed)]).toEqual([false, undefined]);
  });

  it('may lack a port and a sentence', () => {
    expect(toTerms({ ...NEW_TERMS, port: ' ', description: ' ' })).toMatchObject({
      port: undefined,
      description: undefined,
    });
  });
});

describe('what stops a sale', () => {
  const free = { hasNoBtcPrice: false };

  it('is said in a sentence', () => {
    expect(saleBlocker(NEW_TERMS, free)).toBeUndefined();
    expect(saleBlocker({ ...NEW_TERMS, port: '80' }, free)).toBe('Correct “Port” first.');
    expect(saleBlocker(NEW_TERMS, { hasNoBtcPrice: true })).toBe('There is no BTC price yet.');
  });

  it('is no BTC price only if the price is made from one', () => {
    const flat = { ...NEW_TERMS, pricing: 'flat' } as const;
    expect(saleBlocker(flat, { ...free, hasNoBtcPrice: true })).toBeUndefined();
  });
});

describe('typed terms', () => {
  it('wait for the person, and are forgotten once they are saved', () => {
    const typed = { ...NEW_TERMS, margin: '55' };
    keepTyped('root scout', typed);
    expect([typedFor('root scout'), typedFor('root writer')]).toEqual([typed, undefined]);
    const later = { ...typed, margin: '60' };
    keepTyped('root scout', later);
    forgetSaved('root scout', typed);
    expect(typedFor('root scout')).toBe(later);
    forgetSaved('root scout', later);
    expect(typedFor('root scout')).toBeUndefined();
  });
});

describe('the commands', () => {
  const titles = (page: PageRoute, services: readonly Service[] | undefined) => {
    const client = new QueryClient();
    if (services) client.setQueryData(servicesQuery().queryKey, [...services]);
    const paths: string[] = [];
    const commands = sellCommands({
      page,
      client,
      navigate: (path) => paths.push(path),
      show: () => undefined,
    });
    commands.find(({ id }) => id === 'agent.sell')?.run();
    return [commands.map(({ title }) => title), paths];
  };
  const agent = (id: string): PageRoute => ({ name: 'agent', id, section: { kind: 'activity' } });

  it('sell the open agent, on its own tab', () => {
    expect(titles(agent('translator'), undefined)).toEqual([
      ['Sell translator…'],
      ['/agents/translator/sell'],
    ]);
    expect(titles({ name: 'wallet' }, [])).toEqual([[], []]);
  });

  it('stop selling what is sold, from everywhere', () => {
    expect(titles(agent('translator'), [service])).toEqual([['Stop selling translator'], []]);
    expect(titles({ name: 'wallet' }, [service])).toEqual([['Stop selling translator'], []]);
    expect(titles({ name: 'wallet' }, [{ ...service, state: 'stopped' }])).toEqual([[], []]);
    expect(titles(agent('translator'), [{ ...service, state: 'closed' }])[0]).toEqual([
      'Sell translator…',
      'Stop selling translator',
    ]);
  });
});

describe('events', () => {
  it('of a service read services again, and those of a paid charge read the wallet', () => {
    expect(staleKeys({ name: 'services', data: { agent: 'translator', state: 'running' } })).toEqual([
      ['services'],
    ]);
    const data = { id: 'c', agent: null };
    expect(staleKeys({ name: 'charge', data: { ...data, state: 'settled' } })).toContainEqual(['wallet']);
    expect(staleKeys({ name: 'charge', data: { ...data, state: 'open' } })).toEqual([]);
  });
});
