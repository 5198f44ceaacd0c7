import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, type TestContext, test } from 'vitest';
import type { SharedPrompt } from '../../../src/shared/api/catalog.ts';
import { PI_VERSIONS, startRpc } from '../../support/real-pi.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeSharedDirectory } from '../../support/temp.ts';

/** The shared prompt templates, and what pi does with each. */
const TEMPLATES: Readonly<Record<string, string>> = {
  'review.md':
    '---\ndescription: Review the last change.\nargument-hint: "[focus]"\n---\nReview it for $1, that is: $@.\n',
  'plain.md': `\n${'Say it again. '.repeat(9)}\nmore`,
  'list.md': '---\nargument-hint: [focus]\ndescription: 3\n---\nText.',
  'unclosed.md': '---\ndescription: x\nText.',
  'rule.md': '----\nA rule.',
  'windows.md': '\uFEFF---\r\ndescription: "Lines"\r\n---\r\nText.\r\n',
  'broken.md': '---\ndescription: "open\n---\nText.',
  'off.md': 'Switched off.',
  'notes.txt': 'No template.',
};

const isTemplate = (name: string) => name.endsWith('.md');

/** A model on loopback that answers "Fine.", and the last message of each call and its system prompt. */
const startModel = async () => {
  const asked: { system: string; user: string }[] = [];
  const server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    const { messages } = JSON.parse(body) as { messages: { role: string; content: unknown }[] };
    asked.push({
      system: JSON.stringify(messages.filter(({ role }) => role !== 'user')),
      user: JSON.stringify(messages.at(-1)?.content),
    });
    const part = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    res
      .writeHead(200, { 'Content-Type': 'text/event-stream' })
      .end(`${part({ role: 'assistant', content: 'Fine.' }, null)}${part({}, 'stop')}data: [DONE]\n\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
};

describe(PI_VERSIONS['1.6.0'].name, () => {
  let program: string | undefined;
  let reason = '';

  beforeAll(async () => {
    const { directory, remove } = await makeSharedDirectory();
    try {
      program = await PI_VERSIONS['1.6.0'].install(directory);
    } catch (error) {
      reason = `npm can't get ${PI_VERSIONS['1.6.0'].name}: ${(error as Error).message.split('\n')[0]}`;
    }
    return remove;
  });

  const piOf = (context: TestContext): string => {
    if (program === undefined) context.skip(reason);
    return program as string;
  };

  test('offers and expands the linked prompt templates, and not what is switched off, as the catalog and the links say', async (context) => {
    const pi = piOf(context);
    const root = await makeRoot(
      Object.fromEntries(Object.entries(TEMPLATES).map(([name, text]) => [`shared/prompts/${name}`, text])),
    );
    const { call } = await serve(root);
    const names = Object.keys(TEMPLATES).filter(isTemplate);
    const linked = await call('POST', '/api/links/bulk', {
      link: [{ agent: 'scout', kind: 'prompts', names }],
    });
    expect(linked.body.link[0].failed).toEqual([]);
    const model = await startModel();
    const agent = join(root, 'agents/scout');
    await writeFile(
      join(agent, 'settings.json'),
      JSON.stringify({ defaultProvider: 'loopback', defaultModel: 'model', prompts: ['-prompts/off.md'] }),
    );
    const loopback = {
      baseUrl: model.url,
      api: 'openai-completions',
      apiKey: 'LOOPBACK_KEY',
      models: [{ id: 'model', contextWindow: 100_000, maxTokens: 1_000 }],
    };
    await writeFile(join(agent, 'models.json'), JSON.stringify({ providers: { loopback } }));
    // pi loads neither a directory nor another ending.
    await mkdir(join(agent, 'prompts/below.md'));
    await writeFile(join(agent, 'prompts/below.md/deep.md'), 'Deep.');

    const started = await startRpc(pi, agent);
    const offered = (await started.commands()).filter(({ source }) => source === 'prompt');
    const { entries } = (await call('GET', '/api/agents/scout/links/prompts')).body;
    const off = entries.filter(({ switchedOff }: { switchedOff?: true }) => switchedOff);
    expect(off.map(({ name }: { name: string }) => name)).toEqual(['off.md']);
    const { prompts } = (await call('GET', '/api/catalog/prompts')).body as { prompts: SharedPrompt[] };
    const expected = prompts
      .filter(
        ({ name, diagnostics }) =>
          name !== 'off.md' && !diagnostics.some(({ severity }) => severity === 'error'),
      )
      .map(({ command, description }) => ({ name: command, description: description ?? '' }));
    expect(
      offered.map(({ name, description }) => ({ name, description: description ?? '' })).sort(byName),
    ).toEqual(expected.sort(byName));
    expect(expected.map(({ name }) => name)).toEqual([
      'list',
      'plain',
      'review',
      'rule',
      'unclosed',
      'windows',
    ]);

    await started.prompt('/review "two words" more');
    await started.prompt('/off now');
    expect(model.asked.map(({ user }) => user)).toEqual([
      expect.stringContaining('Review it for two words, that is: two words more.'),
      expect.stringContaining('/off now'),
    ]);
    // Templates cost nothing until one is called.
    const predicted = (await call('GET', '/api/agents/scout/prompt')).body;
    for (const text of [model.asked[0]?.system, JSON.stringify(predicted.sections)])
      expect(text).not.toMatch(/Review it for|Review the last change|Say it again/);
  });
});

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
