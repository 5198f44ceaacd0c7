import { commandsIn, isAdviceAgainst, pipesIntoShell } from '../commands.ts';
import { skillRule } from '../rule.ts';

const FETCH = /\b(?:curl|wget|iwr|irm|Invoke-WebRequest|Invoke-RestMethod|DownloadString)\b/i;
/** The other ways to run what a server answers. */
const RUN_ANSWER = [
  /\b(?:eval|(?:ba|z|da|k)?sh\s+-c|source)\s+["']?(?:\$\(|`|<\()\s*(?:curl|wget)\b/,
  /\b(?:ba|z|da|k)?sh\s+<\(\s*(?:curl|wget)\b/,
  /\b(?:iex|Invoke-Expression)\b.{0,80}(?:iwr|irm|Invoke-WebRequest|Invoke-RestMethod|DownloadString)\b/i,
];

export const securityPipeToShell = skillRule({
  id: 'security-pipe-to-shell',
  severity: 'warning',
  topic: 'security',
  title: 'A download that is run at once',
  why: 'A command such as "curl … | sh" runs whatever the server answers at that moment, and nobody sees it before. Download the script, read it, and run it then. Or install from a package.',
  *check({ texts }) {
    for (const [file, content] of texts()) {
      for (const { text, start, end } of commandsIn(content)) {
        if (!FETCH.test(text) || isAdviceAgainst(text)) continue;
        if (!pipesIntoShell(text, FETCH) && !RUN_ANSWER.some((pattern) => pattern.test(text))) continue;
        yield {
          file,
          start,
          end,
          message:
            'This runs what a server answers, and nobody sees it before. Download it, read it, then run it.',
        };
      }
    }
  },
});
