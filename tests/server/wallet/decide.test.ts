import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MintError } from '../../../src/server/wallet/mint/mint.ts';
import {
  DECISION_TIMES,
  type Decision,
  decide,
  type Evidence,
  failedResponse,
  type Question,
} from '../../../src/server/wallet/operations/decide.ts';
import { refusedFailure, waitFailure } from '../../../src/server/wallet/operations/problems.ts';
import { ERRORS } from '../../../src/shared/api/errors.ts';
import type { OperationKind } from '../../../src/shared/api/wallet.ts';
import {
  allCases,
  COLUMNS,
  type Column,
  evidenceOf,
  exchangeOf,
  NOW_MS,
  type SwapCase,
} from '../../support/decisions/swap-cases.ts';
import { parseTable } from '../../support/decisions/table.ts';

/** The decisions about a swap are those of tests/support/decisions/swap.txt, for every combination of evidence. */

const ROWS = parseTable<Column>(
  readFileSync(new URL('../../support/decisions/swap.txt', import.meta.url), 'utf8'),
  COLUMNS,
);
const COLUMN_NAMES = Object.keys(COLUMNS) as Column[];

/** The rows by answer and inputs, because looking through all of them takes ten times as long. */
const ROWS_OF = new Map(
  COLUMNS.answer.flatMap((answer) =>
    COLUMNS.inputs.map((inputs) => [
      answer + inputs,
      ROWS.filter(({ allows }) => allows.answer.has(answer) && allows.inputs.has(inputs)),
    ]),
  ),
);

/** How the table writes a question. */
const LETTERS = { inputs: 'i', signed: 's', inputsAgain: 'a', keysets: 'k' } as const;
const letterOf = (question: Question) =>
  question.about === 'keysets' && question.refresh ? 'K' : LETTERS[question.about];

/** Asks for one piece of evidence after the other, as the wallet does. */
const walk = (each: SwapCase): { decision: Decision; asks: string; partial: Evidence[] } => {
  const exchange = exchangeOf(each);
  const all = evidenceOf(each);
  let evidence: Evidence = { now: all.now, response: all.response };
  let asks = '';
  const partial: Evidence[] = [];
  for (;;) {
    const decision = decide(exchange, evidence, DECISION_TIMES);
    if (decision.kind !== 'ask') return { decision, asks, partial };
    asks += letterOf(decision);
    partial.push(evidence);
    evidence = { ...evidence, [decision.about]: all[decision.about] };
  }
};

const wordsOf = (name: string, ys: readonly string[] | undefined) =>
  ys && ys.length > 0 ? ` ${name}=${ys.join('')}` : '';

/** A decision in the words of the table. Throws for a time that the table has no words for. */
const describeDecision = (decision: Decision, each: SwapCase): string => {
  switch (decision.kind) {
    case 'done':
      return decision.isReplayed ? 'done replayed' : 'done';
    case 'rewrite':
      return `rewrite ${decision.why} ${decision.output.id} fee=${decision.fee}`;
    case 'refused': {
      const { why, certainty, spent, pending, refused, unsigned, collision } = decision;
      const ys = wordsOf('spent', spent) + wordsOf('pending', pending) + wordsOf('refused', refused);
      return `refused ${why} ${certainty}${ys}${unsigned ? ' unsigned' : ''}${collision ? ' collision' : ''}`;
    }
    case 'wait': {
      const { why, until } = decision;
      if (why === 'confirming') return 'wait confirming';
      if (until.by === 'mint') return `wait ${why} until the mint`;
      if (until.by === 'answer') {
        const { retryAfterMs } = until;
        return `wait ${why} until answer${retryAfterMs === undefined ? '' : ` in ${retryAfterMs / 1000} s`}`;
      }
      expect(until.at).toBe(exchangeOf(each).createdAt + 3_600_000);
      return `wait ${why} until an hour old`;
    }
  }
};

/** For how long it must look the same. */
const CONFIRM: Readonly<Record<string, readonly string[]>> = {
  soon: ['seconds', 'more', 'long'],
  'give-up': ['more', 'long'],
  late: ['long'],
};

/** A row of the table says for one combination. */
const expectedOf = (decision: string, { since }: SwapCase): string => {
  const [, when = '', after] = /^(soon|give-up|late): (.*)$/.exec(decision) ?? [];
  if (after === undefined) return decision;
  return CONFIRM[when]?.includes(since) ? after : 'wait confirming';
};

const nameOf = (each: SwapCase): string => Object.values(each).join(' | ');

interface Decided {
  each: SwapCase;
  decision: Decision;
}
const DECIDED: readonly Decided[] = [...allCases()].map((each) => {
  const decision = decide(exchangeOf(each), evidenceOf(each), DECISION_TIMES);
  if (decision.kind === 'ask') throw new Error(`${nameOf(each)}: asks although everything is known`);
  return { each, decision };
});

