import { makeSession, type SessionEntry } from './session-file.ts';

/** What one line adds to usage, as the generator knows it. */
export interface KnownUsage {
  readonly agent: string;
  readonly model: string;
  readonly atMs: number;
  readonly calls: number;
  readonly errors: number;
  readonly input: number;
  readonly output: number;
  readonly usd: number;
}

/** A session file of an agent. A later version of pi rewrites some of them, with an id for each line. */
export interface TreeFile {
  readonly agent: string;
  readonly fileName: string;
  readonly text: string;
  readonly rewritten: string | undefined;
}

/** A source of numbers from 0 to below 1. */
type Random = () => number;

const MODELS = ['small', 'large', 'vision'] as const;
const DAY_MS = 24 * 60 * 60_000;

const timeOf = ({ timestamp }: SessionEntry): number => Date.parse(String(timestamp));

/** The text of a session in the third version of the format, as pi rewrites older ones. */
const upgraded = (text: string): string => {
  const [header = '', ...lines] = text.trim().split('\n');
  return [
    JSON.stringify({ ...JSON.parse(header), version: 3 }),
    ...lines.map((line, at) => JSON.stringify({ ...JSON.parse(line), id: `line-${at}`, parentId: null })),
  ]
    .map((line) => `${line}\n`)
    .join('');
};

/**
 * Generates sessions as agents leave them: in three versions of the format, with failed calls, summaries, tools that
 * call models, forks of forks, copies, and files that are rewritten later. `usage` has each line once.
 */
export const makeSessionTrees = (random: Random, agents: readonly string[], count: number) => {
  const files: TreeFile[] = [];
  const usage: KnownUsage[] = [];
  const below = (limit: number): number => Math.floor(random() * limit);

  const fill = (session: ReturnType<typeof makeSession>, agent: string): void => {
    let model: string = MODELS[below(MODELS.length)] ?? 'small';
    const note = (calls: number, errors: number, cost: { input?: number; output?: number; usd?: number }) => {
      const last = session.entries.at(-1);
      const { input = 0, output = 0, usd = 0 } = cost;
      if (last) usage.push({ agent, model, atMs: timeOf(last), calls, errors, input, output, usd });
    };
    for (let turn = 1 + below(6); turn > 0; turn--) {
      session.say(`Turn ${turn}`);
      if (random() < 0.3) model = MODELS[below(MODELS.length)] ?? 'small';
      // Multiples of 1/64, so that sums are exact in any order.
      const cost = { input: 1 + below(5_000), output: below(900), usd: (1 + below(64)) / 64 };
      const kind = random();
      if (kind < 0.1) {
        session.call({}, { model, stopReason: 'error' });
        note(0, 1, {});
        continue;
      }
      session.call(cost, { model });
      note(1, 0, cost);
      if (kind < 0.25) {
        session.compact(cost);
        note(0, 0, cost);
      } else if (kind < 0.4) {
        session.toolResult(cost);
        note(0, 0, cost);
      }
    }
  };

  for (let number = 0; number < count; number++) {
    const agent = agents[below(agents.length)] ?? '';
    const version = ([1, 2, 3, 3, 3] as const)[below(5)] ?? 3;
    const startedAtMs = Date.now() - (1 + below(5)) * DAY_MS - below(DAY_MS / 2);
    const session = makeSession({ startedAtMs, version });
    fill(session, agent);
    const text = session.text();
    files.push({
      agent,
      fileName: session.fileName,
      text,
      rewritten: version === 1 && random() < 0.5 ? upgraded(text) : undefined,
    });
    if (version === 1) continue;
    if (random() < 0.2)
      files.push({ agent, fileName: `copy-of-${session.fileName}`, text, rewritten: undefined });
    let { entries } = session;
    let parent = session;
    while (random() < 0.4) {
      const fork = makeSession({
        startedAtMs: startedAtMs + 3_600_000,
        parentSession: `/x/${parent.fileName}`,
      });
      fill(fork, agent);
      entries = [...entries.slice(0, 1 + below(entries.length)), ...fork.entries];
      files.push({ agent, fileName: fork.fileName, text: fork.text(entries), rewritten: undefined });
      parent = fork;
    }
  }
  return { files, usage };
};
