import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cashuHeader, fieldOf, send } from '../../../support/customers/post.ts';
import { until } from '../../../support/raw-http.ts';
import { SOLD, sell, serveShop } from '../../../support/sold-service.ts';
import { makeTempDirectory } from '../../../support/temp.ts';

/** What the clients of others expect of a service: OpenAI's, Routstr's, pages of other origins, and browsers. */

const user = (content: string) => [{ role: 'user', content }];

const priced = async () => {
  const shop = await serveShop({
    files: { [`agents/${SOLD}/pi-args`]: '--no-tools\n--model\ngpt-5.4\n--behave\necho\n' },
  });
  await until(async () => (await shop.server.call('GET', '/api/pricing/btc')).status === 200);
  await shop.server.asOperator('PUT', '/api/pricing/models', {
    models: { 'gpt-5.4': { input_usd_per_million: 500, output_usd_per_million: 1_000 } },
  });
  const { body: service } = await sell(shop.server, { marginPercent: 50, maxOutputTokens: 100 });
  return { ...shop, url: String(service.url) };
};

test('a client of OpenAI’s API buys with a key at both names of each route, as the SDK sends it', async () => {
  const { server, mint } = await serveShop();
  const { body: service } = await sell(server, { priceSats: 5 });
  const { url } = service;
  const opened = await send(`${url}/v1/balance/create`, { body: { initial_balance_token: mint.issue(64) } });
  const key = String(fieldOf(opened.body, 'api_key'));
  // The headers of openai 6 for Node, whose `chat.completions.create` sends this body.
  const ask = (path: string, body: object) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: {
        Accept: 'application/json',
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'User-Agent': 'OpenAI/JS 6.8.0',
        'X-Stainless-Lang': 'js',
        'X-Stainless-Retry-Count': '0',
      },
      body: JSON.stringify(body),
    });
  const body = {
    model: SOLD,
    messages: [
      ...user('Weather?'),
      { role: 'assistant', content: null, tool_calls: [] },
      { role: 'tool', tool_call_id: 'a', content: 'Sunny' },
    ],
    temperature: 0.2,
    top_p: 0.5,
    presence_penalty: 0.1,
    frequency_penalty: 0.1,
    seed: 7,
    user: 'somebody',
    metadata: { a: 'b' },
    store: false,
    stream_options: { include_usage: true },
  };
  for (const path of ['/v1/chat/completions', '/chat/completions']) {
    const reply = await ask(path, body);
    const completion = await reply.json();
    expect([path, reply.status, completion.object]).toEqual([path, 200, 'chat.completion']);
    expect(JSON.parse(completion.choices[0].message.content).prompt.trim()).toBe(
      'User:\nWeather?\n\nTool:\nSunny',
    );
  }
  const stream = await (await ask('/v1/chat/completions', { ...body, stream: true })).text();
  expect(stream).toMatch(/"usage":\{"prompt_tokens":108,.*\n\ndata: \[DONE\]\n\n$/s);
  for (const path of ['/v1/balance/', '/balance/info', '/wallet/'])
    expect((await send(`${url}${path}`, { method: 'GET', key })).body).toMatchObject({
      balance: (64 - 3 * 5) * 1_000,
    });
});

test('a key’s stream is sent as the agent writes it, and one that fails says so and costs what it used', async () => {
  const shop = await serveShop({ behavior: 'stream' });
  const { body: service } = await sell(shop.server, { priceSats: 5 });
  const url = String(service.url);
  const { body: balance } = await send(`${url}/v1/balance/create`, {
    body: { cashu_token: shop.mint.issue(64) },
  });
  const key = String(fieldOf(balance, 'api_key'));
  const directory = await makeTempDirectory();
  /** Asks for a stream, and lets the agent write on once the customer has the first part. */
  const stream = async (name: string, work: object, headers: Record<string, string>) => {
    const until = join(directory, name);
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ messages: user(JSON.stringify({ until, ...work })), stream: true }),
    });
    if (!response.body) throw new Error('The response has no body.');
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += part.value;
      if (text.includes('Guten ')) writeFileSync(until, '');
    }
    const events = text.split('\n\n').filter(Boolean);
    const contents = events.flatMap((event) => {
      const { choices } = event.includes('[DONE]')
        ? { choices: [] }
        : JSON.parse(event.replace('data: ', ''));
      return choices?.[0]?.delta.content ?? [];
    });
    return { contents, events, headers: response.headers };
  };
  const balanceNow = async () =>
    fieldOf((await send(`${url}/v1/balance/info`, { method: 'GET', key })).body, 'balance');
  const bearer = { Authorization: `Bearer ${key}` };

  const parts = ['Guten ', 'Morgen'];
  const live = await stream('live', { parts }, bearer);
  expect([live.contents.join(''), live.events.at(-1)]).toEqual(['Guten Morgen', 'data: [DONE]']);
  expect(live.events.at(-2)).toContain('"usage":{"prompt_tokens":108,"completion_tokens":10');
  expect(live.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(await balanceNow()).toBe(59_000);

  const message = { stopReason: 'error', errorMessage: `no credit in ${directory}` };
  const failed = await stream('failed', { parts, message }, bearer);
  expect(failed.contents.join('')).toBe('Guten Morgen');
  expect(JSON.parse(failed.events.at(-1)?.replace('data: ', '') ?? '')).toEqual({
    error: {
      message: 'The model failed. You pay for what it used until then.',
      type: 'upstream_error',
      param: null,
      code: 'model_error',
    },
  });
  // The customer has the text. A prompt can make an agent fail after its last word.
  expect(await balanceNow()).toBe(54_000);
  writeFileSync(join(directory, 'early'), '');
  const early = await stream('early', { parts: [], message }, bearer);
  expect(early.events.join('')).toContain('Your payment is refunded.');
  await until(async () => (await balanceNow()) === 54_000);

  // Change comes in a header, and a response that can be asked for again is kept whole: neither can be sent in parts.
  writeFileSync(join(directory, 'token'), '');
  const paid = await stream('token', { parts }, { 'X-Cashu': shop.mint.issue(8) });
  expect(paid.contents).toEqual(['Guten Morgen']);
  expect(shop.mint.unspent([paid.headers.get('x-cashu') ?? ''])).toBe(3);
  writeFileSync(join(directory, 'again'), '');
  const once = { ...bearer, 'Idempotency-Key': 'a' };
  const first = await stream('again', { parts }, once);
  expect(await stream('again', { parts }, once)).toMatchObject({ events: first.events });
  expect([first.contents, await balanceNow()]).toEqual([['Guten Morgen'], 49_000]);
});

