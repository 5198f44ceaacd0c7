import { isAdviceAgainst } from '../commands.ts';
import { skillRule } from '../rule.ts';

const HOME = String.raw`(?:~|\$HOME|\$\{HOME\})/`;
const HOME_FILES = String.raw`\.(?:bashrc|zshrc|profile|bash_profile|bash_login|zprofile|zshenv|ssh/|pi/|config/(?:fish|autostart|systemd)/)`;
const WRITES = [
  new RegExp(
    String.raw`(?:>>?|\btee(?:\s+-a)?)\s*["']?(?:${HOME}${HOME_FILES}|/(?:etc|usr|bin|sbin|boot|Library)/)`,
  ),
  /\brm\s+(?:-[a-zA-Z]+\s+){1,4}["']?(?:\/|~|\$HOME|\$\{HOME\})["']?\/?\*?(?=$|[\s"'`;&|)])/,
  /(?:\bcrontab\s+-(?:\s|$)|\|\s*crontab\b)/,
];

export const securityWritesOutside = skillRule({
  id: 'security-writes-outside',
  severity: 'warning',
  topic: 'security',
  title: 'A write outside the workspace',
  why: 'The skill changes the start files of your shell, the system, or scheduled tasks, or deletes your home. Such a change lasts after the run, and other programs follow it. Make it yourself if you want it.',
  *check({ texts }) {
    for (const [file, content] of texts()) {
      for (const { text, start } of content.lines) {
        // A quotation in Markdown begins with ">".
        const from = text.length - text.replace(/^[\s>]+/, '').length;
        const line = text.slice(from);
        const match = WRITES.map((pattern) => pattern.exec(line)).find(Boolean);
        if (!match || isAdviceAgainst(text)) continue;
        yield {
          file,
          start: start + from + match.index,
          end: start + from + match.index + match[0].length,
          message: 'This changes files outside the workspace, which stay changed after the run. Check why.',
        };
      }
    }
  },
});
