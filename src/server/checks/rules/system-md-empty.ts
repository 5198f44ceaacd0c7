import { lastUse } from '../pi-args-rules.ts';
import { agentRule } from '../rule.ts';

export const systemMdEmpty = agentRule({
  id: 'system-md-empty',
  severity: 'warning',
  topic: 'files',
  title: 'An empty SYSTEM.md',
  why: 'To pi, an empty SYSTEM.md is none: it uses its own prompt for coding. A file with only white space counts as a prompt, and pi then starts without instructions. Write a prompt, or delete the file to use the one of pi.',
  *check(context) {
    // All of it: the beginning of a long one may be blank.
    const file = context.agent.files['SYSTEM.md'];
    if (file.kind !== 'text' || lastUse(context, '--system-prompt')) return;
    const text = file.text.replace(/^\uFEFF/, '');
    if (text.trim() !== '') return;
    yield {
      file: 'SYSTEM.md',
      message:
        text === ''
          ? 'SYSTEM.md is empty, so pi uses its own prompt. Write a prompt, or delete the file.'
          : 'SYSTEM.md has only white space, so pi starts without instructions. Write a prompt, or delete the file.',
    };
  },
});
