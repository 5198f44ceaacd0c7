/**
 * Applies AGENT.md from the agent's directory: which tools it may use, which model it starts with,
 * and a text that is added to its system prompt. pi itself does not read that file.
 *
 *   ---
 *   tools: read, grep, find, ls      (these and no others)
 *   model: anthropic/claude-sonnet-4-5
 *   ---
 *   Anything here is added to the system prompt.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent';

/** What AGENT.md asks for. `problems` are sentences for its author. */
export interface AgentFile {
  tools?: string[];
  model?: { provider: string; id: string };
  body: string;
  problems: string[];
}

const unquoted = (text: string): string => text.trim().replace(/^(["'])(.*)\1$/, '$2');

/** Reads the two keys and the body. Other keys belong to other programs and are left alone. */
export function parseAgentFile(text: string): AgentFile {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines[0]?.trimEnd() !== '---') return { body: lines.join('\n').trim(), problems: [] };
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (end === -1)
    return { body: '', problems: ['its first "---" is never closed, so nothing of it applies'] };

  const file: AgentFile = {
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
    problems: [],
  };
  for (const line of lines.slice(1, end)) {
    const [, key, raw = ''] = /^(tools|model)\s*:(.*)$/.exec(line) ?? [];
    const value = unquoted(raw.replace(/\s#.*$/, ''));
    if (key === 'tools') {
      const names = value
        .replace(/^\[(.*)\]$/, '$1')
        .split(',')
        .map(unquoted)
        .filter(Boolean);
      if (names.length > 0) file.tools = names;
      else file.problems.push('"tools" is not a comma list on one line, so every tool stays on');
    } else if (key === 'model') {
      // A model id may have slashes of its own (openrouter/qwen/qwen3-coder).
      const [, provider, id] = /^([^/\s]+)\/(\S+)$/.exec(value) ?? [];
      if (provider && id) file.model = { provider, id };
      else file.problems.push('"model" is not of the form provider/id');
    }
  }
  return file;
}

function agentDir(): string {
  const configured = process.env.PI_CODING_AGENT_DIR;
  if (!configured) return join(homedir(), '.pi', 'agent');
  return configured.replace(/^~(?=\/|$)/, () => homedir());
}

function readAgentFile(): AgentFile {
  try {
    return parseAgentFile(readFileSync(join(agentDir(), 'AGENT.md'), 'utf8'));
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return { body: '', problems: missing ? [] : [`it cannot be read (${(error as Error).message})`] };
  }
}

function warn(ctx: ExtensionContext, problem: string): void {
  const message = `AGENT.md: ${problem}.`;
  if (ctx.hasUI) ctx.ui.notify(message, 'warning');
  // Print and JSON mode show no notification, and their stdout is the answer.
  else process.stderr.write(`${message}\n`);
}

export default function (pi: ExtensionAPI): void {
  let body = '';

  // Read again for each session, so that an edit counts from the next /new or /reload on.
  pi.on('session_start', async (event, ctx) => {
    const file = readAgentFile();
    body = file.body;
    for (const problem of file.problems) warn(ctx, problem);

    if (file.tools) {
      const known = new Set(pi.getAllTools().map((tool) => tool.name));
      const missing = file.tools.filter((name) => !known.has(name));
      if (missing.length > 0) warn(ctx, `no tool is called ${missing.join(', ')} here`);
      // Also when none is left: a typing mistake must not switch on what the file meant to forbid.
      pi.setActiveTools(file.tools.filter((name) => known.has(name)));
    }

    // A resumed session has its model already, and what a person typed wins over a file.
    const isFresh = event.reason === 'startup' || event.reason === 'new';
    if (file.model && isFresh && !process.argv.includes('--model')) {
      const { provider, id } = file.model;
      const model = ctx.modelRegistry.find(provider, id);
      if (!model) warn(ctx, `pi knows no model ${provider}/${id}`);
      else if (!(await pi.setModel(model))) warn(ctx, `there are no credentials for ${provider}`);
    }
  });

  pi.on('before_agent_start', async (event) => {
    // Since 0.87 pi also records sections in the session file. A replaced prompt isn't recorded.
    const sections = event.systemPromptOptions?.sections as Record<string, string> | undefined;
    if (!sections) return body === '' ? undefined : { systemPrompt: `${event.systemPrompt}\n\n${body}` };
    if (body === '') delete sections.agent;
    else sections.agent = body;
    return undefined;
  });
}
