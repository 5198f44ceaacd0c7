import { readsAgentMd } from '../agent-md.ts';
import { agentRule } from '../rule.ts';

export const agentMdUnread = agentRule({
  id: 'agent-md-unread',
  severity: 'warning',
  topic: 'files',
  title: 'AGENT.md without agent-prompt.ts',
  why: 'pi does not read AGENT.md. The extension agent-prompt.ts does. Without a link to it, the tools, the model and the text of AGENT.md have no effect. Link the extension, or delete AGENT.md.',
  *check({ agent }) {
    if (agent.files['AGENT.md'].kind !== 'text') return;
    if (readsAgentMd(agent)) return;
    yield {
      file: 'AGENT.md',
      message: 'Nothing reads AGENT.md. Link the extension agent-prompt.ts, or delete the file.',
    };
  },
});
