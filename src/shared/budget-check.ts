import { quotedPosix, quotedPowerShell } from './shell-commands.ts';

/** The facts that a run command needs to check its agent's budget before starting pi. */
export interface BudgetCheck {
  /** The agent's id. */
  readonly agent: string;
  /** The address of `GET /api/agents/:id/budget`. */
  readonly url: string;
  /** The absolute path of the agent's directory, without symlinks. Another root can have an agent with this id. */
  readonly directory: string;
}

const FORCE = 'DOT_MI_FORCE';

/** The reasons why an agent wasn't started. They can't contain a single quote, because the checks quote them. */
const REASONS = {
  exceeded: 'its budget is used up. Raise it in dot-mi',
  noKey: 'dot-mi needs a key to check the budget of this agent. Use setup.sh run, which sends the key',
  unknown: 'it has the extension budget-guard.ts, but dot-mi is not running for this root. Start dot-mi',
} as const;

/**
 * The check for POSIX shells. Its arguments are the agent's id, the address and the directory. Like `setup.sh run`, it
 * waits while dot-mi is still reading session files. While dot-mi isn't running, only agents without the
 * guard start.
 *
 * SECURITY: the check sends no key, because any program could listen there. If dot-mi requires a key, the agent
 * starts only with the guard and a key. The guard checks before each call, after dot-mi has proved that it knows the
 * key.
 */
const posixScript = (): string =>
  [
    `[ "\${${FORCE}-}" ] && exit`,
    'for n in 1 2 3 4 5 6 7 8 9; do b=$(curl -sm3 --noproxy "*" -G --data-urlencode "directory=$2" -w " %{http_code}" "$1"); case $b in *reading?:true*) sleep 1;; *) break;; esac; done',
    'g=$2/extensions/budget-guard.ts; [ -e "$g" ] || [ -L "$g" ] || g=',
    'case $b in ' +
      `*exceeded?:true*) w="${REASONS.exceeded}";; ` +
      '*limits?:*) exit 0;; ' +
      `*" 401"|*" 403") [ "$g" ] && [ "\${DOT_MI_KEY-}" ] && exit; w="${REASONS.noKey}";; ` +
      `*) [ "$g" ] || exit 0; w="${REASONS.unknown}";; esac`,
    `echo "$0 was not started: $w, or export ${FORCE}=yes to run the agent anyway." >&2; exit 1`,
  ].join('; ');

const posixCheck = ({ agent, url, directory }: BudgetCheck): string =>
  ['sh -c', `'${posixScript()}'`, ...[agent, url, directory].map(quotedPosix)].join(' ');

const powerShellCheck = ({ agent, url, directory }: BudgetCheck): string => {
  const address = `(${quotedPowerShell(`${url}?directory=`)} + [uri]::EscapeDataString(${quotedPowerShell(directory)}))`;
  const refuse = (reason: string) =>
    `{ throw '${agent} was not started: ${reason}, or set $env:${FORCE} to run the agent anyway.' }`;
  return [
    `if (-not $env:${FORCE}) { foreach ($n in 1..9) { $b = $null; $s = 0`,
    `try { $b = Invoke-RestMethod -TimeoutSec 3 -Uri ${address} } catch { $s = [int]$_.Exception.Response.StatusCode }`,
    'if (-not $b -or -not $b.reading) { break }',
    'Start-Sleep 1 }',
    `$g = Test-Path -LiteralPath ${quotedPowerShell(`${directory}\\extensions\\budget-guard.ts`)}`,
    `if ($b.exceeded) ${refuse(REASONS.exceeded)}`,
    `if ($s -in 401, 403) { if (-not ($g -and $env:DOT_MI_KEY)) ${refuse(REASONS.noKey)} } elseif ($g -and -not $b) ${refuse(REASONS.unknown)} }`,
  ].join('; ');
};

/**
 * Returns the check as a command for POSIX shells, and as statements for PowerShell. If the agent can't start, both
 * fail and say why.
 */
export const budgetCheck = (check: BudgetCheck): { posix: string; powershell: string } => ({
  posix: posixCheck(check),
  powershell: powerShellCheck(check),
});