test('what would be paid and ignored is refused before any price, and so are other models and keys', async () => {
  const { server, mint } = await serveShop();
  const { body: service } = await sell(server, { priceSats: 5 });
  const token = mint.issue(8, { withoutDleq: true });
  const chat = { model: SOLD, messages: user('Hi') };
  const wanted = {
    tools: [{ type: 'function', function: { name: 'f' } }],
    tool_choice: 'required',
    n: 2,
    response_format: { type: 'json_schema', json_schema: {} },
    stop: ['.'],
    modalities: ['text', 'audio'],
    model: 'gpt-5.4',
  };
  const orders = [
    ['/v1/chat/completions', chat],
    ['/', { prompt: 'Hi' }],
  ] as const;
  for (const [path, order] of orders)
    for (const [field, value] of Object.entries(wanted))
      for (const paying of [undefined, token]) {
        const reply = await send(`${service.url}${path}`, {
          body: { ...order, [field]: value },
          ...(paying === undefined ? {} : { token: paying }),
        });
        const error = fieldOf(reply.body, 'error');
        expect([path, field, reply.status, fieldOf(error, 'code')]).toEqual([
          path,
          field,
          400,
          field === 'model' ? 'model_not_found' : 'invalid_request',
        ]);
        expect(fieldOf(error, 'message')).toContain(field);
      }
  expect(mint.unspent([token])).toBe(8);
  expect((await server.asOperator('GET', '/api/charges')).body.charges).toEqual([]);

  for (const Authorization of ['Bearer sk-of-somebody', 'Bearer cashuBo2F0', 'Basic c2s6'])
    for (const path of ['/', '/v1/chat/completions', '/v1/balance/info']) {
      const response = await fetch(`${service.url}${path}`, {
        method: path === '/v1/balance/info' ? 'GET' : 'POST',
        headers: { Authorization },
        ...(path === '/v1/balance/info' ? {} : { body: JSON.stringify(chat) }),
      });
      expect([path, response.status, response.headers.get('WWW-Authenticate')]).toEqual([
        path,
        401,
        'Bearer',
      ]);
      expect((await response.json()).error.code).toBe('invalid_api_key');
    }
  // A token pays, whatever key a client sends with it.
  const bought = await send(service.url, { body: { prompt: 'Hi' }, token, key: 'sk-of-somebody' });
  expect([bought.status, mint.unspent([cashuHeader(bought) ?? ''])]).toEqual([200, 3]);
});

