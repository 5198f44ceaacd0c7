import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { startServerProcess } from '../support/server-process.ts';
import { makeSlowDisk, noSlowDisk } from '../support/slow-disk.ts';
import { makeTempDirectory } from '../support/temp.ts';

const AGENTS = Array.from({ length: 10 }, (_, nth) => `agent-${nth}`);
const fileOf = (id: string) => `/api/agents/${id}/file?path=SYSTEM.md`;

/** Quick on a quick disk, so the main thread may read them until it notices that the disk is slow. */
const ON_MAIN = AGENTS.flatMap((id) => [fileOf(id), `/api/agents/${id}/links/skills`]);
const IN_THREADS = [
  '/api/agents',
  '/api/catalog/skills',
  '/api/catalog/extensions',
  '/api/links',
  '/api/checks',
  '/api/search?q=agent',
  `/api/agents/${AGENTS[0]}/entries`,
  `/api/agents/${AGENTS[0]}/prompt`,
  '/api/catalog/skills/git-summary/text',
  `/api/agents/${AGENTS[0]}/budget`,
  '/api/profiles',
];
const WITHOUT_THE_DISK = [
  '/api/health',
  '/api/wallet/balance',
  '/api/pricing/btc',
  '/api/settings',
  '/api/keys',
  // These read files of dot-mi's own, with the threads of Node that a slow disk would fill.
  '/api/preferences',
  '/api/drafts',
  '/api',
];
const ROUNDS = 20;

const startOnSlowDisk = async () => {
  const tree = AGENTS.map((id) => ({
    [`agents/${id}/SYSTEM.md`]: `You are ${id}.\n`,
    [`agents/${id}/skills/git-summary`]: { link: '../../../shared/skills/git-summary' },
  }));
  const root = await makeRoot(Object.assign({}, ...tree));
  const disk = await makeSlowDisk(root);
  const data = await makeTempDirectory();
  const { url } = await startServerProcess({ DOT_MI_ROOT: root, ...disk.environment }, data);
  const token = (await readFile(join(data, 'data/wallet/operator-token'), 'utf8')).trim();
  const get = async (path: string) => {
    const response = await fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${token}` } });
    return { status: response.status, body: await response.text() };
  };
  return { root, disk, get };
};

test('a slow disk blocks only requests that read it, which get their responses when it recovers', {
  tags: 'slow',
}, async ({ skip }) => {
  const why = noSlowDisk();
  skip(why !== undefined, why);
  const { root, disk, get } = await startOnSlowDisk();
  const onDisk = [...ON_MAIN, ...IN_THREADS];
  // Each thread has started, and the main thread may look at what it answered before.
  for (const path of onDisk) expect([path, (await get(path)).status]).toEqual([path, 200]);
  const quick = await Promise.all(WITHOUT_THE_DISK.map(get));
  expect(await disk.calls('threads')).toEqual([]);

  await disk.slow();
  const answered: string[] = [];
  const pending = Promise.all(
    onDisk.map(async (path) => {
      const answer = await get(path);
      answered.push(path);
      return answer;
    }),
  );
  // If the test fails, the server ends.
  pending.catch(() => undefined);
  await until(async () => (await disk.calls('threads')).length > 0);
  for (let round = 1; round <= ROUNDS; round++) {
    for (const [nth, path] of WITHOUT_THE_DISK.entries())
      expect([path, (await get(path)).status]).toEqual([path, quick[nth]?.status]);
    expect(answered.filter((path) => IN_THREADS.includes(path))).toEqual([]);
  }
  // One look on the main thread shows that the disk is slow. On a machine that is slow itself, it may look again.
  const looks = await disk.calls('main');
  const lookedAt = AGENTS.filter((id) => looks.some((call) => call.includes(join(root, 'agents', id))));
  expect(lookedAt.length, looks.join('\n')).toBeLessThan(AGENTS.length / 2);

  await disk.recover();
  const answers = await pending;
  expect(answers.map(({ status }) => status)).toEqual(onDisk.map(() => 200));
  for (const id of AGENTS) {
    const text = { content: `You are ${id}.\n` };
    expect(JSON.parse(answers[onDisk.indexOf(fileOf(id))]?.body ?? '')).toMatchObject(text);
    await writeFile(join(root, 'agents', id, 'SYSTEM.md'), `You are still ${id}.\n`);
    expect(JSON.parse((await get(fileOf(id))).body)).toMatchObject({ content: `You are still ${id}.\n` });
  }
});
