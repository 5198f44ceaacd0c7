import { rename, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';
import { forkProgram } from '../../../../src/server/selling/service-process.ts';
import * as services from '../../../../src/shared/api/services.ts';
import { SOURCES } from '../../../support/btc-sources/answers.ts';
import { playBtcSources } from '../../../support/btc-sources/play.ts';
import { freePort } from '../../../support/free-port.ts';
import { plant } from '../../../support/plant.ts';
import { until } from '../../../support/raw-http.ts';
import { SOLD, serveShop, soldArgs } from '../../../support/sold-service.ts';
import { serveWallet } from '../../../support/wallet.ts';
import { recordWire } from '../record.ts';

const flat = { agent: SOLD, priceSats: 5 };
const byModel = { agent: SOLD, marginPercent: 50, maxOutputTokens: 100 };
const params = { agent: SOLD };
const priced = (behavior: string) => `--model\ngpt-5.4\n${soldArgs(behavior)}`;
const args = `agents/${SOLD}/pi-args`;

test('the wire of services is as recorded', () =>
  recordWire('services', async (ask) => {
    const shop = await serveShop();
    const { server } = shop;
    const { startService, previewService } = services;
    await ask(server, services.listServices, 'success', { label: 'none' });
    await ask(server, services.stopService, 'service_not_found', { params, body: {} });
    await ask(server, services.listSales, 'service_not_found', { params });
    await ask(server, services.listSoldChanges, 'service_not_found', { params });
    await ask(server, services.buyFromService, 'service_not_found', { params, body: { prompt: 'Hi' } });
    const id = { params: { id: SOLD } };
    await ask(server, services.checkService, 'service_not_found', id);
    await ask(server, services.checkService, 'invalid_agent_id', { params: { id: 'A B' } });
    await ask(server, services.checkService, 'agent_not_found', { params: { id: 'nobody' } });
    for (const endpoint of [previewService, startService]) {
      await ask(server, endpoint, 'agent_not_found', { body: { agent: 'nobody' } });
      await ask(server, endpoint, 'invalid_request', { body: { ...flat, priceSats: 0 } });
      await ask(server, endpoint, 'agent_not_priced', { body: byModel });
    }
    await ask(server, previewService, 'success', { body: flat, label: 'flat' });

    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await until(() => other.listening);
    const { port } = other.address() as { port: number };
    await ask(server, startService, 'port_in_use', { body: { ...flat, port } });
    const { body: service } = await ask(server, startService, 'success', {
      body: { ...flat, port: await freePort() },
    });
    const purchase = { params, body: { prompt: 'Hi' } };
    await ask(server, services.buyFromService, 'insufficient_funds', purchase);
    await (await shop.customer()).buy(service.url, { prompt: 'Hi' });
    await server.asOperator('POST', '/api/wallet/receive', { token: shop.mint.issue(64) });
    await ask(server, services.buyFromService, 'success', purchase);
    await ask(server, services.listSales, 'success', { params });
    await ask(server, services.listServices, 'success');
    await ask(server, services.checkService, 'success', id);
    await ask(server, services.listSoldChanges, 'success', { params, label: 'none' });
    await plant(server.rootPath, { [`agents/${SOLD}/notes.md`]: 'New.\n' });
    await ask(server, services.listSoldChanges, 'success', { params });
    await ask(server, services.stopService, 'success', { params, body: {} });
    await ask(server, services.buyFromService, 'service_failed', purchase);
    await plant(server.rootPath, { [args]: '--behave\necho\n' });
    await ask(server, startService, 'tools_not_accepted', { body: flat });

    await until(async () => (await server.call('GET', '/api/pricing/btc')).status === 200);
    await server.asOperator('PUT', '/api/pricing/models', {
      models: { 'gpt-5.4': { input_usd_per_million: 500, output_usd_per_million: 1_000 } },
    });
    await plant(server.rootPath, { [args]: priced('echo') });
    await ask(server, previewService, 'success', { body: byModel });
    await writeFile(join(server.dataDirectory, 'data/model_pricing.json'), '{');
    await server.asOperator('DELETE', '/api/root/trust');
    await ask(server, startService, 'root_not_trusted', { body: flat });
    const link = join(server.rootPath, `agents/${SOLD}/secrets`);
    await symlink(join(server.dataDirectory, 'data'), link);
    await ask(server, services.listSoldChanges, 'service_failed', { params });
    await rename(join(server.rootPath, `agents/${SOLD}`), join(server.rootPath, 'agents/other'));
    await ask(server, services.listSoldChanges, 'agent_not_found', { params });
    await rename(join(server.rootPath, 'agents/other'), join(server.rootPath, `agents/${SOLD}`));
    await rename(server.rootPath, `${server.rootPath}-gone`);
    await ask(server, services.listSoldChanges, 'root_unavailable', { params });
    await ask(server, services.checkService, 'root_unavailable', id);
    await ask(server, previewService, 'root_unavailable', { body: flat });
    await ask(server, startService, 'root_unavailable', { body: flat });
  }));

test('the wire of services without prices is as recorded', () =>
  recordWire('services-unpriced', async (ask) => {
    const sources = await playBtcSources();
    await Promise.all(SOURCES.map((name) => sources.down(name)));
    const { server, mint, ...shop } = await serveShop({
      files: { [args]: priced('echo') },
      environment: { BTC_PRICE_SOURCES: sources.setting() },
    });
    await server.asOperator('PUT', '/api/pricing/models', {
      models: { 'gpt-5.4': { input_usd_per_million: 500, output_usd_per_million: 1_000 } },
    });
    await ask(server, services.previewService, 'price_unavailable', { body: byModel });
    await ask(server, services.startService, 'price_unavailable', { body: byModel });
    await server.close();
    await writeFile(join(server.dataDirectory, 'data/model_pricing.json'), '{');
    const damaged = await serveShop({ mint, after: server, files: { [args]: priced('echo') } });
    await ask(damaged.server, services.previewService, 'pricing_config_invalid', { body: byModel });
    await ask(damaged.server, services.startService, 'pricing_config_invalid', { body: byModel });
    await damaged.server.close();

    const { directory, rootPath: root, dataDirectory } = server;
    const again = { directory, root, dataDirectory, environment: shop.environment };
    // A process that ends at once.
    const broken = await serveWallet(mint.url, {
      ...again,
      startProgram: (file, _args, path) => forkProgram(file, ['/nowhere.json'], path),
    });
    await ask(broken, services.startService, 'service_failed', { body: flat });
  }));
