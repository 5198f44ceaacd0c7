import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What LM Studio on loopback responds, and others under another prefix of the path. */

/** The key that `/locked/v1` requires. */
export const PROVIDER_KEY = 'lmk-Zq4T8vW1nB6x';

/** What a provider got. */
export interface ProviderCall {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

const LM_STUDIO = {
  '/v1/models': {
    object: 'list',
    data: [
      { id: 'qwen3-8b', object: 'model', owned_by: 'organization_owner' },
      { id: 'gemma-3-4b', object: 'model', owned_by: 'organization_owner' },
      { id: 'text-embedding-nomic', object: 'model', owned_by: 'organization_owner' },
      { id: 'has spaces', object: 'model' },
    ],
  },
  '/api/v0/models': {
    object: 'list',
    data: [
      {
        id: 'qwen3-8b',
        type: 'llm',
        state: 'loaded',
        max_context_length: 40_960,
        loaded_context_length: 8_192,
      },
      { id: 'gemma-3-4b', type: 'vlm', state: 'not-loaded', max_context_length: 131_072 },
      { id: 'text-embedding-nomic', type: 'embeddings', max_context_length: 2_048 },
    ],
  },
};

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
};

/** Sends text without an end, until the other side closes the connection. */
const pour = (response: ServerResponse, text: string): void => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  const more = (): void => {
    if (!response.closed && response.write(text)) setImmediate(more);
  };
  response.on('drain', more);
  more();
};

const said = (model: unknown, body: { messages?: { content: string }[] } | undefined) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: `Hello! You said: ${body?.messages?.[0]?.content}` },
      finish_reason: 'stop',
    },
  ],
});

/** Starts a provider of models on a free port of loopback. */
export const listenProvider = async () => {
  const calls: ProviderCall[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const path = request.url ?? '';
    const { authorization } = request.headers;
    const body = text === '' ? undefined : JSON.parse(text);
    calls.push({ path, authorization, body });
    if (path.startsWith('/redirect/'))
      return response.writeHead(307, { Location: path.replace('/redirect/', '/stolen/') }).end();
    if (path.startsWith('/huge/')) return pour(response, '{"id":"x"},'.repeat(10_000));
    if (path.startsWith('/hang/')) return;
    if (path.startsWith('/drip/')) {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 50);
      return response.on('close', () => clearInterval(timer));
    }
    if (path.startsWith('/html/')) return response.writeHead(200).end('<h1>Router</h1> admin:hunter2');
    if (path.startsWith('/cut/')) return response.destroy();
    if (path.startsWith('/secret/'))
      return json(response, 200, {
        internal: 'the launch code is 0000',
        data: [{ id: 'm', launch: '0000' }],
      });
    if (path.startsWith('/locked/') && authorization !== `Bearer ${PROVIDER_KEY}`)
      return json(response, 401, {
        error: {
          message: `Incorrect API key provided: ${authorization?.slice('Bearer '.length)}.\nSee the docs.`,
        },
      });
    const known = path.replace(/^\/locked/, '');
    if (known === '/v1/chat/completions') {
      if (body?.model === 'too-big')
        return json(response, 400, { error: 'Failed to load model "too-big". Not enough memory.' });
      if (body?.model === 'thinker')
        return json(response, 200, {
          choices: [
            {
              message: { role: 'assistant', content: '', reasoning_content: 'Hm.' },
              finish_reason: 'length',
            },
          ],
        });
      return json(response, 200, said(body?.model, body));
    }
    if (known === '/v1/responses')
      return json(response, 200, {
        output: [
          { type: 'reasoning' },
          { type: 'message', content: [{ type: 'output_text', text: 'Hello from responses' }] },
        ],
      });
    if (known === '/v1/messages')
      return json(response, 200, { content: [{ type: 'text', text: 'Hello from messages' }] });
    const fixed = Object.hasOwn(LM_STUDIO, known) ? LM_STUDIO[known as keyof typeof LM_STUDIO] : undefined;
    return json(response, fixed ? 200 : 404, fixed ?? {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    /** The address of the API, as a person enters it. */
    url: `${origin}/v1`,
    origin,
    calls,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
