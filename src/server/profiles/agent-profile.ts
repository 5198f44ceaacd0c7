import { type AgentModel, modelName } from '../../pi/agent-model.ts';
import { type AgentProfile, MAX_PROFILE_LINE, MAX_PROFILE_TOOLS } from '../../shared/api/profiles.ts';
import type { AgentReading } from '../root-model/read-agents.ts';

/** Returns a prompt's first line that isn't a heading, or else its first heading. */
const firstLineOf = (prompt: string): string | undefined => {
  const lines = prompt.replace(/^\uFEFF/, '').split(/\r?\n/);
  const line =
    lines.find((text) => /^(?!#{1,6}\s)\s*\S/.test(text)) ?? lines.find((text) => text.trim() !== '');
  const text = line?.replace(/^#{1,6}\s+/, '').trim();
  if (!text) return undefined;
  const characters = Array.from(text);
  return characters.length > MAX_PROFILE_LINE
    ? `${characters.slice(0, MAX_PROFILE_LINE - 1).join('')}…`
    : text;
};

/** The length limit for the name of a model or tool, in UTF-16 code units. */
const MAX_NAME = 200;

const shortened = (name: string): string =>
  name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…`.toWellFormed() : name;

const profileModel = (model: AgentModel): AgentProfile['model'] => {
  const { thinking, source } = model;
  return { name: shortened(modelName(model)), ...(thinking === undefined ? {} : { thinking }), source };
};

/** The start of a prompt that is searched for its first line, in UTF-16 code units. */
const MAX_SEARCHED = 4 * 1024;

/** Describes an agent by what its files say about its model, tools and task. Undefined if there's nothing to say. */
export const agentProfile = ({ id, text, facts, unread }: AgentReading): AgentProfile | undefined => {
  const { model, args } = facts();
  const tools = args.noTools ? [] : args.tools;
  const firstLine = firstLineOf(text('SYSTEM.md')?.slice(0, MAX_SEARCHED) ?? '');
  const notRead = unread();
  if (!model && !tools && firstLine === undefined && notRead.length === 0) return undefined;
  return {
    id,
    ...(model ? { model: profileModel(model) } : {}),
    ...(tools ? { tools: tools.slice(0, MAX_PROFILE_TOOLS).map(shortened) } : {}),
    ...(firstLine === undefined ? {} : { firstLine }),
    ...(notRead.length === 0 ? {} : { unread: [...notRead] }),
  };
};
