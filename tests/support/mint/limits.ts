import { CODES, MintError } from './protocol.ts';

/** The limits of one request, and of its amounts. */
export interface Limits {
  maxInputs: number;
  maxOutputs: number;
  /** Outputs of one restore (NUT-09). Default `maxOutputs`, as in cdk. */
  maxRestoreOutputs?: number;
  /** Ys of one checkstate (NUT-07). Default `maxInputs`. */
  maxCheckStates?: number;
  /** For one mint quote or melt quote, in its unit (NUT-04, NUT-05). */
  minAmount: number;
  maxAmount: number;
  /**
   * How the mint refuses a list that is too long.
   * - `code`: HTTP 400 with 11014 or 11015, as cdk does.
   * - `nutshell`: HTTP 422 without a code, as Nutshell's validation does. The answer repeats the list.
   */
  limitStyle: 'code' | 'nutshell';
}

/** The lists of a request that have a limit. */
export type LimitedList = 'inputs' | 'outputs' | 'restore' | 'Ys';

/** The default limits of a mint. */
export const DEFAULT_LIMITS: Limits = {
  maxInputs: 1000,
  maxOutputs: 1000,
  minAmount: 1,
  maxAmount: 2 ** 32,
  limitStyle: 'code',
};

const maxOf = (limits: Limits, list: LimitedList): number => {
  switch (list) {
    case 'inputs':
      return limits.maxInputs;
    case 'outputs':
      return limits.maxOutputs;
    case 'restore':
      return limits.maxRestoreOutputs ?? limits.maxOutputs;
    case 'Ys':
      return limits.maxCheckStates ?? limits.maxInputs;
  }
};

const fieldOf = (list: LimitedList): string => (list === 'restore' ? 'outputs' : list);

const describeLikePydantic = (field: string, value: unknown[], max: number) => ({
  type: 'too_long',
  loc: ['body', field],
  msg: `List should have at most ${max} items after validation, not ${value.length}`,
  input: value,
  ctx: { field_type: 'List', max_length: max, actual_length: value.length },
});

/**
 * Refuses a body with lists that are too long. Nutshell checks all lists before anything else and reports
 * each of them. cdk stops at the first.
 */
export const requireShort = (limits: Limits, body: Record<string, unknown>, lists: LimitedList[]): void => {
  const tooLong = lists.flatMap((list) => {
    const value = body[fieldOf(list)];
    const max = maxOf(limits, list);
    return Array.isArray(value) && value.length > max ? [{ list, value, max }] : [];
  });
  const [first] = tooLong;
  if (!first) return;
  if (limits.limitStyle === 'nutshell') {
    const detail = tooLong.map(({ list, value, max }) => describeLikePydantic(fieldOf(list), value, max));
    throw new MintError(0, 'too long', 422, { detail });
  }
  const isOfInputs = first.list === 'inputs' || first.list === 'Ys';
  const code = isOfInputs ? CODES.tooManyInputs : CODES.tooManyOutputs;
  throw new MintError(code, `more than ${first.max} ${fieldOf(first.list)}`);
};
