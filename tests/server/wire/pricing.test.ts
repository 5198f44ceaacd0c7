import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, test } from 'vitest';
import { getCost } from '../../../src/shared/api/cost.ts';
import * as pricing from '../../../src/shared/api/pricing.ts';
import { SOURCES } from '../../support/btc-sources/answers.ts';
import { playBtcSources } from '../../support/btc-sources/play.ts';
import { modelRows, modelsText, servePricing } from '../pricing/serve-pricing.ts';
import { recordWire } from './record.ts';

const quoted = { model: 'a', inputTokens: '10' };
const PRICES = { a: [1, 2], free: [0, 0] } as const;

/** A price list that cannot be read, in place of the public ones. */
const playBrokenLists = async () => {
  const server = createServer((_, response) => response.writeHead(500).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { 'models.dev': url, litellm: url, openrouter: url };
};

test('the wire of the prices is as recorded', () =>
  recordWire('pricing', async (ask) => {
    const server = await servePricing({ priceListUrls: await playBrokenLists() });
    const models = modelRows(PRICES);
    const { body } = await ask(server, pricing.writeModels, 'success', { body: { models } });
    await ask(server, pricing.writeModels, 'success', {
      headers: { 'If-Match': body.etag },
      body: { models },
      label: 'unchanged',
    });
    await ask(server, pricing.writeModels, 'file_changed', {
      headers: { 'If-Match': `"${'0'.repeat(64)}"` },
      body: { models },
    });
    await ask(server, pricing.writeModels, 'invalid_request', {
      body: { models: modelRows({ a: [-1, 0] }) },
    });
    await ask(server, pricing.listModels, 'success');
    await ask(server, pricing.getTokenPrice, 'success', { query: { model: 'a' } });
    await ask(server, pricing.getTokenPrice, 'missing_model');
    await ask(server, pricing.quoteTokens, 'success', { query: quoted });
    const cached = { ...quoted, cacheReadTokens: '5' };
    await ask(server, pricing.quoteTokens, 'success', { query: cached, label: 'without a price' });
    await ask(server, pricing.quoteTokens, 'missing_model');
    await ask(server, pricing.quoteTokens, 'invalid_request', { query: { model: 'a' } });
    await ask(server, pricing.quoteTokens, 'unknown_model', { query: { ...quoted, model: 'x/A' } });
    await ask(server, pricing.getTokenPrice, 'unknown_model', { query: { model: 'nothing' } });
    await server.asOperator('PUT', '/api/pricing/models', { models: modelRows({ a: [1, 2, 0.1, 1] }) });
    await ask(server, pricing.listModels, 'success', { label: 'with cache prices' });
    await ask(server, pricing.getTokenPrice, 'success', {
      query: { model: 'a' },
      label: 'with cache prices',
    });
    const cost = { params: { id: 'scout' }, query: { model: 'a', outputTokens: '10' } };
    await ask(server, getCost, 'success', { ...cost, label: 'with a price' });
    await ask(server, pricing.getBtcPrice, 'success');
    await ask(server, pricing.refreshPrice, 'success');
    await ask(server, pricing.listPriceHistory, 'success', { query: { hours: '1' } });
    await ask(server, pricing.listPriceHistory, 'invalid_request', { query: { hours: 'x' } });

    const content = modelsText({ a: [3, 4], b: [5, 6], bad: [-1, 0] });
    await ask(server, pricing.previewImport, 'success', { body: { content } });
    await ask(server, pricing.previewImport, 'price_list_invalid', { body: { content: 'nothing' } });
    await ask(server, pricing.previewImport, 'price_list_unavailable', { body: { source: 'litellm' } });

    await writeFile(server.models, '{');
    await ask(server, pricing.listModels, 'success', { label: 'damaged file' });
    await rm(server.models);
    await mkdir(server.models);
    await ask(server, pricing.writeModels, 'not_a_file', { body: { models } });
  }));

test('the wire of unavailable prices is as recorded', () =>
  recordWire('no-prices', async (ask) => {
    const sources = await playBtcSources();
    await Promise.all(SOURCES.map((name) => sources.down(name)));
    const server = await servePricing({ sources, early: true });
    const models = modelRows(PRICES);
    await server.asOperator('PUT', '/api/pricing/models', { models });
    await ask(server, pricing.getBtcPrice, 'price_unavailable');
    await ask(server, pricing.getTokenPrice, 'price_unavailable', { query: { model: 'a' } });
    await ask(server, pricing.quoteTokens, 'price_unavailable', { query: quoted });
    await ask(server, pricing.refreshPrice, 'refresh_failed');
    await server.close();

    await writeFile(server.models, '{');
    const directory = server.models.slice(0, server.models.lastIndexOf('/'));
    const damaged = await servePricing({ directory });
    await ask(damaged, pricing.listModels, 'pricing_config_invalid');
    await ask(damaged, pricing.getTokenPrice, 'pricing_config_invalid', { query: { model: 'a' } });
    await ask(damaged, pricing.quoteTokens, 'pricing_config_invalid', { query: quoted });
    await ask(damaged, getCost, 'pricing_config_invalid', { params: { id: 'scout' } });
  }));
