import { expect, it } from 'vitest';
import { PI_FLAGS, piFlag } from '../../src/pi/flags.ts';
import { parsePiArgs, parsePiArguments, piArgsLines } from '../../src/pi/pi-args.ts';

/** A short form of each use: its kind, its text, and its value. */
const shownUses = (text: string) =>
  parsePiArgs(text).map((use) => {
    const value = 'value' in use ? use.value?.text : undefined;
    return [use.kind, use.arg.text, ...(value === undefined ? [] : [value])].join(' ');
  });

it('knows each flag of pi by both of its forms, once', () => {
  const texts = PI_FLAGS.flatMap(({ name, short }) => [name, ...(short ? [short] : [])]);
  expect(new Set(texts).size).toBe(texts.length);
  expect(piFlag('-t')).toMatchObject({ name: '--tools', value: 'any' });
  expect(piFlag('--no-mcp')).toMatchObject({ since: '1.5' });
  expect(piFlag('--tool')).toBeUndefined();
});

it('counts a flag only for versions of pi that have it', () => {
  const noMcp = (['0.73', '0.87', '1.5', '1.6'] as const).map(
    (version) => parsePiArguments('--no-mcp', version).noMcp,
  );
  expect(noMcp).toEqual([false, false, true, true]);
  expect(parsePiArguments('--approve', '0.73').approve).toBeUndefined();
  expect(parsePiArguments('--approve', '0.87').approve).toBe(true);
});

it('says where each argument is', () => {
  const text = '\uFEFF# note\r\n  --tools\tread\r\n\nlast';
  const args = piArgsLines(text).flatMap((line) => line.args);
  expect(args).toEqual([
    { text: '--tools', line: 2, column: 3, offset: 11 },
    { text: 'read', line: 2, column: 11, offset: 19 },
    { text: 'last', line: 4, column: 1, offset: 26 },
  ]);
  for (const arg of args) expect(text.slice(arg.offset, arg.offset + arg.text.length)).toBe(arg.text);
  expect(piArgsLines(text).map(({ number }) => number)).toEqual([2, 3, 4]);
});

it('reads arguments as pi does', () => {
  expect(shownUses('--model --no-tools -t read')).toEqual(['flag --model --no-tools', 'flag -t read']);
  expect(shownUses('--mode -p')).toEqual(['flag --mode', 'flag -p']);
  expect(shownUses('-p hello @file\n--list-models @x')).toEqual([
    'flag -p hello',
    'file @file',
    'flag --list-models',
    'file @x',
  ]);
  expect(shownUses('--tts-enable on --plan -x')).toEqual([
    'other_flag --tts-enable on',
    'other_flag --plan',
    'unknown_short -x',
  ]);
  expect(parsePiArgs('--tools=read')[0]).toMatchObject({ name: 'tools', inlineValue: 'read' });
  expect(shownUses('-- --model @a b')).toEqual(['flag --', 'message --model', 'file @a', 'message b']);
  expect(parsePiArgs('--model')[0]).not.toHaveProperty('value');
});
