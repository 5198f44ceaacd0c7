import { findMcpSecrets } from '../mcp-secrets.ts';
import { agentRule } from '../rule.ts';
import { findSecrets } from '../secrets.ts';

/** What to do with a secret in a file. */
const ADVICE = {
  'models.json': 'Write "$NAME" to read it from an environment variable, or log in with /login.',
  'mcp.json': 'Write "$NAME" to read it from an environment variable.',
  'settings.json': 'Remove it, and log in with /login.',
  'SYSTEM.md': 'Each call sends it to the model. Remove it.',
  'APPEND_SYSTEM.md': 'Each call sends it to the model. Remove it.',
  'AGENT.md': 'Each call sends it to the model. Remove it.',
} as const;

export const secretInFile = agentRule({
  id: 'secret-in-file',
  severity: 'warning',
  topic: 'files',
  title: 'A secret in a file of the agent',
  why: 'Keys in these files are easily committed, shared and copied with the agent. The text of a prompt is sent with each call. dot-mi finds keys in the formats of well-known services. In mcp.json it also finds values whose name says that they are secret. It never repeats them.',
  *check({ text, json }) {
    for (const [file, advice] of Object.entries(ADVICE)) {
      const content = text(file as keyof typeof ADVICE);
      if (!content) continue;
      for (const { kind, start, end } of findSecrets(content.text)) {
        yield { file, start, end, message: `${kind} is in ${file}. ${advice}` };
      }
    }
    const mcp = json('mcp.json');
    const found = [...findSecrets(text('mcp.json')?.text ?? '')];
    for (const { start, end } of mcp ? findMcpSecrets(mcp) : []) {
      if (found.some((one) => one.start < end && one.end > start)) continue;
      yield { file: 'mcp.json', start, end, message: `A secret is in mcp.json. ${ADVICE['mcp.json']}` };
    }
  },
});
