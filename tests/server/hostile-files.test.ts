import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addHostileNames, HOSTILE_NAMES, type HostileKind, possibleKinds } from '../support/hostile-kinds.ts';
import { DESCRIBED, READERS } from '../support/hostile-readers.ts';
import { type AttackedServer, startAttackedServer } from '../support/hostile-server.ts';
import { HOSTILE_ROOT, SECRET } from '../support/hostile-tree.ts';

// Everything that reads the root meets everything that an attacker can put in the place of a file or directory there. A
// reader refuses, limits or reports it. It never hangs, never fails, and reads nothing outside the root, and what is in
// order stays visible. tests/support/hostile-readers.ts has the readers, and hostile-kinds.ts what they meet.
//
// In `npm test`, each reader meets a sixth of the kinds and names, each in one place, and each kind meets a sixth of the
// readers. The others are tagged as slow.
//
// hostile-files.json has what each answers, except where the answer stays the same. Set UPDATE_HOSTILE to write it anew,
// and read the difference.

const RECORD = join(import.meta.dirname, 'hostile-files.json');
const UPDATES = process.env.UPDATE_HOSTILE !== undefined;

/** How often each answers while its paths are swapped. tests/server/attacker-reads.test.ts attacks longer. */
const [ROUNDS, AT_ONCE] = [4, 3];

/** What readers answer: by reader, place and answer, the ids of kinds. */
type Outcomes = Record<string, Record<string, Record<string, string>>>;

const recorded = JSON.parse(readFileSync(RECORD, 'utf8')) as Outcomes;
const seen: Outcomes = {};

const recordedOutcome = (reader: string, place: string, { id }: HostileKind): string | undefined =>
  Object.entries(recorded[reader]?.[place] ?? {}).find(([, ids]) => ids.split(' ').includes(id))?.[0];

const keep = (reader: string, place: string, { id }: HostileKind, outcome: string | undefined): void => {
  if (outcome === undefined) return;
  seen[reader] ??= {};
  seen[reader][place] ??= {};
  const outcomes = seen[reader][place];
  outcomes[outcome] = [...(outcomes[outcome]?.split(' ') ?? []), id].join(' ');
};

const titleOf = (reader: string, place: string, kind: HostileKind): string => {
  const outcome = recordedOutcome(reader, place, kind);
  const what = `${place === '.' ? 'the root' : place} that is ${kind.name}`;
  if (outcome === undefined) return `${reader} isn’t changed by ${what}`;
  return /^\d{3} /.test(outcome)
    ? `${reader} refuses ${what}: ${outcome}`
    : `${reader} answers "${outcome}" about ${what}`;
};

/** Whether something is in a place of the root before anything is put there. */
const isPlanted = (place: string): boolean =>
  place === '.' || Object.keys(HOSTILE_ROOT).some((path) => path === place || path.startsWith(`${place}/`));

/** Whether a kind can be in a place. The operator chose the root, so a link in its place is followed. */
const fits = (kind: HostileKind, place: string, is: 'root' | 'file' | 'directory'): boolean => {
  if (kind.group === 'closed' && !isPlanted(place)) return false;
  if (is === 'root') return kind.group !== 'outside' && kind.instead !== 'file';
  return kind.instead === is || kind.instead === 'both';
};

const kinds = await possibleKinds();
let attacked: AttackedServer;
let events: () => string;
beforeAll(async () => {
  attacked = await startAttackedServer(kinds);
  events = await attacked.follow();
});
afterAll(async () => {
  await attacked.stop();
  if (UPDATES) writeFileSync(RECORD, `${JSON.stringify(seen, null, 2)}\n`);
});

const SAMPLED = 6;
/** Spreads the quick tests over readers and kinds, together a row, and over places, the columns. */
const tagsAt = (row: number, column: number, columns: number) =>
  row % SAMPLED === 0 && column === (row / SAMPLED) % columns ? [] : ['slow'];

for (const [first, reader] of READERS.entries()) {
  const places = [
    { place: '.', is: 'root' as const },
    ...reader.files.map((place) => ({ place, is: 'file' as const })),
    ...reader.directories.map((place) => ({ place, is: 'directory' as const })),
  ];
  for (const [row, kind] of kinds.entries()) {
    const fitting = places.filter(({ place, is }) => fits(kind, place, is));
    for (const [column, { place }] of fitting.entries()) {
      const tags = tagsAt(first + row, column, fitting.length);
      test(titleOf(reader.name, place, kind), { tags }, async () => {
        const outcome = await attacked.outcome(reader, place, kind);
        keep(reader.name, place, kind, outcome);
        // Other systems open other things.
        if (!UPDATES && process.platform === 'linux')
          expect(outcome).toBe(recordedOutcome(reader.name, place, kind));
      });
    }
  }

  for (const [row, name] of HOSTILE_NAMES.entries()) {
    for (const [column, place] of reader.directories.entries()) {
      const tags = tagsAt(first + row, column, reader.directories.length);
      test(`${reader.name} stays in order if ${place} has ${name.name}`, { tags }, async () => {
        const remove = await addHostileNames(join(attacked.root, place), name);
        try {
          const answer = await attacked.get(reader);
          expect(answer.status).toBe(200);
          await attacked.expectHarmless(reader, answer, '');
        } finally {
          await remove();
        }
        expect((await attacked.get({ path: '/api/health' })).status).toBe(200);
      });
    }
  }

  const swapped = [...reader.files, ...reader.directories].filter(
    (place) => isPlanted(place) && !DESCRIBED.includes(place),
  );
  // What follows links by design shows where they lead.
  if (reader.followsLinks || swapped.length === 0) continue;
  test(`${reader.name} reads nothing outside the root while its ${swapped.length} paths are swapped for links`, {
    tags: 'slow',
  }, async () => {
    await attacked.whileSwapped(swapped, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => attacked.get(reader)));
        for (const answer of answers) await attacked.expectHarmless(reader, answer, '.');
      }
    });
    const answer = await attacked.get(reader);
    expect(answer.status).toBe(200);
    await attacked.expectHarmless(reader, answer, '');
  });
}

test('the events say nothing of what is outside the root', () => {
  expect(events()).toContain('event: agents');
  expect(events()).not.toContain(SECRET);
  expect(events()).not.toContain(attacked.outside);
});

test('nothing in the log is unexpected', () => {
  expect(attacked.errors()).toEqual([]);
});