/** The first combinations for which something is wrong, to be readable. */
const wrong = (isWrong: (decided: Decided) => boolean): string[] =>
  DECIDED.filter(isWrong)
    .slice(0, 5)
    .map(({ each, decision }) => `${nameOf(each)}: ${describeDecision(decision, each)}`);

const isSending = ({ proofs }: SwapCase) => proofs.endsWith('send');

describe('the table', () => {
  test('has exactly one row for every combination, with the decision and the questions of the code', () => {
    const used = new Set<number>();
    const problems: string[] = [];
    for (const { each, decision } of DECIDED) {
      const rows =
        ROWS_OF.get(each.answer + each.inputs)?.filter(({ allows }) =>
          COLUMN_NAMES.every((name) => allows[name].has(each[name])),
        ) ?? [];
      const [row] = rows;
      if (!row || rows.length > 1) {
        problems.push(`${nameOf(each)}: rows ${rows.map(({ line }) => line).join(', ') || 'missing'}`);
        continue;
      }
      used.add(row.line);
      const [expected, found] = [expectedOf(row.decision, each), describeDecision(decision, each)];
      if (expected !== found)
        problems.push(`${nameOf(each)}, line ${row.line}: ${expected}, but found ${found}`);
      const { asks } = walk(each);
      if ((asks || '-') !== row.asks)
        problems.push(`${nameOf(each)}, line ${row.line}: asks ${row.asks}, but found ${asks}`);
    }
    expect(problems.slice(0, 10)).toEqual([]);
    expect(
      ROWS.filter(({ line }) => !used.has(line)).map(({ line }) => `line ${line} is never used`),
    ).toEqual([]);
  });
});

describe('for every combination', () => {
  test('asking step by step leads to the decision of all evidence', () => {
    const differing = wrong(({ each, decision }) => {
      const walked = walk(each);
      return JSON.stringify(walked.decision) !== JSON.stringify(decision);
    });
    expect(differing).toEqual([]);
  });

  test('a swap is done when all outputs are signed as planned and all inputs are spent, whatever the mint answered', () => {
    const isDone = ({ answer, inputs, signed }: SwapCase) =>
      inputs === 'all-spent' && signed === 'all' && !/^(unreachable|unprepared|limited)/.test(answer);
    expect(wrong(({ each, decision }) => isDone(each) && decision.kind !== 'done')).toEqual([]);
  });

  test('a refusal counts only after it was seen twice, two seconds apart, or 30 without a clear answer', () => {
    expect(
      wrong(({ each, decision }) => {
        if (decision.kind === 'wait' && decision.why === 'confirming') {
          const since = exchangeOf(each).looksFinishedSince ?? NOW_MS;
          return (
            decision.looksFinishedSince !== since ||
            ![2_000, 5_000, 30_000].includes(decision.until.at - since)
          );
        }
        if (decision.kind !== 'refused' || decision.why === 'never_sent') return false;
        return each.since === 'never' || each.since === 'lately';
      }),
    ).toEqual([]);
  });

  test('a refusal is final only if every answer had a protocol code, all inputs are unspent, and nothing is signed', () => {
    expect(
      wrong(({ each, decision }) => {
        if (decision.kind !== 'refused' || decision.certainty !== 'final') return false;
        if (decision.why === 'never_sent') return exchangeOf(each).earlier !== 'none';
        const isClear = /^(proofs|outputs|size-coded|other-coded)-?$/.test(each.answer);
        return !isClear || each.inputs !== 'unspent' || each.signed !== 'none';
      }),
    ).toEqual([]);
  });

  test('a wait names a reason that a person can read, and what ends it', () => {
    const kinds: readonly OperationKind[] = ['receive', 'send', 'reclaim', 'restore', 'swap'];
    expect(
      wrong(({ decision }) => {
        if (decision.kind !== 'wait') return false;
        if (decision.until.by === 'time' && decision.until.at <= NOW_MS) return true;
        if (decision.why === 'confirming') return false;
        const failures = kinds.map((kind) => waitFailure(decision, kind));
        return !failures.every(({ code, message }) => ERRORS[code].retryable && /^[A-Z].+\.$/.test(message));
      }),
    ).toEqual([]);
  });

  test('a refusal has a code and a sentence, and never one about a token where the wallet used its own proofs', () => {
    expect(
      wrong(({ each, decision }) => {
        if (decision.kind !== 'refused') return false;
        const isOwn = !each.proofs.startsWith('token');
        const kinds: readonly OperationKind[] = isOwn ? ['send', 'swap'] : ['receive', 'reclaim', 'restore'];
        const codes = kinds.map((kind) => refusedFailure(decision, kind).code);
        const ofTokens = ['token_spent', 'token_in_progress', 'invalid_signature'] as const;
        return isOwn && codes.some((code) => ofTokens.some((each) => each === code));
      }),
    ).toEqual([]);
  });

  test('silence keeps the time since when it looks finished, and work in progress ends it', () => {
    expect(
      wrong(({ each, decision }) => {
        if (decision.kind !== 'wait' || decision.why === 'confirming') return false;
        const kept = decision.until.by === 'answer' ? exchangeOf(each).looksFinishedSince : undefined;
        return decision.looksFinishedSince !== kept;
      }),
    ).toEqual([]);
  });

  test('new outputs are worth what the inputs are, without a fee above the limit', () => {
    expect(
      wrong(({ each, decision }) => {
        if (decision.kind !== 'rewrite') return false;
        const { inputs, feeMax = Number.POSITIVE_INFINITY } = exchangeOf(each);
        const sum = inputs.reduce((total, { amount }) => total + amount, 0);
        const { kept, sent, fee } = decision;
        return kept + sent + fee !== sum || fee > feeMax || sent !== (isSending(each) ? 32 : 0);
      }),
    ).toEqual([]);
  });

  test('counters are used again only after a final refusal', () => {
    expect(
      wrong(
        ({ decision }) =>
          decision.kind === 'refused' && decision.unsigned === true && decision.certainty !== 'final',
      ),
    ).toEqual([]);
  });

  test('a request that the mint does not respond to changes nothing, and is repeated', () => {
    const reasons = {
      unreachable: 'mint_unreachable',
      unanswered: 'mint_unanswered',
      limited: 'mint_limited',
      invalid: 'answer_invalid',
      refused: 'question_refused',
    } as const;
    const silences = (Object.keys(reasons) as (keyof typeof reasons)[]).map(
      (kind) => new MintError(kind, 'The mint didn’t respond.', { retryAfterMs: 7 }),
    );
    const problems = new Set<string>();
    let questions = 0;
    // These lead to every question. The other classes of both only change what follows the last one.
    const asked = DECIDED.filter(({ each }) => each.again === 'unspent' && each.keysets === 'current');
    for (const { each } of asked) {
      const exchange = exchangeOf(each);
      for (const evidence of walk(each).partial) {
        for (const unread of silences) {
          questions++;
          const decision = decide(exchange, { ...evidence, unread }, DECISION_TIMES);
          const isRight =
            decision.kind === 'wait' &&
            decision.why === reasons[unread.kind] &&
            decision.until.by === 'answer' &&
            decision.until.retryAfterMs === 7 &&
            decision.looksFinishedSince === exchange.looksFinishedSince;
          if (!isRight) problems.add(`${nameOf(each)}, ${unread.kind}: ${decision.kind}`);
        }
      }
    }
    expect([...problems].slice(0, 5)).toEqual([]);
    expect(questions).toBeGreaterThan(1000);
  });
});

