import { expect, test } from 'vitest';
import { ERROR_CODES, errorInfo, titleOf } from '../../src/shared/api/errors.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';

test('every 5xx is retryable, and of the 4xx errors only those that wait for something else', () => {
  const retryable = ERROR_CODES.filter((code) => errorInfo(code).retryable);
  expect(ERROR_CODES.filter((code) => errorInfo(code).status >= 500 && !retryable.includes(code))).toEqual(
    [],
  );
  expect(retryable.filter((code) => errorInfo(code).status < 500).toSorted()).toEqual([
    'charge_held',
    'charge_open',
    'fee_too_high',
    'idempotency_key_in_use',
    'seed_missing',
    'spend_limit_reached',
    'token_in_progress',
    'too_many_charges',
  ]);
});

test('every code but internal has a title without a period, and advice ends with one', () => {
  expect(ERROR_CODES.filter((code) => titleOf(code) === undefined)).toEqual(['internal']);
  for (const code of ERROR_CODES) {
    const { title = '', advice = '.' } = errorInfo(code);
    expect([code, title.endsWith('.'), advice.endsWith('.')]).toEqual([code, false, true]);
  }
  expect(titleOf('constructor')).toBeUndefined();
});

test('the OpenAPI document says which errors are retryable, and describes their fields', async () => {
  const { call } = await serve(await makeRoot());
  const { paths, components, 'x-errors': table } = (await call('GET', '/api/openapi.json')).body;
  const { responses: refs } = paths['/api/wallet/receive'].post;
  const responses = Object.fromEntries(
    [409, 503].map((status) => [status, components.responses[refs[status].$ref.split('/').at(-1)]]),
  );
  expect(table.operator_required).toMatchObject({ status: 403, next: 'Ask a person.', retryable: false });
  expect(table.mint_unreachable.next).toContain('Retry');
  expect(responses[503].headers).toHaveProperty('Retry-After');
  expect(table).toMatchObject({ token_spent: { retryable: false }, token_in_progress: { retryable: true } });
  expect(responses[503].description).toContain('`mint_unreachable`');
  expect(table.mint_unreachable.title).toBe('dot-mi can’t reach the mint');
  expect(JSON.stringify(responses[503].content)).toContain('"operationId"');
});
