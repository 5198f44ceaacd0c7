import { findSecrets } from '../../../pi/secrets.ts';
import type { TextLine } from '../../../shared/checked-text.ts';
import { quoted } from '../../platform/words.ts';
import { commandsIn, isAdviceAgainst, pipesIntoShell } from '../commands.ts';
import { type Rule, skillRule } from '../rule.ts';

const FETCH = /\b(?:curl|wget|iwr|irm|Invoke-WebRequest|Invoke-RestMethod|DownloadString)\b/i;
/** Commands that run a server's response without a pipe. */
const RUN_ANSWER = [
  /\b(?:eval|(?:ba|z|da|k)?sh\s+-c|source)\s+["']?(?:\$\(|`|<\()\s*(?:curl|wget)\b/,
  /\b(?:ba|z|da|k)?sh\s+<\(\s*(?:curl|wget)\b/,
  /\b(?:iex|Invoke-Expression)\b.{0,80}(?:iwr|irm|Invoke-WebRequest|Invoke-RestMethod|DownloadString)\b/i,
];

const securityPipeToShell = skillRule({
  id: 'security-pipe-to-shell',
  severity: 'warning',
  topic: 'security',
  title: 'Skill runs a download unread',
  why: 'A command such as "curl … | sh" runs whatever the server sends, and nobody reads it first. Download the script, read it, then run it. Or install from a package.',
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
            'This runs whatever a server sends, and nobody reads it first. Download it, read it, then run it.',
        };
      }
    }
  },
});

