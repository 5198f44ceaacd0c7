import { many, number } from './words.ts';

/** Strings for agents' current status. */
export const status = {
  running: 'Running',
  waiting: 'Waiting for you',
  done: (ago: string): string => `Done ${ago}`,
  attention: (id: string): string => `${id} is waiting for you`,
  moreWaiting: (count: number): string =>
    `${many(count, 'more agent is', 'more agents are')} waiting for you`,
  answerThere: 'Answer it in the terminal where it runs.',
  showTerminal: 'Show its terminal',
  showTerminalOf: (id: string): string => `Show the terminal of ${id}`,
  notShown: (id: string): string => `The terminal of ${id} wasn’t shown`,
  /** Describes a run's model and folder. Empty if neither is known. */
  run: (model: string | null, cwd: string | null): string => {
    const parts = [...(model === null ? [] : [`with ${model}`]), ...(cwd === null ? [] : [`in ${cwd}`])];
    return parts.length === 0 ? '' : `Running ${parts.join(' ')}`;
  },
  moreRuns: (count: number): string => `and ${number.format(count)} more`,

  addToAll: 'Show which agents are running',
  adding: 'Adding…',
  addFailed: 'Some agents didn’t get the extension that shows whether they are running',
  nextRun: 'It takes effect the next time each agent runs.',
  needsKeys: 'Give each agent a key in DOT_MI_KEY, so that it can report its status.',
} as const;
