import { parseShallowJson } from '../shared/shallow-json.ts';
import type { AgentMd } from './agent-md.ts';
import type { PiArguments } from './pi-args.ts';

/** The name of the file with an agent's pi settings. */
export const SETTINGS_FILE = 'settings.json';

/** The model that an agent starts with, and the file that names it. */
export interface AgentModel {
  readonly provider?: string;
  readonly id: string;
  /** The level after the name, such as `high` in `gpt-5.4:high`. */
  readonly thinking?: string;
  readonly source: 'pi-args' | 'AGENT.md' | 'settings.json';
}

/** The pi settings that name a model. */
export interface ModelSettings {
  readonly defaultProvider?: string;
  readonly defaultModel?: string;
}

/** Reads the model settings in a settings.json. Empty if the text isn't an object. */
export const parseModelSettings = (text: string | undefined): ModelSettings => {
  const { defaultProvider, defaultModel } = parseObject(text);
  return {
    ...(typeof defaultProvider === 'string' ? { defaultProvider } : {}),
    ...(typeof defaultModel === 'string' ? { defaultModel } : {}),
  };
};

/** Returns the object in JSON text, which can start with a byte order mark. Empty if there is none. */
export const parseObject = (text: string | undefined): Record<string, unknown> => {
  try {
    const value: unknown = parseShallowJson((text ?? '{}').replace(/^\uFEFF/, ''));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
};

const THINKING = /:(off|minimal|low|medium|high|xhigh|max)$/;

/** Returns the thinking level at the end of a model's name, such as `:high`. Empty if there is none. */
export const thinkingIn = (name: string): string => THINKING.exec(name)?.[0] ?? '';

const withProvider = (
  provider: string | undefined,
  name: string,
  source: AgentModel['source'],
): AgentModel => {
  const [, thinking] = THINKING.exec(name) ?? [];
  const more = { ...(thinking === undefined ? {} : { thinking }), source };
  const id = name.replace(THINKING, '');
  const at = id.indexOf('/');
  if (provider !== undefined) return { provider, id, ...more };
  return at > 0 ? { provider: id.slice(0, at), id: id.slice(at + 1), ...more } : { id, ...more };
};

/**
 * Returns the model that an agent starts with. In pi's order: arguments, AGENT.md if the agent has its extension, then
 * settings.json. Undefined if none of them names a model. pi then uses the first model that it has credentials for.
 */
export const agentModel = (
  args: Pick<PiArguments, 'provider' | 'model'>,
  agentFile: AgentMd | undefined,
  settings: ModelSettings,
): AgentModel | undefined => {
  if (args.model !== undefined) return withProvider(args.provider, args.model, 'pi-args');
  if (agentFile?.model) return { ...agentFile.model, source: 'AGENT.md' };
  if (settings.defaultModel !== undefined)
    return withProvider(settings.defaultProvider, settings.defaultModel, 'settings.json');
  return undefined;
};

/** Returns a model's full name, such as `anthropic/claude-sonnet-4-6`. */
export const modelName = ({ provider, id }: Pick<AgentModel, 'provider' | 'id'>): string =>
  provider === undefined ? id : `${provider}/${id}`;

/** Returns the model in a full name. The provider is the part before the first slash. */
export const parseModelName = (name: string): Pick<AgentModel, 'provider' | 'id'> => {
  const slash = name.indexOf('/');
  return slash > 0 ? { provider: name.slice(0, slash), id: name.slice(slash + 1) } : { id: name };
};

/** Returns the names that a model can have in the models file, best first. */
export const priceNames = (model: Pick<AgentModel, 'provider' | 'id'>): readonly string[] => {
  const { id } = model;
  return [...new Set([modelName(model), id, id.slice(id.lastIndexOf('/') + 1)])];
};

const O200K_MODELS = /^(chatgpt-|codex-|gpt-(4o|4\.1|4\.5|[5-9]|\d\d)|o[1-9](-|$))/;

/** Returns whether a model uses o200k_base, the tokenizer of OpenAI's models since GPT-4o. */
export const countsWithO200k = ({ id }: Pick<AgentModel, 'id'>): boolean =>
  O200K_MODELS.test(id.slice(id.lastIndexOf('/') + 1));
