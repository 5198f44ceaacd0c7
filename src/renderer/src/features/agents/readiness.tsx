import { Popover } from '@base-ui/react/popover';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleHelp, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { AgentReadiness } from '../../../../shared/api/readiness.ts';
import { PI_INSTALL_COMMAND } from '../../../../shared/run-command.ts';
import { readinessQuery } from '../../api/agent-queries.ts';
import { lastRead } from '../../api/read-status.ts';
import { SignInGuide } from '../../models/sign-in-guide.tsx';
import { paths } from '../../routes.ts';
import { requestAction } from '../../shell/intents.ts';
import { models as modelWords } from '../../strings/models.ts';
import { readiness as words } from '../../strings/readiness.ts';
import { buttonClass } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { cx } from '../../ui/cx.ts';
import { POPUP } from '../../ui/menu.tsx';

/** How many findings the popover shows. The Checks tab has all of them. */
const MOST_FINDINGS = 3;

/** Summarizes an agent's readiness in a few words. */
export const readinessTitle = ({ ready, pi, signIn, findings }: AgentReadiness): string => {
  if (!pi) return words.noPi;
  if (signIn.reason === 'pi_too_old' && pi.version !== null) return words.oldPi(pi.version);
  if (signIn.state === 'missing') return words.noSignIn(signIn.provider ?? '');
  if (signIn.state === 'invalid') return words.invalidSignIn(signIn.provider ?? '');
  if (findings.length > 0) return words.problems(findings.length);
  return ready ? words.ready : words.unchecked;
};

/** Shows whether an agent is ready to run, next to its run button. Clicking shows why not, and what to do. */
export const Readiness = ({ id }: { readonly id: string }) => {
  const readiness = lastRead(useQuery(readinessQuery(id)));
  if (!readiness) return null;
  const { ready } = readiness;
  const title = readinessTitle(readiness);
  const Icon = ready ? CircleCheck : ready === false ? TriangleAlert : CircleHelp;
  return (
    <Popover.Root>
      <Popover.Trigger
        aria-label={title}
        className={cx(buttonClass('quiet'), ready ? 'text-ok' : ready === false ? 'text-warn' : 'text-muted')}
      >
        <Icon aria-hidden="true" className="size-3.5" />
        <span className="@max-xl:hidden">{title}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end" className="z-10">
          <Popover.Popup className={cx(POPUP, 'flex w-90 max-w-[calc(100vw-2rem)] flex-col gap-2 p-3')}>
            <Popover.Title className="font-medium">{title}</Popover.Title>
            <Details id={id} readiness={readiness} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
};

const LINK = 'self-start rounded text-accent hover:underline';

const Details = ({ id, readiness }: { readonly id: string; readonly readiness: AgentReadiness }) => {
  const { pi, model, signIn, findings } = readiness;
  if (!pi)
    return (
      <>
        <p className="text-sm text-muted">{words.installHint}</p>
        <Command text={PI_INSTALL_COMMAND} label={words.copyInstall} />
      </>
    );
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        <Fact term={words.facts.pi}>{pi.version ?? words.unknownVersion}</Fact>
        <Fact term={words.facts.model}>{model ?? words.noModel}</Fact>
        {signIn.state === 'ready' && <Fact term={words.facts.signIn}>{words.signedIn(signIn)}</Fact>}
      </dl>
      {signIn.state === 'missing' && signIn.provider !== null && <SignInGuide provider={signIn.provider} />}
      {signIn.state === 'invalid' && <p className="text-sm text-muted">{words.invalidHint}</p>}
      {signIn.reason && <p className="text-sm text-muted">{words.reasons[signIn.reason]}</p>}
      {signIn.reason === 'pi_too_old' && <Command text={PI_INSTALL_COMMAND} label={words.copyInstall} />}
      {(signIn.reason === 'no_model' || signIn.reason === 'no_provider') && (
        <Popover.Close onClick={() => requestAction({ kind: 'set-model', id })} className={LINK}>
          {modelWords.title}
        </Popover.Close>
      )}
      {(signIn.state === 'missing' || signIn.reason === 'no_model') && (
        <Popover.Close render={<Link href={paths.agent(id, { kind: 'models' })} className={LINK} />}>
          {words.guide.local}
        </Popover.Close>
      )}
      {findings.length > 0 && (
        <>
          <ul className="flex flex-col gap-1 text-sm">
            {findings.slice(0, MOST_FINDINGS).map(({ rule, file, line, column, message }) => (
              <li key={`${rule} ${file} ${line} ${column}`} className="wrap-anywhere">
                {message} <span className="text-muted">{file}</span>
              </li>
            ))}
            {findings.length > MOST_FINDINGS && (
              <li className="text-muted">{words.more(findings.length - MOST_FINDINGS)}</li>
            )}
          </ul>
          <Popover.Close render={<Link href={paths.agent(id, { kind: 'checks' })} className={LINK} />}>
            {words.openChecks}
          </Popover.Close>
        </>
      )}
    </>
  );
};

const Fact = ({ term, children }: { readonly term: string; readonly children: ReactNode }) => (
  <>
    <dt className="text-muted">{term}</dt>
    <dd className="min-w-0 wrap-anywhere tabular-nums">{children}</dd>
  </>
);

const Command = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <div className="flex items-start gap-1">
    <code className="min-w-0 flex-1 rounded-md bg-sunken px-2 py-1 font-mono text-sm wrap-anywhere">
      {text}
    </code>
    <CopyButton label={label} text={text} />
  </div>
);
