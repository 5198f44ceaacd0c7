import { quoted } from '../../platform/words.ts';
import { isAdviceAgainst } from '../commands.ts';
import { skillRule } from '../rule.ts';

const HOME = String.raw`(?:~|\$HOME|\$\{HOME\}|%USERPROFILE%|/root|/home/[\w.-]{1,64}|/Users/[\w.-]{1,64})[/\\]`;
const FILES = [
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
const KEY_FILE = new RegExp(String.raw`${HOME}(?:${FILES.join('|')})|/etc/shadow\b`);

export const securityKeyFiles = skillRule({
  id: 'security-key-files',
  severity: 'warning',
  topic: 'security',
  title: 'A file with keys',
  why: 'The skill names a file that holds private keys or passwords, such as ~/.ssh/id_ed25519. The provider of a model gets all that the model reads. Check why the skill needs it.',
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
