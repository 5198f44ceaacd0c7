import { expect, it } from 'vitest';
import {
  createSession,
  type ServerVerdict,
  type SessionDeps,
  storedToken,
} from '../../src/renderer/src/api/session.ts';

const OURS = 'dmp_ours';

/** A browser and a server, and what the session asked of them. */
const surroundings = (kept?: string) => {
  const stored = new Map<string, string>(kept === undefined ? [] : [['dot-mi.token', kept]]);
  const asked: string[] = [];
  const server: { verdict: ServerVerdict | 'away'; again: string | null; valid: string[] } = {
    verdict: 'same',
    again: null,
    valid: ['operator'],
  };
  const deps: SessionDeps = {
    storage: {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, value),
      removeItem: (key) => void stored.delete(key),
    },
    clearWorkers: async () => void asked.push('clear workers'),
    isServerKnown: () => false,
    verify: async (token) => {
      asked.push(`verify ${token}`);
      if (server.verdict === 'away') throw new Error('offline');
      return server.verdict;
    },
    exchange: async (token) => {
      asked.push(`exchange ${token}`);
      return server.valid.includes(token) ? OURS : null;
    },
    signInAgain: async () => {
      asked.push('sign in again');
      return server.again;
    },
  };
  return { deps, asked, server, stored: () => storedToken(deps.storage) };
};

it('sends a stored token only after the server has proved its identity, and asks once for many requests', async () => {
  const { deps, asked } = surroundings(OURS);
  const session = createSession(deps);
  expect(await Promise.all([session.bearer(), session.bearer(), session.bearer()])).toEqual([
    OURS,
    OURS,
    OURS,
  ]);
  expect(await session.bearer()).toBe(OURS);
  expect(asked).toEqual(['clear workers', `verify ${OURS}`]);
  session.doubt();
  expect(await session.bearer()).toBe(OURS);
  expect(asked).toEqual(['clear workers', `verify ${OURS}`, `verify ${OURS}`]);
});

it('forgets the token when another server responds, and signs in again if it can', async () => {
  const { deps, server, stored } = surroundings(OURS);
  const session = createSession(deps);
  const states: string[] = [];
  session.subscribe(() => states.push(session.state()));
  server.verdict = 'other';
  expect(await session.bearer()).toBeNull();
  expect([stored(), states]).toEqual([null, ['signedOut']]);

  server.again = 'dmp_new';
  session.doubt();
  expect(await session.bearer()).toBe('dmp_new');
  expect([stored(), states]).toEqual(['dmp_new', ['signedOut', 'signedIn']]);
});

it('doesn’t send the token to a server that can’t prove its identity, until the operator allows it', async () => {
  const { deps, server, stored } = surroundings(OURS);
  const session = createSession(deps);
  server.verdict = 'unknown';
  expect(await session.bearer()).toBeNull();
  expect([session.state(), stored()]).toEqual(['unproven', OURS]);
  session.vouch();
  expect([session.state(), await session.bearer()]).toEqual(['signedIn', OURS]);
  session.doubt();
  expect([await session.bearer(), session.state()]).toEqual([null, 'unproven']);
});

it('sends nothing while the server is away, and asks again afterwards', async () => {
  const { deps, server, stored } = surroundings(OURS);
  const session = createSession(deps);
  server.verdict = 'away';
  await expect(session.bearer()).rejects.toThrow('offline');
  expect(stored()).toBe(OURS);
  server.verdict = 'same';
  expect(await session.bearer()).toBe(OURS);
});

it('exchanges a permanent token and never stores it, and keeps one of this run unchanged', async () => {
  const { deps, asked, stored } = surroundings();
  const session = createSession(deps);
  session.bring('operator');
  expect(stored()).toBeNull();
  expect(session.state()).toBe('signedIn');
  expect(await session.bearer()).toBe(OURS);
  expect([stored(), asked]).toEqual([OURS, ['clear workers', 'exchange operator']]);

  const second = surroundings();
  const other = createSession(second.deps);
  other.bring('dmp_printed');
  expect(second.stored()).toBe('dmp_printed');
  expect(await other.bearer()).toBe('dmp_printed');
  expect(second.asked).toEqual(['clear workers']);
});

it('a wrong token signs no one in and no one out', async () => {
  const { deps, stored } = surroundings(OURS);
  const session = createSession(deps);
  expect(await session.signIn('wrong')).toBe(false);
  expect([stored(), await session.bearer()]).toEqual([OURS, OURS]);
});

it('forgets its token when the person signs out, and does not sign in again', async () => {
  const { deps, asked, stored } = surroundings(OURS);
  const session = createSession(deps);
  await session.bearer();
  session.signOut();
  expect(session.state()).toBe('signedOut');
  expect(stored()).toBeNull();
  expect(await session.bearer()).toBeNull();
  expect(asked).not.toContain('sign in again');
});

/** A session whose server has not yet answered the question whether it is the same one. */
const whileAsked = async () => {
  const { deps, stored } = surroundings('dmp_before');
  const answer = Promise.withResolvers<ServerVerdict>();
  const asked = Promise.withResolvers<void>();
  let questions = 0;
  const session = createSession({
    ...deps,
    verify: () => {
      questions++;
      asked.resolve();
      return questions === 1 ? answer.promise : Promise.resolve('same');
    },
  });
  const first = session.bearer();
  await asked.promise;
  return { session, stored, first, answer: answer.resolve, questions: () => questions };
};

it('keeps a token that the person brings while it finds out that the server restarted', async () => {
  const { session, stored, first, answer } = await whileAsked();
  session.bring('dmp_printed');
  answer('other');
  expect(await first).toBe('dmp_printed');
  expect([stored(), session.state(), await session.bearer()]).toEqual([
    'dmp_printed',
    'signedIn',
    'dmp_printed',
  ]);
});

it('stays signed out if the person signs out while it asks the server', async () => {
  const { session, stored, first, answer } = await whileAsked();
  session.signOut();
  answer('same');
  expect(await first).toBeNull();
  expect([stored(), session.state()]).toEqual([null, 'signedOut']);
});

it('asks again if the connection ends before the response is used', async () => {
  const { session, first, answer, questions } = await whileAsked();
  session.doubt();
  answer('same');
  expect([await first, questions()]).toEqual(['dmp_before', 2]);
});
