import { agentRule } from '../rule.ts';
import { CHECKED_FILES } from '../snapshot.ts';

/** Why a file isn't read. A link out of the root is the choice of the person who made it. */
const PROBLEMS = {
  'not-a-file': 'is not a regular file',
  'too-large': 'is larger than 2 MiB',
  'not-text': 'is not UTF-8 text, or contains NUL bytes',
  outside: undefined,
  unreadable: "can't be read",
} as const;

export const fileUnreadable = agentRule({
  id: 'file-unreadable',
  severity: 'warning',
  topic: 'files',
  title: "A file that can't be read",
  why: 'dot-mi reads text files of up to 2 MiB. It can neither check nor edit another file, nor count its tokens. pi may read it in full, or fail. Replace it with a shorter text file.',
  *check({ agent }) {
    for (const file of CHECKED_FILES) {
      const state = agent.files[file];
      const problem = state.kind === 'refused' ? PROBLEMS[state.problem] : undefined;
      if (problem === undefined) continue;
      yield {
        file,
        message: `${file} ${problem}, so dot-mi can't check it or count its tokens. Replace it with a shorter text file.`,
      };
    }
  },
});
