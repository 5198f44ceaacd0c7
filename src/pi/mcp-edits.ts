import type { JsonEdit } from '../shared/json-edit.ts';

const pathOf = (name: string) => ['mcpServers', name] as const;

/** Returns the edit of an mcp.json that switches a server on or off. Like pi, it removes `enabled` when it's on. */
export const serverSwitch = (name: string, isOn: boolean): JsonEdit => {
  const path = [...pathOf(name), 'enabled'];
  return isOn ? { path } : { path, value: false };
};

/** Returns the edit that removes a server. */
export const serverRemoval = (name: string): JsonEdit => ({ path: pathOf(name) });

/** Returns the edit that adds a server, switched on. */
export const serverAddition = (
  name: string,
  { enabled: _, ...entry }: Readonly<Record<string, unknown>>,
): JsonEdit => ({
  path: pathOf(name),
  value: entry,
});
