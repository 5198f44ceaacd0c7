import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { getCost } from '../../../src/shared/api/cost.ts';
import { agentExamples } from '../../../src/shared/api/examples/agents.ts';
import { exampleName, type RequestExample } from '../../../src/shared/api/examples/example.ts';
import { examples } from '../../../src/shared/api/examples/index.ts';
import {
  CUSTOMER_TOKENS,
  chargeExamples,
  confirmExamples,
  EXAMPLE_WORDS,
  PAID_TOKEN,
  prepaidExamples,
  pricingExamples,
  restoreExamples,
  serviceExamples,
  testMoneyExamples,
  testTokenExamples,
  walletExamples,
} from '../../../src/shared/api/examples/money.ts';
import { programExamples, settingsExamples } from '../../../src/shared/api/examples/program.ts';
import { EXAMPLE_SESSION, workExamples } from '../../../src/shared/api/examples/work.ts';
import { endpoints } from '../../../src/shared/api/index.ts';
import { getPrompt } from '../../../src/shared/api/prompt.ts';
import { previewService, startService } from '../../../src/shared/api/services.ts';
import { makeClock } from '../../support/clock.ts';
import { createStandIns, type StandIns, sendExample } from '../../support/examples.ts';
import { freePort } from '../../support/free-port.ts';
import { host } from '../../support/host.ts';
import { testMint } from '../../support/mint/for-test.ts';
import { listenProvider } from '../../support/model-provider.ts';
import { installPi } from '../../support/pi-program.ts';
import { plant } from '../../support/plant.ts';
import { makeRoot } from '../../support/root.ts';
import { serve, type TestServer } from '../../support/server.ts';
import { makeSession } from '../../support/session-file.ts';
import { serveShop } from '../../support/sold-service.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { trustRoot } from '../../support/trust.ts';
import { serveWallet } from '../../support/wallet.ts';
import { startCopy } from '../../support/wallet-copies.ts';
import { servePricing } from '../pricing/serve-pricing.ts';

/** Set it to rewrite the recorded answers from what the server answers now. */
const UPDATE_SWITCH = 'UPDATE_EXAMPLES';
const ANSWERS = 'src/shared/api/examples/answers.json';

const readAnswers = async (): Promise<Record<string, unknown>> => JSON.parse(await readFile(ANSWERS, 'utf8'));

const standInsOf = ({ url, dataDirectory }: TestServer, root: string): StandIns =>
  createStandIns([
    ['http://127.0.0.1:8000', url],
    ['/home/me/dot-mi', root],
    ['/home/me/.config/dot-mi', dataDirectory],
    ['my-laptop', hostname()],
  ]);

/** Examples whose numbers depend on how long the paths of this machine are. Only their form is compared. */
const VARYING: ReadonlySet<string> = new Set([getPrompt.id, getCost.id, previewService.id]);

/** A value with the types of its numbers and texts in their place. */
const formOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(formOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, formOf(each)]));
};

const compared = (name: string, answer: unknown): unknown =>
  VARYING.has(name.slice(0, name.indexOf(':'))) ? formOf(answer) : answer;

/** Sends the examples one after the other, and compares each answer with the recorded one. */
const runExamples = async (
  server: Pick<TestServer, 'call' | 'operatorToken'>,
  list: readonly RequestExample[],
  standIns: StandIns,
) => {
  const answers: Record<string, unknown> = {};
  for (const example of list) {
    const { status, body } = await sendExample(server, example, standIns);
    const name = exampleName(example);
    expect([name, status, body.error]).toEqual([name, example.endpoint.success.status, undefined]);
    answers[name] = standIns.toShown(body);
  }
  const recorded = await readAnswers();
  if (process.env[UPDATE_SWITCH]) {
    const text = JSON.stringify({ ...recorded, ...answers }, null, 2);
    await writeFile(ANSWERS, `${text}\n`);
    return;
  }
  const inForm = (from: Record<string, unknown>) =>
    Object.fromEntries(Object.keys(answers).map((name) => [name, compared(name, from[name])]));
  expect(
    inForm(answers),
    `An example answers differently. If that is intended, run with ${UPDATE_SWITCH}=1.`,
  ).toEqual(inForm(recorded));
};