test('pages of other origins may use a service, read its X-Cashu, and send no cookies', async () => {
  const { server, mint } = await serveShop();
  const { body: service } = await sell(server, { priceSats: 5 });
  const Origin = 'https://a-wallet.example';
  for (const path of ['/', '/v1/chat/completions', '/v1/models', '/v1/balance/refund', '/balance/create']) {
    const { status, headers } = await fetch(`${service.url}${path}`, {
      method: 'OPTIONS',
      headers: {
        Origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,content-type,x-cashu,x-stainless-lang',
      },
    });
    expect([path, status, headers.get('Access-Control-Allow-Origin')]).toEqual([path, 204, '*']);
    expect(headers.get('Access-Control-Allow-Headers')).toBe('*, Authorization, X-Cashu');
    expect(headers.get('Access-Control-Allow-Methods')).toBe('GET, POST, OPTIONS');
    expect(headers.get('Access-Control-Allow-Credentials')).toBeNull();
  }
  const post = (token?: string) =>
    fetch(service.url, {
      method: 'POST',
      headers: { Origin, ...(token === undefined ? {} : { 'X-Cashu': token }) },
      body: JSON.stringify({ prompt: 'Hi' }),
    });
  const replies = [
    await fetch(service.url, { headers: { Origin } }),
    await post(),
    await post(mint.issue(8)),
    await fetch(`${service.url}/elsewhere`, { headers: { Origin } }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([200, 402, 200, 404]);
  for (const { headers } of replies) {
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(headers.get('Access-Control-Expose-Headers')).toContain('X-Cashu');
  }
  // dot-mi's own API still refuses them.
  const own = await fetch(`${server.url}/api/health`, { headers: { Origin } });
  expect(own.headers.get('Access-Control-Allow-Origin')).toBeNull();
});

test('programs read the prices per token, the model and the seller in Routstr’s format', async () => {
  const { mint, url } = await priced();
  const get = async (path: string) => {
    const reply = await send(`${url}${path}`, { method: 'GET' });
    return [reply.status, reply.body];
  };
  // 500 and 1,000 USD per million at 50,000 USD are 1 and 2 sat per token, and half of that on top.
  const [, front] = await get('/');
  const estimate = fieldOf(fieldOf(front, 'price'), 'estimate');
  expect(fieldOf(front, 'price')).toEqual({
    perToken: { input: 1.5, output: 3, cachedInput: 1.5 },
    estimate: expect.any(Number),
    currency: 'sat',
  });
  const model = {
    id: SOLD,
    object: 'model',
    sats_pricing: { prompt: 1.5, completion: 3, request: 0, max_cost: estimate },
    architecture: { modality: 'text->text' },
  };
  for (const path of ['/v1/models', '/models', '/v1/models/', '/models/'])
    expect([path, ...(await get(path))]).toMatchObject([path, 200, { object: 'list', data: [model] }]);
  for (const path of [`/v1/models/${SOLD}`, `/models/${SOLD}`])
    expect([path, ...(await get(path))]).toMatchObject([path, 200, model]);
  expect(await get('/v1/models/gpt-5.4')).toMatchObject([404, { error: { code: 'model_not_found' } }]);
  for (const path of ['/v1/info', '/info'])
    expect(await get(path)).toEqual([
      200,
      {
        name: SOLD,
        description: SOLD,
        version: expect.stringMatching(/./),
        mints: [mint.url],
        npub: '',
        http_url: '',
        onion_url: '',
      },
    ]);
});

test('a browser gets a page without scripts, in which all that others wrote is text', async () => {
  const { server, mint } = await serveShop();
  const description = `<script>alert('x')</script> & "more"`;
  const { body: service } = await sell(server, { priceSats: 5, description });
  const visit = (headers: Record<string, string> = {}) =>
    fetch(service.url, { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8', ...headers } });
  const response = await visit();
  const html = await response.text();
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
  const policy = response.headers.get('Content-Security-Policy') ?? '';
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );
  expect([response.headers.get('X-Content-Type-Options'), response.headers.get('Vary')]).toEqual([
    'nosniff',
    'Accept',
  ]);
  expect(html).toContain('&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;more&quot;');
  expect(html).not.toMatch(/<script|<img|<link|<form|\son\w+=|javascript:|src=/i);
  expect(html).toContain('prefers-color-scheme:dark');
  expect(html).toContain('5 sat for each request');
  expect(html).toContain(mint.url);
  expect(html).toContain(`curl -i ${service.url}/ -d &#39;{&quot;prompt&quot;:&quot;Hello&quot;}&#39;`);
  // Behind a reverse proxy, the example has the address that the customer knows.
  const proxied = await (await visit({ 'X-Forwarded-Proto': 'https' })).text();
  expect(proxied).toContain('curl -i https://127.0.0.1:');
  for (const Accept of ['*/*', 'application/json'])
    expect((await (await visit({ Accept })).json()).agent).toBe(SOLD);
});

test('the page names prices per token, and a hostile Host header is not in it', {
  tags: 'slow',
}, async () => {
  const { url } = await priced();
  const html = await (await fetch(url, { headers: { Accept: 'text/html' } })).text();
  expect(html).toContain('1500 sat for 1,000 tokens');
  expect(html).toContain('3000 sat for 1,000 tokens');
  const hostile = await new Promise<string>((resolve, reject) => {
    request(url, { headers: { Accept: 'text/html', Host: '"><b>' } }, (response) => {
      response
        .setEncoding('utf8')
        .toArray()
        .then((parts) => resolve(parts.join('')), reject);
    }).end();
  });
  expect(hostile).toContain('curl -i http://localhost/');
  expect(hostile).not.toContain('<b>');
});
