import { expect, test } from 'vitest';
import { piFactsIn } from '../../src/renderer/src/features/agents/agent-chips.tsx';

test('reads the model and the tools from pi-args, and the last of several wins', () => {
  expect(piFactsIn('')).toEqual({});
  expect(piFactsIn('# --model\n--thinking\nlow\n')).toEqual({});
  expect(piFactsIn('--model\nlocal/a\n--model b\n--provider\nlocal\n-t\nread, bash,\n')).toEqual({
    model: 'local/b',
    tools: ['read'],
  });
  expect(piFactsIn('--tools\nread,bash\n')).toEqual({ tools: ['read', 'bash'] });
  expect(piFactsIn('--tools\nread\n--no-tools\n')).toEqual({ tools: [] });
});

test('a flag without its value says nothing', () => {
  expect(piFactsIn('--model')).toEqual({});
  expect(piFactsIn('--model\n--tools\nread')).toEqual({ tools: ['read'] });
});
