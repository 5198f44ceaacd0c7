import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { editsOf, ODD, ROUTE, type ServerChange, serveMcp } from '../../support/mcp.ts';

test('500 random edits by form and by another program lose nothing unseen', {
  timeout: 110_000,
}, async () => {
  const { asOperator: call, edit, path, text } = await serveMcp(ODD);
  // The same in each run.
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  const parsed = async (): Promise<any> => JSON.parse(await text());
  const counts = { changed: 0, conflict: 0, refused: 0 };
  for (let round = 0; round < 500; round++) {
    const before = await text();
    const value = JSON.parse(before);
    const { body: shown } = await call('GET', ROUTE);
    // Another program edits before us in some rounds, and we must notice.
    const isLate = random(4) === 0;
    if (isLate) {
      const note = `note${round}`;
      const other = { ...value, [note]: { [`k${round}`]: random(9) } };
      for (const key of Object.keys(other)
        .filter((each) => each.startsWith('note'))
        .slice(0, -3))
        delete other[key];
      const indent = [undefined, 2, '\t'][random(3)];
      await writeFile(path, JSON.stringify(other, null, indent));
    }
    const known = await text();
    const names = Object.keys(value.mcpServers);
    const name = names[random(names.length)] ?? 'a';
    const changes: readonly ServerChange[] = [
      { name, server: { enabled: random(2) === 0 } },
      { name, server: { env: { [`E${random(3)}`]: random(2) === 0 ? null : `v${round}` } } },
      { name, server: { description: `Round ${round}` } },
      { name: `n${random(6)}`, server: { command: `c${round}`, args: [`${round}`] } },
      { name: names.length > 4 ? name : 'none', server: null },
      { name, newName: `r${random(50)}`, server: {} },
      { name, server: { args: Array.from({ length: random(4) }, (_, at) => `${at}`) } },
    ];
    const change = changes[random(7)];
    const { code } = await edit(change ? editsOf(before, change) : [], { ifMatch: shown.etag });
    if (isLate) {
      expect(code).toBe('file_changed');
      counts.conflict++;
    }
    if (code !== undefined) {
      if (!isLate) counts.refused++;
      expect(await text()).toBe(known);
      continue;
    }
    counts.changed++;
    const after = await parsed();
    const { mcpServers: ours, ...rest } = after;
    const { mcpServers: theirs, ...restBefore } = value;
    expect(rest).toEqual(restBefore);
    const gone = new Set([change?.name, change?.newName]);
    const others = (servers: object) => Object.entries(servers).filter(([each]) => !gone.has(each));
    expect(others(ours)).toEqual(others(theirs));
    const server = change && ours[change.newName ?? change.name];
    if (server && theirs[change.name]?.future) expect(server.future).toEqual(theirs[change.name].future);
    // Line by line, only lines of that server differ.
    const lines = (all: string) => all.split('\n').filter((line) => /^\s*"(other|last|note\d+)"/.test(line));
    expect(lines(await text())).toEqual(lines(before));
  }
  expect(counts.changed).toBeGreaterThan(250);
  expect(counts.conflict).toBeGreaterThan(80);
});
