import { expect, it } from 'vitest';
import { extensionCalls } from '../../src/pi/extension-calls.ts';

it('finds the flags, tools and providers that an extension registers', () => {
  const source = `
    export default function (pi: ExtensionAPI) {
      pi.registerFlag("tts-enable", { type: "boolean", default: false });
      pi.registerFlag(
        'plan', {
          description: "Start in plan mode",
          type: 'string' });
      api.registerTool<typeof Params>({ label: "Search", name: \`tavily_search\`, async execute() {} });
      pi.registerProvider("local", { baseUrl: "http://127.0.0.1" });
    }`;
  expect(extensionCalls(source)).toEqual({
    flags: [
      { name: 'tts-enable', type: 'boolean' },
      { name: 'plan', type: 'string' },
    ],
    tools: ['tavily_search'],
    providers: ['local'],
    isComplete: true,
  });
});

it.each([
  ['a flag whose name is computed', 'pi.registerFlag(NAME, {})'],
  ['a tool that is made elsewhere', 'pi.registerTool(searchTool)'],
  ['a template with a value in it', 'pi.registerFlag(`x-$' + '{y}`, {})'],
  ['another file of the extension', "import { tools } from './tools.ts';"],
  ['a file that is loaded later', "await import( '../other/index.ts')"],
])('knows that it misses %s', (_, source) => {
  expect(extensionCalls(source)).toEqual({ flags: [], tools: [], providers: [], isComplete: false });
});

it('does not take the name of the next call for its own', () => {
  expect(extensionCalls("pi.registerTool({ ...tool }); pi.registerTool({ name: 'b' })")).toMatchObject({
    tools: ['b'],
    isComplete: false,
  });
});

it('reads bait in linear time', () => {
  for (const bait of [
    'from ',
    '.registerTool({',
    '.registerFlag(',
    '.registerFlag<',
    'require(  ',
    ' name: "',
  ]) {
    // A rule that backtracks would take longer than a test may.
    extensionCalls(bait.repeat(100_000 / bait.length) + ' '.repeat(100_000));
  }
});
