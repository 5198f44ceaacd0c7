import { isInsideWorkspace } from '../../../shared/run-command.ts';
import { quoted } from '../../platform/words.ts';
import { agentRule } from '../rule.ts';

export const workspaceConfPath = agentRule({
  id: 'workspace-conf-path',
  severity: 'warning',
  topic: 'files',
  title: 'A directory outside the workspace',
  why: 'Each line of workspace.conf is a directory in the fresh workspace of a run. An absolute path, or one with "..", is somewhere else. dot-mi ignores it, but other launchers create it.',
  *check({ text }) {
    for (const line of text('workspace.conf')?.lines ?? []) {
      const path = line.text.trim();
      if (path === '' || path.startsWith('#') || isInsideWorkspace(path)) continue;
      const start = line.start + line.text.indexOf(path);
      yield {
        file: 'workspace.conf',
        start,
        end: start + path.length,
        message: `${quoted(path)} is outside the workspace. Write a relative path without "..".`,
      };
    }
  },
});
