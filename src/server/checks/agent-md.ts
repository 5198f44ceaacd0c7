import type { FieldPlace } from '../catalog/simple-yaml.ts';
import type { AgentContext } from './context.ts';
import { loadedExtensions } from './entries-of-agent.ts';

/** The extension that reads AGENT.md. dot-pi ships it as a directory. */
const READER = /^agent-prompt(\.[tj]s)?$/;

/** Returns whether one of the agent's extensions reads AGENT.md. pi itself doesn't. */
export const readsAgentMd = (context: AgentContext): boolean =>
  loadedExtensions(context).some(({ name }) => READER.test(name));

/** An AGENT.md key with its position. */
interface AgentMdField<T> {
  readonly value: T;
  readonly place: FieldPlace['value'];
}

/** Returns the AGENT.md tools that the extension applies. Undefined unless one line lists them. */
export const agentMdTools = (context: AgentContext): AgentMdField<readonly string[]> | undefined => {
  const { data, places } = context.agentMd() ?? {};
  const place = places?.get('tools')?.value;
  const tools = data?.tools;
  const names = Array.isArray(tools) ? tools.map(String) : typeof tools === 'string' ? tools.split(',') : [];
  const value = names
    .map((name) => name.trim().replace(/^(["'])(.*)\1$/, '$2'))
    .filter((name) => name !== '');
  return place && value.length > 0 && readsAgentMd(context) ? { value, place } : undefined;
};

/** Returns the AGENT.md model that the extension applies. */
export const agentMdModel = (context: AgentContext): AgentMdField<string> | undefined => {
  const { data, places } = context.agentMd() ?? {};
  const place = places?.get('model')?.value;
  return place && typeof data?.model === 'string' && readsAgentMd(context)
    ? { value: data.model.trim(), place }
    : undefined;
};
