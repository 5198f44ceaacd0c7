/**
 * Shows whose window this is: banner.txt from the agent's directory in place of pi's own header, or
 * the agent's name when there is no banner. Lines below a line "---" are shown dim.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/** A longer banner would push the prompt off a small terminal. */
const MAX_LINES = 16;

// One column each. Everything else counts as two: counting too many only cuts a line early, but a
// line wider than the terminal makes pi's renderer stop with an error.
const ONE_COLUMN = /^[\u0020-\u10FF\u2010-\u2027\u2190-\u21FF\u2500-\u259F\u2800-\u28FF]$/u;

/** Cuts `line` so that it surely fits into `width` columns. */
export function fitted(line: string, width: number): string {
  let columns = 0;
  let end = 0;
  for (const char of line) {
    columns += ONE_COLUMN.test(char) ? 1 : 2;
    if (columns > width) break;
    end += char.length;
  }
  return line.slice(0, end);
}

/** The lines of a banner, and whether each is dim. Control characters could move the cursor: they go. */
export function parseBanner(text: string): { text: string; dim: boolean }[] {
  const lines = text
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => line.replaceAll('\t', '    ').replace(/\p{Cc}/gu, ''));
  const separator = lines.indexOf('---');
  return lines
    .map((line, index) => ({ text: line, dim: separator !== -1 && index > separator }))
    .filter((_, index) => index !== separator)
    .slice(0, MAX_LINES);
}

function readBanner(agentDir: string): string {
  let text = '';
  try {
    text = readFileSync(join(agentDir, 'banner.txt'), 'utf8');
  } catch {
    // Most agents have none.
  }
  return text.trim() === '' ? basename(agentDir) : text;
}

export default function (pi: ExtensionAPI): void {
  pi.on('session_start', async (_event, ctx) => {
    const configured = process.env.PI_CODING_AGENT_DIR;
    // Without it this is plain pi, which has a header of its own.
    if (!ctx.hasUI || !configured) return;
    const banner = parseBanner(readBanner(configured.replace(/^~(?=\/|$)/, () => homedir())));

    ctx.ui.setHeader((_tui, theme) => ({
      render: (width: number) => [
        '',
        ...banner.map((line) => {
          const text = fitted(` ${line.text}`, width);
          return line.dim ? theme.fg('dim', text) : theme.bold(theme.fg('accent', text));
        }),
        '',
      ],
      invalidate() {},
    }));
  });
}
