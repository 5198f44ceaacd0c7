import { expect, test } from 'vitest';
import { ERROR_CODES, type ErrorCode, errorInfo, isErrorCode } from '../../../src/shared/api/errors.ts';
import { endpoints } from '../../../src/shared/api/index.ts';
import { errorsOf } from '../../../src/shared/api/problem.ts';
import { readRecords, type WireAnswer } from './record.ts';

const COUNTERS = 'Needs 500 counters that wait for the mint. forged.test.ts has such a mint.';
const SELECTS_AGAIN = 'The wallet selects other proofs first, four times. part-signed.test.ts has the case.';
const SKIPPED = 'A keyset that the mint refuses to search is skipped and named in the answer.';
const ITEM = 'Only items of a change set have it. changes.test.ts has them.';
const MANY_DRAFTS = 'Needs 500 drafts. drafts.test.ts has them.';
const OTHER_DISK = 'Needs a directory on another disk in the root, or a directory of sessions outside of it.';
const TRASH_IS_LINK = 'Needs a link in place of the trash. trash.test.ts has one.';
const MANY_KEYS = 'Needs 500 agent keys. keys.test.ts has them.';
const TWO_KEYS =
  'Needs two requests with one token, and a use of one key while the other request still waits.';
const FULL_DISK = 'Needs a disk that is full.';

/** Why no case reaches an error that an endpoint declares: endpoint id and code. */
const UNREACHED: Readonly<Record<string, string>> = {
  'budgets.set disk_full': FULL_DISK,
  'charges.open-and-pay wallet_busy': COUNTERS,
  'charges.pay wallet_busy': COUNTERS,
  'drafts.write too_many_drafts': MANY_DRAFTS,
  'prepaid-balances.open charge_is_deposit': TWO_KEYS,
  'prepaid-balances.open wallet_busy': COUNTERS,
  'prepaid-balances.top-up wallet_busy': COUNTERS,
  'services.start too_many_keys': MANY_KEYS,
  'sessions.delete not_a_directory': TRASH_IS_LINK,
  'sessions.delete session_outside_root': OTHER_DISK,
  'keys.create too_many_keys': MANY_KEYS,
  'keys.delete disk_full': FULL_DISK,
  'preferences.change disk_full': FULL_DISK,
  'settings.change disk_full': FULL_DISK,
  'trash.restore session_outside_root': OTHER_DISK,
  'trust.delete disk_full': FULL_DISK,
  'wallet.receive wallet_busy': COUNTERS,
  'wallet.reclaim wallet_busy': COUNTERS,
  'wallet.redeemTestToken wallet_busy': COUNTERS,
  'wallet.rescan mint_refused': SKIPPED,
  'wallet.restore mint_refused': SKIPPED,
  'wallet.send already_spent': SELECTS_AGAIN,
  'wallet.send wallet_busy': COUNTERS,
};

/** Why no case reaches a code that no endpoint declares as its own, or that none answers. */
const UNREACHED_CODES: Readonly<Partial<Record<ErrorCode, string>>> = {
  too_many_drafts: MANY_DRAFTS,
  too_many_keys: MANY_KEYS,
  internal: 'Only a bug of dot-mi answers it.',
  too_many_connections: 'Needs hundreds of connections. connections.test.ts opens them.',
  too_many_open_files: 'Needs a process that may open few files. connections.test.ts starts one.',
  disk_full: FULL_DISK,
  session_outside_root: OTHER_DISK,
  mcp_server_exists: ITEM,
  mcp_unreadable: ITEM,
  model_exists: ITEM,
  model_not_found: ITEM,
  model_refused: ITEM,
  models_unreadable: ITEM,
  pi_settings_unreadable: ITEM,
  pi_setting_unknown: ITEM,
  pi_setting_refused: ITEM,
  package_refused: ITEM,
  nothing_to_undo: 'Only items of an undo have it. changes.test.ts fills the history.',
  released: 'Only operations have it, as the reason why they failed.',
  wallet_damaged: 'Needs a damaged database. database.test.ts damages one.',
};

/** `<endpoint id> <outcome>` of every recorded case. */
const readReached = async (): Promise<Set<string>> => {
  const { 'every-route': everyRoute = {}, 'no-route': noRoute = {}, ...records } = await readRecords();
  const cases = Object.values(records).flatMap((record) => Object.keys(record));
  const common = Object.entries(everyRoute).flatMap(([code, groups]) =>
    (groups as { endpoints: string[] }[]).flatMap((group) => group.endpoints.map((id) => `${id} ${code}`)),
  );
  const none = Object.keys(noRoute).map((code) => `none ${code}`);
  return new Set([...cases.map((name) => name.replace(/,.*/, '')), ...common, ...none]);
};

test('every endpoint has a recorded success, and every error it declares a case or a reason', async () => {
  const reached = await readReached();
  expect(endpoints.map(({ id }) => id).filter((id) => !reached.has(`${id} success`))).toEqual([]);
  const declared = endpoints.flatMap(({ id, errors }) => errors.map((code) => `${id} ${code}`));
  expect(declared.filter((each) => !reached.has(each)).sort()).toEqual(Object.keys(UNREACHED).sort());
});

test('every error code has a case or a reason', async () => {
  const codes = new Set([...(await readReached())].map((name) => name.split(' ').at(-1)));
  const unreached = ERROR_CODES.filter((code) => !codes.has(code));
  expect(unreached.toSorted()).toEqual(Object.keys(UNREACHED_CODES).sort());
});

test('no endpoint returns an error that it does not declare', async () => {
  const known = new Map(
    endpoints.map((endpoint) => [endpoint.id, new Set<string>(['success', ...errorsOf(endpoint)])]),
  );
  const undeclared = [...(await readReached())].filter((name) => {
    const [id = '', outcome = ''] = name.split(' ');
    return id !== 'none' && !known.get(id)?.has(outcome);
  });
  expect(undeclared).toEqual([]);
});

/** The recorded answers of an error, whatever record they are in. */
const readErrors = async (): Promise<WireAnswer[]> => {
  const records = Object.values(await readRecords()).flatMap((record) => Object.values(record));
  return (records.flat() as WireAnswer[]).filter(({ body }) => isErrorCode(body.code));
};

test('an error has the status of the table and no field that the table does not name', async () => {
  const errors = await readErrors();
  expect(errors.length).toBeGreaterThan(100);
  for (const { status, body } of errors) {
    const info = errorInfo(body.code as ErrorCode);
    const known = ['code', 'error', 'issues', ...Object.keys(info.details?.shape ?? {})];
    const named = Object.keys(body).map((path) => path.replace(/[.[?].*/, ''));
    expect([body.code, status, named.filter((name) => !known.includes(name))]).toEqual([
      body.code,
      info.status,
      [],
    ]);
  }
});
