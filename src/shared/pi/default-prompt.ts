import type { PiVersion } from './flags.ts';
import texts from './pi-texts.json' with { type: 'json' };
import { toolTexts } from './tools.ts';

/** Stands for the directory of pi's package while nobody knows it. */
export const UNKNOWN_PI_DIRECTORY = '<directory of pi>';

const rulesText = (tools: readonly string[], version: PiVersion): string => {
  const has = (...names: string[]) => names.some((name) => tools.includes(name));
  const explores = has('grep', 'find', 'ls');
  const rules = [
    ...(has('bash') && !explores ? [texts.rules.explore] : []),
    ...(has('bash') && explores && version === '0.73' ? [texts.rules.exploreWithTools] : []),
    ...tools.flatMap((name) => toolTexts(name, version)?.rules ?? []),
    ...texts.rules.always,
  ];
  return [...new Set(rules)].map((rule) => `- ${rule}`).join('\n');
};

/** The parts of pi's own prompt, which is used without a SYSTEM.md. They have no tags. */
export const defaultPrompt = (tools: readonly string[], version: PiVersion, piDirectory: string) => {
  const lines = tools.flatMap((name) => {
    const snippet = toolTexts(name, version)?.snippet;
    return snippet === undefined ? [] : [`- ${name}: ${snippet}`];
  });
  return {
    preamble: texts.preamble[version],
    tools: `${lines.length > 0 ? lines.join('\n') : '(none)'}\n\n${texts.moreTools[version]}`,
    rules: rulesText(tools, version),
    docs: texts.docs[version].map((line) => line.replace('{pi}', () => piDirectory)).join('\n'),
  };
};
