import { commandsIn, pipesIntoShell } from '../commands.ts';
import { skillRule } from '../rule.ts';

const DECODE = /\b(?:base64\s+(?:-d|-D|--decode)|openssl\s+(?:enc|base64)\b.{0,80}-d|xxd\s+-r)/;
/** A shell that runs what a command inside it prints. */
const RUN_OUTPUT = /\b(?:eval|(?:ba|z|da|k)?sh\s+-c|source)\s+["']?(?:\$\(|`|<\()/;
const RUN_DECODED = [
  /\b(?:exec|eval)\s*\(.{0,200}\b(?:b64decode|atob|fromCharCode|unhexlify|Buffer\.from)\b/,
  /\b(?:powershell|pwsh)(?:\.exe)?\b.{0,100}\s-e(?:nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{20}/i,
];

export const securityEncodedCommand = skillRule({
  id: 'security-encoded-command',
  severity: 'warning',
  topic: 'security',
  title: 'An encoded command that is run',
  why: 'Honest commands are readable. A command in base64 that is decoded and run hides what it does from you. Decode it and look at it, or do not use the skill.',
  *check({ texts }) {
    for (const [file, content] of texts()) {
      for (const { text, start, end } of commandsIn(content)) {
        const decodes = DECODE.test(text);
        const runs = decodes && (RUN_OUTPUT.test(text) || pipesIntoShell(text, DECODE));
        if (!runs && !RUN_DECODED.some((pattern) => pattern.test(text))) continue;
        yield {
          file,
          start,
          end,
          message:
            'This decodes hidden text and runs it. Decode it yourself and read it before you use the skill.',
        };
      }
    }
  },
});