const DECODE = /\b(?:base64\s+(?:-d|-D|--decode)|openssl\s+(?:enc|base64)\b.{0,80}-d|xxd\s+-r)/;
/** A shell that runs the output of an inner command. */
const RUN_OUTPUT = /\b(?:eval|(?:ba|z|da|k)?sh\s+-c|source)\s+["']?(?:\$\(|`|<\()/;
const RUN_DECODED = [
  /\b(?:exec|eval)\s*\(.{0,200}\b(?:b64decode|atob|fromCharCode|unhexlify|Buffer\.from)\b/,
  /\b(?:powershell|pwsh)(?:\.exe)?\b.{0,100}\s-e(?:nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{20}/i,
];

const securityEncodedCommand = skillRule({
  id: 'security-encoded-command',
  severity: 'warning',
  topic: 'security',
  title: 'Skill runs an encoded command',
  why: 'Honest commands are readable. A base64 command that is decoded and run hides what it does. Decode and read it, or don’t use the skill.',
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

const HIDDEN = /[\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]+/gu;
const HAS_HIDDEN = new RegExp(HIDDEN.source, 'u');
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe]/;
/** Marks for right-to-left text. The overrides U+202D and U+202E are excluded, because no language needs them. */
const ONLY_DIRECTION = /^[\u061c\u200e\u200f\u202a-\u202c\u2066-\u2069]+$/;
/** Emoji and words in many scripts are joined or split with these characters. */
const ONLY_JOINS = /^[\u200b-\u200d]$/;
const LATIN = /[\x20-\x7e]/;
const BLACK_FLAG = '\u{1f3f4}';
/** The tags in flag emoji such as Scotland's. */
const ONLY_TAGS = /^[\u{e0020}-\u{e007f}]{2,7}$/u;

/** The limit for runs that one fix removes. A real line has one or two. */
const MAX_RUNS = 100;

/** Returns a line's first runs of invisible characters that its script doesn't need. */
const hiddenIn = ({ text, start }: TextLine): { start: number; end: number; text: string }[] => {
  const needsDirection = RIGHT_TO_LEFT.test(text);
  const found: ReturnType<typeof hiddenIn> = [];
  for (const { 0: run, index } of text.matchAll(HIDDEN)) {
    const before = text[index - 1];
    const after = text[index + run.length];
    const isNeeded =
      (needsDirection && ONLY_DIRECTION.test(run)) ||
      (ONLY_JOINS.test(run) && [before, after].some((char) => char !== undefined && !LATIN.test(char))) ||
      (ONLY_TAGS.test(run) && text.slice(index - BLACK_FLAG.length, index) === BLACK_FLAG);
    if (!isNeeded) found.push({ start: start + index, end: start + index + run.length, text: run });
    if (found.length > MAX_RUNS) break;
  }
  return found;
};

/** Returns the first characters of runs, such as "U+200B, U+202E". */
const codesOf = (runs: readonly { text: string }[]): string => {
  const chars = new Set(runs.flatMap(({ text }) => Array.from(text.slice(0, 20))));
  const codes = [...chars].slice(0, 3).map((char) => char.codePointAt(0)?.toString(16).toUpperCase() ?? '');
  return codes.map((code) => `U+${code.padStart(4, '0')}`).join(', ');
};

const securityHiddenText = skillRule({
  id: 'security-hidden-text',
  severity: 'warning',
  topic: 'security',
  title: 'Text contains invisible characters',
  why: 'A model reads characters that you can’t see: zero-width characters, Unicode tag characters, and marks that change the order of the text. They can hide instructions. This check ignores characters that emoji and right-to-left languages need.',
  *check({ texts }) {
    for (const [file, content] of texts()) {
      if (!HAS_HIDDEN.test(content.text)) continue;
      for (const line of content.lines) {
        const hidden = HAS_HIDDEN.test(line.text) ? hiddenIn(line) : [];
        const [first] = hidden;
        const last = hidden.at(-1);
        if (!first || !last) continue;
        yield {
          file,
          start: first.start,
          end: last.end,
          message: `This line has invisible characters (${codesOf(hidden)}). A model reads them, and you can’t see them. Remove them.`,
          ...(hidden.length > MAX_RUNS
            ? {}
            : {
                fix: {
                  title: 'Remove the invisible characters',
                  safe: false,
                  edits: hidden.map(({ start, end }) => ({ start, end, text: '' })),
                },
              }),
        };
      }
    }
  },
});

const OVERRIDE = [
  /\b(?:ignore|disregard|forget|override)\s+(?:(?:all|any|the|your|of|these|those|every)\s+){0,3}(?:previous|prior|above|earlier|preceding|system|original)\s+(?:\w+\s+)?(?:instructions?|prompts?|rules|messages?|guidelines|directions)\b/i,
  /\b(?:do not|don['’]t|never|without)\s+(?:tell|telling|inform|informing|notify|notifying|alert|alerting)\s+(?:the\s+)?(?:user|human|operator|person)\b(?!\s+(?:to|that|how|which|they|you|when|if|unless|until|before|after)\b)/i,
  /\b(?:hide|conceal)\s+(?:this|these|it|that)\s+from\s+(?:the\s+)?(?:user|human|operator)\b/i,
];
/** Words in text that only describes and quotes such attacks. */
const ABOUT_ATTACKS = /\b(?:injection|jailbreak|malicious|attackers?|suspicious|untrusted|attempts?)\b/i;

const securityOverride = skillRule({
  id: 'security-override',
  severity: 'warning',
  topic: 'security',
  title: 'Skill works against your instructions',
  why: 'A skill works against you if it asks the model to ignore earlier instructions, or to keep something from you. Read the text around this request before you use the skill.',
  *check({ texts }) {
    for (const [file, content] of texts()) {
      for (const { text, start } of content.lines) {
        const match = ABOUT_ATTACKS.test(text)
          ? undefined
          : OVERRIDE.map((one) => one.exec(text)).find(Boolean);
        if (!match) continue;
        yield {
          file,
          start: start + match.index,
          end: start + match.index + match[0].length,
          message:
            'This asks the model to work against its instructions, or against you. Read the text around it.',
        };
      }
    }
  },
});

const HOME = String.raw`(?:~|\$HOME|\$\{HOME\}|%USERPROFILE%|/root|/home/[\w.-]{1,64}|/Users/[\w.-]{1,64})[/\\]`;
const KEY_FILES = [
  String.raw`\.ssh[/\\](?:id_[a-z0-9]+\b|\*)(?!\.pub)`,
  String.raw`\.aws[/\\]credentials`,
  String.raw`\.gnupg[/\\]`,
  String.raw`\.netrc\b`,
  String.raw`\.kube[/\\]config\b`,
  String.raw`\.docker[/\\]config\.json`,
  String.raw`\.config[/\\](?:gh[/\\]hosts\.yml|gcloud[/\\])`,
  String.raw`\.pi[/\\]agent[/\\]auth\.json`,
  String.raw`\.bitcoin[/\\](?:wallets?|\.cookie)`,
  String.raw`\.lnd[/\\]`,
];
const KEY_FILE = new RegExp(String.raw`${HOME}(?:${KEY_FILES.join('|')})|/etc/shadow\b`);

const securityKeyFiles = skillRule({
  id: 'security-key-files',
  severity: 'warning',
  topic: 'security',
  title: 'Skill refers to a file that holds keys',
  why: 'The skill refers to a file that holds private keys or passwords, such as ~/.ssh/id_ed25519. The model’s provider receives everything that the model reads. Check why the skill needs the file.',
  *check({ texts }) {
    for (const [file, content] of texts()) {
      for (const { text, start } of content.lines) {
        const match = KEY_FILE.exec(text);
        if (!match || isAdviceAgainst(text)) continue;
        yield {
          file,
          start: start + match.index,
          end: start + match.index + match[0].length,
          message: `${quoted(match[0])} holds keys or passwords. Check why the skill needs it.`,
        };
      }
    }
  },
});

const HOME_IN_SHELL = String.raw`(?:~|\$HOME|\$\{HOME\})/`;
const STARTUP_FILES = String.raw`\.(?:bashrc|zshrc|profile|bash_profile|bash_login|zprofile|zshenv|ssh/|pi/|config/(?:fish|autostart|systemd)/)`;
const WRITES = [
  new RegExp(
    String.raw`(?:>>?|\btee(?:\s+-a)?)\s*["']?(?:${HOME_IN_SHELL}${STARTUP_FILES}|/(?:etc|usr|bin|sbin|boot|Library)/)`,
  ),
  /\brm\s+(?:-[a-zA-Z]+\s+){1,4}["']?(?:\/|~|\$HOME|\$\{HOME\})["']?\/?\*?(?=$|[\s"'`;&|)])/,
  /(?:\bcrontab\s+-(?:\s|$)|\|\s*crontab\b)/,
];

const securityWritesOutside = skillRule({
  id: 'security-writes-outside',
  severity: 'warning',
  topic: 'security',
  title: 'Skill writes outside the workspace',
  why: 'The skill changes the system, scheduled tasks or your shell’s startup files, or it deletes your home directory. Such a change outlasts the run and affects other programs. If you want the change, make it yourself.',
  *check({ texts }) {
    for (const [file, content] of texts()) {
      for (const { text, start } of content.lines) {
        // Markdown quotes begin with ">".
        const from = text.length - text.replace(/^[\s>]+/, '').length;
        const line = text.slice(from);
        const match = WRITES.map((pattern) => pattern.exec(line)).find(Boolean);
        if (!match || isAdviceAgainst(text)) continue;
        yield {
          file,
          start: start + from + match.index,
          end: start + from + match.index + match[0].length,
          message: 'This changes files outside the workspace, and the change outlasts the run. Check why.',
        };
      }
    }
  },
});

const skillSecret = skillRule({
  id: 'skill-secret',
  severity: 'warning',
  topic: 'security',
  title: 'Skill contains a secret',
  why: 'People copy and share skills, and the model’s provider receives everything that the model reads. Use an environment variable. dot-mi finds keys in the formats of well-known services. This check’s messages never contain them.',
  *check({ texts }) {
    for (const [file, content] of texts()) {
      for (const { kind, start, end } of findSecrets(content.text)) {
        yield {
          file,
          start,
          end,
          message: `${kind} is in ${file}. Remove it, and use an environment variable.`,
        };
      }
    }
  },
});

/** The rules about dangerous content in skills. */
export const securityRules: readonly Rule[] = [
  securityPipeToShell,
  securityEncodedCommand,
  securityHiddenText,
  securityOverride,
  securityKeyFiles,
  securityWritesOutside,
  skillSecret,
];