/** The environment of a computer with pi, and with a stand-in for WezTerm. */
const withPi = async () => {
  const directory = await makeTempDirectory();
  await plant(directory, { wezterm: { script: '#!/bin/sh\n' } });
  return { PATH: `${await installPi(await makeTempDirectory(), '1.5.2')}:${directory}` };
};

/** What the small root lacks. */
const FILES = {
  'shared/prompts/review.md':
    '---\ndescription: Review the last change.\nargument-hint: "[focus]"\n---\n\nReview the last change. Focus on $1.\n',
  'shared/themes/quiet.json': '{ "name": "quiet" }\n',
};

test('the examples of agents run and respond as recorded', async () => {
  const root = await makeRoot(FILES);
  const server = await serve(root, { environment: await withPi() });
  await trustRoot(server);
  const provider = await listenProvider();
  onTestFinished(provider.close);
  const standIns = standInsOf(server, root);
  standIns.add('http://127.0.0.1:1234', provider.origin);
  await runExamples(server, agentExamples, standIns);
});

/** A session of scout with a call. Its times and ids are the same in each run. */
const scoutSession = () => {
  const session = makeSession({ startedAtMs: Date.UTC(2026, 10, 22, 9), cwd: '/home/me/work' });
  session.rename('Parcels');
  session.say('Send three parcels.');
  session.call({ input: 1_200, output: 300, usd: 0.25 }, { provider: 'openai', model: 'gpt-5.4' });
  const ids = new Map([
    [session.id, EXAMPLE_SESSION],
    ...session.entries.map(({ id }, at) => [String(id), String(at + 1).padStart(8, '0')] as const),
  ]);
  const withIds = (text: string) => [...ids].reduce((all, [id, shown]) => all.replaceAll(id, shown), text);
  return { fileName: withIds(session.fileName), text: withIds(session.text()) };
};

test('the examples of what agents have, send and spend run and respond as recorded', async () => {
  const session = scoutSession();
  const root = await makeRoot({
    'agents/scout/pi-args': '--thinking low\n',
    'agents/courier/SYSTEM.md': 'You carry letters.\n',
    ...FILES,
    [`agents/scout/sessions/--home-me-work--/${session.fileName}`]: session.text,
  });
  const server = await serve(root, {
    clock: makeClock('2026-11-22T10:00:00.000Z'),
    environment: await withPi(),
  });
  const standIns = standInsOf(server, root);
  standIns.add(EXAMPLE_SESSION, EXAMPLE_SESSION);
  await runExamples(server, workExamples, standIns);
});

/** Stands for the words that a new wallet has until another is restored. */
const REPLACED_WORDS = 'marble napkin ocean palace quartz rabbit saddle tunnel umbrella velvet walnut yellow';

test('the examples of charges run at a real mint and respond as recorded', async () => {
  const mint = await testMint();
  const server = await serveWallet(mint.url);
  const standIns = standInsOf(server, server.rootPath);
  standIns.add('https://mint.example', mint.url);
  for (const shown of CUSTOMER_TOKENS) standIns.add(shown, mint.issue(8));
  await runExamples(server, chargeExamples, standIns);
});

test('the examples of prepaid balances run at a real mint and respond as recorded', async () => {
  const mint = await testMint();
  const server = await serveWallet(mint.url);
  const standIns = standInsOf(server, server.rootPath);
  standIns.add('https://mint.example', mint.url);
  for (const shown of CUSTOMER_TOKENS) standIns.add(shown, mint.issue(8));
  await runExamples(server, prepaidExamples, standIns);
});

test('the examples of services run and respond as recorded', async () => {
  const { server, mint } = await serveShop({ behavior: 'greet' });
  await server.receive(mint.issue(64));
  const standIns = standInsOf(server, server.rootPath);
  standIns.add('https://mint.example', mint.url);
  // Another program of this machine may have the port.
  const port = await freePort();
  standIns.add('http://127.0.0.1:8402', `http://127.0.0.1:${port}`);
  const atFreePort = (each: RequestExample): RequestExample =>
    each.endpoint.id === startService.id ? { ...each, body: { ...(each.body as object), port } } : each;
  await runExamples(server, serviceExamples.map(atFreePort), standIns);
});