test.for([
  ['refused', { mintCode: 10_001 }, 'inputs'],
  ['refused', { mintCode: 11_003 }, 'outputs'],
  ['refused', { mintCode: 11_004 }, 'outputs'],
  ['refused', { mintCode: 11_008 }, 'outputs'],
  ['refused', { mintCode: 11_001 }, 'other'],
  ['refused', {}, 'other'],
  ['refused', { mintCode: 11_000 }, 'other'],
  ['refused', { mintCode: 10_001, limit: { what: 'inputs', most: 5 } }, 'size'],
] as const)('an error of kind %s with %j is about %s', ([kind, details, about]) => {
  expect(failedResponse(new MintError(kind, 'No.', details))).toMatchObject({ kind, about });
});

test.for(['unanswered', 'limited', 'invalid', 'refused'] as const)(
  'an error of kind %s before the request was sent says that nothing was sent',
  (kind) => {
    expect(failedResponse(new MintError(kind, 'No.', { isUnsent: true }))).toMatchObject({ kind: 'unsent' });
  },
);

test('a page that is not the mint’s is no answer', () => {
  const error = new MintError('refused', 'HTTP 404', { status: 404, isUnknownFormat: true });
  expect(failedResponse(error)).toMatchObject({ kind: 'unanswered' });
});

test('a clock that was set back doesn’t delay what looked refused before', () => {
  const [first] = [...allCases()].flatMap((one) => {
    const decision = decide(exchangeOf(one), evidenceOf(one), DECISION_TIMES);
    return decision.kind === 'wait' && decision.why === 'confirming' ? [one] : [];
  });
  if (!first) throw new Error('no case is confirming');
  const exchange = { ...exchangeOf(first), looksFinishedSince: NOW_MS + 3_600_000 };
  expect(decide(exchange, evidenceOf(first), DECISION_TIMES)).toMatchObject({
    why: 'confirming',
    looksFinishedSince: NOW_MS,
  });
});
