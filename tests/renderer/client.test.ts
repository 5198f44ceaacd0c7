import { describe, expect, it } from 'vitest';
import { toApiError, toRequest } from '../../src/renderer/src/api/client.ts';
import { listAgents } from '../../src/shared/api/agents.ts';
import { readFile, writeFile } from '../../src/shared/api/files.ts';
import { links } from '../../src/shared/api/links.ts';

describe('toRequest', () => {
  it('fills the params of the path, encoded', () => {
    const { url, init } = toRequest(
      links.skills.remove,
      { params: { id: 'scout', name: 'résumé 100% #1' } },
      null,
    );
    expect(url).toBe('/api/agents/scout/links/skills/r%C3%A9sum%C3%A9%20100%25%20%231');
    expect(init.method).toBe('DELETE');
    expect(init.body).toBeUndefined();
    expect(init.headers).toEqual({});
  });

  it('sends the query', () => {
    const { url } = toRequest(readFile, { params: { id: 'scout' }, query: { path: 'SYSTEM.md' } }, null);
    expect(url).toBe('/api/agents/scout/file?path=SYSTEM.md');
  });

  it('sends headers and a JSON body, and leaves absent headers out', () => {
    const { init } = toRequest(
      writeFile,
      {
        params: { id: 'scout' },
        headers: { 'if-match': '"abc"', 'if-none-match': undefined },
        body: { path: 'pi-args', content: 'a\r\n' },
      },
      null,
    );
    expect(init.headers).toEqual({ 'if-match': '"abc"', 'content-type': 'application/json' });
    expect(init.body).toBe('{"path":"pi-args","content":"a\\r\\n"}');
  });

  it('sends the token when there is one', () => {
    expect(toRequest(listAgents, {}, 'secret').init.headers).toEqual({ authorization: 'Bearer secret' });
  });
});

describe('toApiError', () => {
  it('keeps the code, the sentence and the additional fields of some codes', () => {
    const error = toApiError(500, {
      error: 'It failed.',
      code: 'setup_script_failed',
      exitCode: 3,
      stderr: 'no',
    });
    expect(error).toMatchObject({ status: 500, code: 'setup_script_failed', message: 'It failed.' });
    expect(error.details).toMatchObject({ exitCode: 3, stderr: 'no' });
  });

  it.each([undefined, 'Bad Gateway', { error: 'no code' }, { error: 'x', code: 'made_up' }])(
    'calls %j, which isn’t an answer of the API, unexpected',
    (body) => {
      expect(toApiError(500, body)).toMatchObject({
        status: 500,
        code: 'unexpected_answer',
        details: undefined,
      });
    },
  );

  it.each([502, 503, 504])(
    'treats %i from a proxy as a server that is offline, but not from the API',
    (status) => {
      expect(toApiError(status, 'Bad Gateway')).toMatchObject({ status: 0, code: 'offline' });
      expect(toApiError(status, { error: 'No price.', code: 'price_unavailable' })).toMatchObject({ status });
    },
  );
});
