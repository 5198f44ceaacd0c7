import { expect, it } from 'vitest';
import { apiAddress, examples } from '../../src/renderer/src/features/api-view/examples.ts';

it('names an address that programs can resolve', () => {
  const at = (hostname: string, port: string) => apiAddress({ protocol: 'http:', hostname, port });
  expect(at('dot-mi.localhost', '8000')).toBe('http://127.0.0.1:8000/api');
  expect(at('127.0.0.1', '8000')).toBe('http://127.0.0.1:8000/api');
  expect(apiAddress({ protocol: 'https:', hostname: 'agents.example', port: '' })).toBe(
    'https://agents.example/api',
  );
});

it('passes tokens from a file, and quotes a model name for the shell', () => {
  const commands = examples('http://127.0.0.1:8000/api', "it's; rm").map(({ command }) => command);
  expect(commands.filter((command) => /cashu|Bearer|-d '/.test(command))).toEqual([]);
  expect(commands).toContain("curl -s 'http://127.0.0.1:8000/api/pricing/tokens?model=it'\\''s%3B%20rm'");
});
