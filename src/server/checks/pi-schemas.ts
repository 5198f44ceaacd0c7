import { z } from 'zod';
import { THINKING_LEVELS } from '../../shared/pi/flags.ts';
import { listed } from '../platform/words.ts';

/**
 * The parts of pi's settings and models that matter, from `schemas/settings.schema.json` and
 * `schemas/models.schema.json` of @earendil-works/pi-coding-agent 1.5.2 (MIT). Other keys are allowed, as there.
 * A message completes the sentence that begins with the name of the key.
 */
const yesOrNo = z.boolean('must be true or false');
const text = z.string('must be a text in quotes');
const filled = text.min(1, "can't be empty");
const number = z.number('must be a number');
const positive = number.positive('must be more than 0');
const atLeastZero = number.min(0, "can't be negative");
const whole = z
  .int('must be a whole number')
  .min(0, "can't be negative")
  .max(Number.MAX_SAFE_INTEGER, 'is too large');
const texts = z.array(text, 'must be a list, such as ["a", "b"]');

const oneOf = (...values: (string | number | boolean)[]) => {
  const words = values.map((value) => JSON.stringify(value));
  return z.literal(values, `must be ${listed(words).replace(/ and (?=[^,]*$)/, ' or ')}`);
};

const object = <T extends z.ZodRawShape>(shape: T) =>
  z.looseObject(shape, 'must be an object, such as { "name": "value" }').partial();

const map = <T extends z.ZodType>(value: T) =>
  z.record(z.string(), value, 'must be an object, such as { "name": "value" }');

const either = <T extends [z.ZodType, z.ZodType, ...z.ZodType[]]>(message: string, ...kinds: T) =>
  z.union(kinds, message);

const thinking = oneOf(...THINKING_LEVELS);
const timeout = either('must be a number of milliseconds or "disabled"', atLeastZero, z.literal('disabled'));
const yesNoOrAuto = either('must be true, false or "auto"', z.boolean(), z.literal('auto'));

/** settings.json. Old keys that pi still converts are left alone. */
export const settingsSchema = object({
  defaultProvider: text,
  defaultModel: text,
  defaultThinkingLevel: thinking,
  modelThinkingLevels: map(thinking),
  enabledModels: texts,
  thinkingBudgets: object({ minimal: number, low: number, medium: number, high: number }),
  hideThinkingBlock: yesOrNo,
  showCacheMissNotices: yesOrNo,
  cacheWarming: oneOf('off', 'streaming', 'idle'),
  defaultTools: texts,
  steeringMode: oneOf('all', 'one-at-a-time'),
  followUpMode: oneOf('all', 'one-at-a-time'),
  externalEditor: text,
  doubleEscapeAction: oneOf('fork', 'tree', 'none'),
  treeFilterMode: oneOf('default', 'no-tools', 'user-only', 'labeled-only', 'all'),
  defaultProjectTrust: oneOf('ask', 'always', 'never'),
  sessionDir: text,
  compaction: object({ enabled: yesOrNo, reserveTokens: whole, keepRecentTokens: whole }),
  branchSummary: object({ reserveTokens: number, skipPrompt: yesOrNo }),
  theme: text,
  quietStartup: either('must be true, false or "header"', z.boolean(), z.literal('header')),
  tuiMode: oneOf('regular', 'fullscreen'),
  editorPaddingX: number,
  outputPad: oneOf(0, 1),
  autocompleteMaxVisible: number,
  showHardwareCursor: yesOrNo,
  terminal: object({
    showImages: yesOrNo,
    imageWidthCells: number,
    clearOnShrink: yesOrNo,
    showTerminalProgress: yesOrNo,
    hyperlinks: yesNoOrAuto,
    images: oneOf('kitty', 'iterm2', 'auto', false),
    trueColor: yesNoOrAuto,
  }),
  images: object({ autoResize: yesOrNo, blockImages: yesOrNo }),
  markdown: object({ codeBlockIndent: text, mermaid: oneOf('off', 'final', 'streaming') }),
  transport: oneOf('auto', 'sse', 'websocket', 'websocket-cached'),
  httpProxy: text,
  httpIdleTimeoutMs: timeout,
  websocketConnectTimeoutMs: timeout,
  retry: object({ enabled: yesOrNo, maxRetries: number, baseDelayMs: number, maxAgentDelayMs: number }),
  shellPath: text,
  shellCommandPrefix: text,
  npmCommand: texts,
  packages: z.array(
    either('must be a text or an object with "source"', z.string(), z.looseObject({ source: z.string() })),
    'must be a list of packages',
  ),
  extensions: texts,
  prompts: texts,
  themes: texts,
  enableSkillCommands: yesOrNo,
  collapseChangelog: yesOrNo,
  enableInstallTelemetry: yesOrNo,
  enableAnalytics: yesOrNo,
});

const rates = { input: number, output: number, cacheRead: number, cacheWrite: number };
const cost = z.looseObject(rates, 'must be an object with input, output, cacheRead and cacheWrite');

const modelFields = {
  name: filled,
  reasoning: yesOrNo,
  input: z.array(oneOf('text', 'image'), 'must be a list, such as ["text", "image"]'),
  contextWindow: positive,
  maxTokens: positive,
  headers: map(text),
};

const model = z
  .looseObject(
    { ...modelFields, id: filled, api: filled, baseUrl: filled, cost },
    'must be an object with "id"',
  )
  .partial()
  .required({ id: true });

const provider = object({
  name: filled,
  baseUrl: filled,
  apiKey: filled,
  api: filled,
  oauth: oneOf('radius'),
  headers: map(text),
  authHeader: yesOrNo,
  models: z.array(model, 'must be a list of models'),
  modelOverrides: map(object({ ...modelFields, cost: object(rates) })),
});

/** models.json. If one value is wrong, pi ignores the whole file. */
export const modelsSchema = z.looseObject(
  {
    providers: z.record(z.string(), provider, 'must be an object with a key for each provider'),
  },
  'must be an object with "providers"',
);

/** The providers of a models.json that can be read. Empty otherwise. */
export const providersIn = (value: unknown): ReadonlyMap<string, z.infer<typeof provider>> => {
  const { data } = modelsSchema.safeParse(value);
  return new Map(Object.entries(data?.providers ?? {}));
};
