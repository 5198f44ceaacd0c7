import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../../support/raw-http.ts';
import { sell, serveShop } from '../../../support/sold-service.ts';
import { expectConsistent } from '../../../support/wallet-copies.ts';

/** The owner of an agent for sale buys from it, as a customer does. */

const buy = (server: Awaited<ReturnType<typeof serveShop>>['server'], prompt = 'Good morning') =>
  server.asOperator('POST', '/api/services/translator/buy', { prompt });

test('the owner buys the answer that a customer would get, and the change comes back', async () => {
  const { server, mint } = await serveShop();
  await sell(server, { priceSats: 5 });
  await server.receive(mint.issue(64));
  const { status, body } = await buy(server);
  expect([status, body]).toEqual([
    200,
    {
      answer: expect.stringContaining('Good morning'),
      refusal: null,
      paidSats: 5,
      backSats: 0,
      operationId: expect.any(String),
    },
  ]);
  // What was paid to oneself is in the same wallet.
  expect(await server.balance()).toBe(64);
  const { sales } = (await server.asOperator('GET', '/api/services/translator/sales')).body;
  expect(sales).toMatchObject([{ outcome: 'sold', charged: 5 }]);
  await expectConsistent(server, mint);
});

test('work that fails gives its owner the sats and the sentence that a customer gets', async () => {
  const { server, mint } = await serveShop({ behavior: 'fail' });
  await sell(server, { priceSats: 5 });
  await server.receive(mint.issue(64));
  const { status, body } = await buy(server);
  expect([status, body]).toMatchObject([
    200,
    { answer: null, refusal: expect.stringMatching(/\.$/), paidSats: 5, backSats: 5 },
  ]);
  expect(await server.balance()).toBe(64);
  await expectConsistent(server, mint);
});

test('a program that listens where a stopped service did is not paid', async () => {
  const { server, mint } = await serveShop();
  const { body: service } = await sell(server, { priceSats: 5 });
  await server.receive(mint.issue(64));
  await server.asOperator('POST', '/api/services/translator/stop', {});
  let heard = 0;
  const thief = createServer((_request, response) => {
    heard += 1;
    response.writeHead(402).end('{"amount":60}');
  });
  onTestFinished(() => void thief.close());
  await new Promise<void>((resolve) => thief.listen(service.port, '127.0.0.1', resolve));
  expect((await buy(server)).body.code).toBe('service_failed');
  expect([heard, await server.balance()]).toEqual([0, 64]);
});

test('a service that dies during its owner’s own purchase gives back the sats when it is open again', {
  tags: 'slow',
}, async () => {
  const shop = await serveShop({ behavior: 'hang' });
  const { server, mint } = shop;
  await sell(server, { priceSats: 5 });
  await server.receive(mint.issue(64));
  const buying = buy(server);
  await until(() => shop.agentProcesses().length > 0);
  shop.killService();
  expect((await buying).body).toMatchObject({
    answer: null,
    refusal: 'The service didn’t respond.',
    paidSats: 5,
    backSats: 5,
  });
  expect(await server.balance()).toBe(64);
  await expectConsistent(server, mint);
});
