import type { CellState } from '../../../shared/api/links.ts';
import { list, many, number } from './words.ts';

const servers = (count: number): string => many(count, 'server', 'servers');
const agents = (count: number): string => many(count, 'agent', 'agents');

/** Strings for the matrix of agents and MCP servers. Its cells use the states of links, with different meanings. */
export const mcpMatrix = {
  kind: 'MCP',
  description: 'Select a cell to add a server, or to switch it on or off.',
  grid: 'Agents and MCP servers',
  filter: 'Filter servers',
  keys: 'Arrow keys move, and Space adds a server or switches it on or off. Shift+Space selects the agent, and Ctrl+Space selects the column.',
  state: {
    none: 'not in this agent',
    linked: 'on',
    shadowed: 'on, but defined differently than in most agents',
    switchedOff: 'off',
    local: 'off, and defined differently than in most agents',
    broken: 'pi skips it',
  } satisfies Record<CellState, string>,
  legend: {
    linked: 'On',
    switchedOff: 'Off',
    shadowed: 'On, different',
    local: 'Off, different',
    broken: 'pi skips it',
  } satisfies Record<Exclude<CellState, 'none'>, string>,
  none: 'No MCP servers yet',
  noneHint: 'Add a server in an agent’s MCP tab. Then you can copy it to other agents here.',
  target: (count: number, of: number): string => `${servers(count)} in ${agents(of)}`,
  add: 'Add',
  on: 'Switch on',
  off: 'Switch off',
  remove: 'Remove',
  broken: (name: string, id: string): string => `pi skips ${name}. Edit the entry in ${id}’s MCP tab.`,
  noSource: (names: readonly string[]): string => `${list.format(names)} can’t be copied`,
  noSourceHint:
    'In every agent, the entry either has a secret in plain text or is one that pi skips. Correct it in one agent’s MCP tab. Replace a secret with $NAME.',
  copyTitle: (of: number): string => `Which definition do ${agents(of)} get?`,
  copyTitleOne: (id: string): string => `Which definition does ${id} get?`,
  copyDescription: 'Agents define these servers differently.',
  option: (target: string, of: number, first: string): string =>
    `${target} (${of === 1 ? first : `${first} and ${number.format(of - 1)} more`})`,
  label: {
    copy: 'Add MCP servers',
    on: 'Switch MCP servers on',
    off: 'Switch MCP servers off',
    remove: 'Remove MCP servers',
  },
  sourceChanged: (id: string): string => `mcp.json of ${id} has changed. Try again.`,
  changed: {
    copy: (count: number): string => `Added ${servers(count)}`,
    on: (count: number): string => `Switched ${servers(count)} on`,
    off: (count: number): string => `Switched ${servers(count)} off`,
    remove: (count: number): string => `Removed ${servers(count)}`,
  },
  nothing: 'Nothing to change',
  failed: (count: number): string => `${servers(count)} not changed`,
  changeFailed: 'No server was changed',
} as const;
