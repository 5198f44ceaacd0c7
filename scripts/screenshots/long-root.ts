import type { Tree } from '../../tests/support/plant.ts';

const fill = (start: string, length: number): string =>
  (start + 'supercalifragilisticexpialidocious'.repeat(10)).slice(0, length);

/** The longest agent id, without a place to break it. */
export const LONG_ID = fill('agent', 64);
/** The longest name of a skill or extension, without a place to break it. */
export const LONG_NAME = fill('shared', 250);

const DESCRIPTION = `${fill('donaudampfschiff', 90)} ${'and many more words of it, '.repeat(40)}`.trim();

const IDS = Array.from({ length: 12 }, (_, index) => fill(`a${index}x`, 64));
/** Agents of the long root that are in the trash. */
export const LONG_DELETED = [fill('gone', 64), fill('gone-again-', 64), 'short'];

const skill = (name: string) => `---\nname: ${name}\ndescription: ${DESCRIPTION}\n---\n`;

/** A root in which all names are as long as they can be. */
export const LONG_ROOT: Tree = {
  ...Object.fromEntries(
    [LONG_ID, ...IDS, ...LONG_DELETED].flatMap((id): [string, string][] => [
      [`agents/${id}/SYSTEM.md`, `${fill('word', 300)}\n\n${'A line that goes on and on. '.repeat(30)}\n`],
      [`agents/${id}/pi-args`, '--thinking\nlow\n'],
    ]),
  ),
  ...Object.fromEntries(
    IDS.map((id) => [`agents/${id}/skills/${LONG_NAME}`, { link: `../../../shared/skills/${LONG_NAME}` }]),
  ),
  ...Object.fromEntries(
    IDS.map((id) => [
      `agents/${id}/extensions/${LONG_NAME}.ts`,
      { link: `../../../shared/extensions/${LONG_NAME}.ts` },
    ]),
  ),
  [`agents/${LONG_ID}/AGENT.md`]: 'x\n',
  [`agents/${LONG_ID}/APPEND_SYSTEM.md`]: 'x\n',
  [`agents/${LONG_ID}/workspace.conf`]: 'x\n',
  [`agents/${LONG_ID}/skills/${LONG_NAME}`]: { link: `../../../shared/skills/${LONG_NAME}` },
  [`agents/${LONG_ID}/skills/${fill('broken', 250)}`]: { link: `/srv/${fill('nowhere', 250)}` },
  [`agents/${LONG_ID}/skills/${fill('far', 250)}`]: { link: '../../../shared/extensions' },
  [`agents/${LONG_ID}/skills/${fill('local', 250)}/SKILL.md`]: skill('local'),
  [`shared/skills/${LONG_NAME}/SKILL.md`]: skill(LONG_NAME),
  [`shared/skills/${fill('other', 64)}/SKILL.md`]: skill(fill('other', 64)),
  [`shared/skills/${fill('wrong', 250)}/SKILL.md`]: `---\nname: ${fill('wrong', 120)}\n${fill('key', 90)}: [\n---\n`,
  [`shared/extensions/${LONG_NAME}.ts`]: `// ${DESCRIPTION}\nexport default () => {};\n`,
  [`shared/extensions/${fill('broken', 250)}/package.json`]: JSON.stringify({
    description: DESCRIPTION,
    pi: { extensions: [`./${fill('gone', 200)}.ts`] },
  }),
};

/** The largest possible amount, in sat. */
export const ALL_SATS = 2_100_000_000_000_000;
/** The longest memo a token may have, without a place to break the first word. */
export const LONG_MEMO = `${fill('memo', 120)} ${'and some more words '.repeat(43)}`.trim();

const usd = (input: number, output: number) => ({
  input_usd_per_million: input,
  output_usd_per_million: output,
});

/** The longest model name in the models file. */
export const LONG_MODEL = `provider/${fill('model', 180)}`;

/** A models file with the longest name, and the largest and the smallest price. */
export const LONG_MODELS = JSON.stringify({
  models: {
    [LONG_MODEL]: usd(1_000_000_000, 1e-9),
    [fill('second', 64)]: usd(1e-9, 1_000_000_000),
    'a-name': usd(123_456_789.123456, 0.000123456),
    short: usd(2.5, 10),
  },
});

/** Creates a token with invalid signatures, which the wallet doesn't check with test money. */
export const simulatedToken = (amount: number, memo: string): string => {
  const proof = {
    id: '009a1f293253e41e',
    amount,
    secret: `s${amount}${memo.length}`,
    C: `02${'a'.repeat(64)}`,
  };
  const token = { token: [{ mint: 'https://mint.example/Bitcoin', proofs: [proof] }], unit: 'sat', memo };
  return `cashuA${Buffer.from(JSON.stringify(token)).toString('base64url')}`;
};
