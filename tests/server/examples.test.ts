import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { agentExamples } from '../../src/shared/api/examples/agents.ts';
import { nameOf, type RequestExample } from '../../src/shared/api/examples/example.ts';
import { examples } from '../../src/shared/api/examples/index.ts';
import { createStandIns, type StandIns, sendExample } from '../support/examples.ts';
import { makeRoot } from '../support/root.ts';
import { serve, type TestServer } from '../support/server.ts';
import { trustRoot } from '../support/trust.ts';

/** Set it to rewrite the recorded answers from what the server answers now. */
const UPDATE_SWITCH = 'UPDATE_EXAMPLES';
const ANSWERS = 'src/shared/api/examples/answers.json';

const readAnswers = async (): Promise<Record<string, unknown>> => JSON.parse(await readFile(ANSWERS, 'utf8'));

const standInsOf = ({ url, dataDirectory }: TestServer, root: string): StandIns =>
  createStandIns([
    ['http://127.0.0.1:8000', url],
    ['/home/me/dot-mi', root],
    ['/home/me/.config/dot-mi', dataDirectory],
  ]);

/** Sends the examples one after the other, and compares each answer with the recorded one. */
const runExamples = async (server: TestServer, list: readonly RequestExample[], standIns: StandIns) => {
  const answers: Record<string, unknown> = {};
  for (const example of list) {
    const { status, body } = await sendExample(server, example, standIns);
    const name = nameOf(example);
    expect([name, status, body.error]).toEqual([name, example.endpoint.success.status, undefined]);
    answers[name] = standIns.toShown(body);
  }
  const recorded = await readAnswers();
  if (process.env[UPDATE_SWITCH]) {
    const text = JSON.stringify({ ...recorded, ...answers }, null, 2);
    await writeFile(ANSWERS, `${text}\n`);
    return;
  }
  const expected = Object.fromEntries(Object.keys(answers).map((name) => [name, recorded[name]]));
  expect(
    answers,
    `An example answers differently. If that is intended, run with ${UPDATE_SWITCH}=1.`,
  ).toEqual(expected);
};

test('the examples of agents run and answer as recorded', async () => {
  const root = await makeRoot();
  const server = await serve(root);
  await trustRoot(server);
  await runExamples(server, agentExamples, standInsOf(server, root));
});

test('no two examples share a name, and each has an answer of its endpoint’s schema', async () => {
  const names = examples.map(nameOf);
  expect(new Set(names).size).toBe(names.length);
  const answers = await readAnswers();
  expect(Object.keys(answers).toSorted()).toEqual(names.toSorted());
  for (const example of examples) {
    const parsed = example.endpoint.success.body.safeParse(answers[nameOf(example)]);
    expect([nameOf(example), parsed.error]).toEqual([nameOf(example), undefined]);
  }
});
