import { readsAgentMd } from '../agent-md.ts';
import { agentRule, type RuleFinding } from '../rule.ts';

export const agentMdIgnoredKey = agentRule({
  id: 'agent-md-ignored-key',
  severity: 'error',
  topic: 'files',
  title: 'AGENT.md that has no effect',
  why: 'agent-prompt.ts reads "tools" as a comma list on one line, and "model" as provider/id. Anything else has no effect. An agent that should only read then keeps all its tools.',
  *check(context): Iterable<RuleFinding> {
    const content = context.text('AGENT.md');
    const read = context.agentMd();
    if (!content || !read || !readsAgentMd(context.agent)) return;
    if (read.diagnostics.some(({ rule }) => rule === 'frontmatter-unclosed')) {
      const [first] = content.lines;
      yield {
        file: 'AGENT.md',
        start: first?.start ?? 0,
        end: first?.end ?? 0,
        message:
          'The "---" on the first line is never closed, so nothing in AGENT.md applies. Add a line "---".',
      };
    }
    const tools = read.places.get('tools')?.value;
    if (tools) {
      const text = content.text.slice(tools.start, tools.end).trim();
      const isList = typeof read.data.tools === 'string' || Array.isArray(read.data.tools);
      if (!isList || text === '' || text.includes('\n')) {
        yield {
          file: 'AGENT.md',
          ...tools,
          message: '"tools" must be a comma list on one line. As it is, the agent keeps all its tools.',
        };
      }
    }
    const model = read.places.get('model')?.value;
    if (model) {
      const { data } = read;
      if (typeof data.model === 'string' && /^[^/\s]+\/\S+$/.test(data.model.trim())) return;
      yield {
        file: 'AGENT.md',
        ...model,
        message:
          '"model" must have the form provider/id, such as anthropic/claude-sonnet-5. As it is, it has no effect.',
      };
    }
  },
});