test('the examples of the wallet run at a real mint and respond as recorded', async () => {
  const mint = await testMint();
  const server = await serveWallet(mint.url);
  const standIns = standInsOf(server, server.rootPath);
  standIns.add('https://mint.example', mint.url);
  standIns.add(PAID_TOKEN, mint.issue(64, { memo: 'code review' }));
  await runExamples(server, walletExamples, standIns);

  const { mnemonic } = (await server.asOperator('GET', '/api/wallet/seed')).body;
  const restored = await serveWallet(mint.url);
  const itsStandIns = createStandIns([
    ['https://mint.example', mint.url],
    [EXAMPLE_WORDS, mnemonic],
    [REPLACED_WORDS, (await restored.asOperator('GET', '/api/wallet/seed')).body.mnemonic],
  ]);
  await runExamples(restored, restoreExamples, itsStandIns);
  // Apart, because a word can be a part of any text.
  const words = EXAMPLE_WORDS.split(' ').map((word, at) => [word, mnemonic.split(' ')[at]] as const);
  await runExamples(restored, confirmExamples, createStandIns(words));
});

test('the examples of tokens received with test money run and respond as recorded', async () => {
  const mint = await testMint();
  const dev = await serveWallet(mint.url, { environment: { DEV_MODE: 'true' } });
  for (const memo of ['code review', 'a price'])
    expect((await dev.receive(mint.issue(16, { memo }))).status).toBe(200);
  await runExamples(dev, testMoneyExamples, createStandIns([]));
  await dev.close();
  const server = await startCopy(mint, { directory: dev.directory });
  const standIns = createStandIns([['https://mint.example', mint.url]]);
  await runExamples(server, testTokenExamples, standIns);
});

test('the examples of prices run and respond as recorded', async () => {
  const server = await servePricing();
  const standIns = standInsOf(server, server.rootPath);
  const [source = ''] = /127\.0\.0\.1:\d+/.exec(server.sources.setting()) ?? [];
  standIns.add('prices.example', source);
  await runExamples(server, pricingExamples, standIns);
});

test('the examples of the program run and respond as recorded', async () => {
  const root = await makeRoot();
  const directory = await makeTempDirectory();
  await mkdir(join(directory, 'new'));
  const server = await serve(root);
  const standIns = standInsOf(server, root);
  standIns.add('c189e2d6814efabd623ebb6f9ede02f1', (await server.call('GET', '/api/health')).body.rootId);
  standIns.add('/home/me/new', join(directory, 'new'));
  await runExamples(server, programExamples, standIns);
});

test('the examples of the settings run and respond as recorded', async () => {
  const root = await makeRoot();
  const directory = await makeTempDirectory();
  const server = await host({ PORT: '', DOT_MI_ROOT: root }, directory);
  const { operatorToken } = server.hosted.server();
  const standIns = createStandIns([
    ['/home/me/dot-mi', root],
    ['/home/me/.config/dot-mi', directory],
  ]);
  await runExamples({ call: server.call, operatorToken }, settingsExamples, standIns);
});

/** Endpoints that are shown without an example, and why. */
const WITHOUT_EXAMPLE: Readonly<Record<string, string>> = {
  'events.stream': 'its answer never ends',
  'openapi.get': 'it would contain itself',
  'signIn.withKey': 'only the key that a browser keeps can sign',
  'wallet.changeMintAddress': 'it takes two addresses of one mint',
  'wallet.newSeed': 'the words must be lost first',
  'wallet.release': 'a send must be stuck first',
};

test('every endpoint has an example, or a reason to have none', () => {
  const shown = new Set(examples.map(({ endpoint }) => endpoint.id));
  const missing = endpoints.map(({ id }) => id).filter((id) => !shown.has(id));
  expect(missing.toSorted()).toEqual(Object.keys(WITHOUT_EXAMPLE));
});

test('no two examples share a name, and each has a response of its endpoint’s schema', async () => {
  const names = examples.map(exampleName);
  expect(new Set(names).size).toBe(names.length);
  const answers = await readAnswers();
  expect(Object.keys(answers).toSorted()).toEqual(names.toSorted());
  for (const example of examples) {
    const parsed = example.endpoint.success.body.safeParse(answers[exampleName(example)]);
    expect([exampleName(example), parsed.error]).toEqual([exampleName(example), undefined]);
  }
});
