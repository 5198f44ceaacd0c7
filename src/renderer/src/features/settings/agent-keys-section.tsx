import { useId, useRef, useState } from 'react';
import type { AgentKey, AgentKeys } from '../../../../shared/api/keys.ts';
import type { Settings } from '../../../../shared/api/settings.ts';
import { agentKeys as words } from '../../strings/keys.ts';
import { settings as settingsWords } from '../../strings/settings.ts';
import { strings } from '../../strings.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Question } from '../../ui/dialog.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { notify, notifyFailure } from '../../ui/toast.tsx';
import { useFocusAfterRemoval } from '../../ui/use-focus-after-removal.ts';
import { AskingSwitch } from './asking-switch.tsx';
import { CreateKeyDialog, NewKeyDialog } from './create-key-dialog.tsx';
import { useAgentKeys, useRevokeKey } from './use-agent-keys.ts';

/** The agent keys, and whether programs need one. */
export const AgentKeysSection = ({ settings }: { readonly settings: Settings['settings'] }) => {
  const id = useId();
  const state = useAgentKeys();
  const [isCreating, setIsCreating] = useState(false);
  const [keyText, setKeyText] = useState<string | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  return (
    <section data-setting="agentKeys" aria-labelledby={id} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-60 flex-1">
          <h3 id={id} className="font-medium">
            {settingsWords.agentKeys}
          </h3>
          <p className="text-sm text-muted">{words.hint}</p>
        </div>
        <Button ref={opener} onClick={() => setIsCreating(true)}>
          {words.create}
        </Button>
      </div>
      {state.status === 'loading' && <Loading />}
      {state.status === 'error' && <ErrorState error={state.error} onRetry={state.retry} />}
      {state.status === 'ready' && <KeyList keys={state.data.keys} />}
      <AskingSwitch
        id="requireKeys"
        setting={settings.requireKeys}
        label={settingsWords.requireKeys}
        hint={settings.requireKeys.value ? words.requiredOn : words.requiredOff}
        // Programs without a key stop working.
        asksBefore
        question={{
          title: words.requireQuestion,
          description: words.requireDescription,
          cancel: strings.common.cancel,
          confirm: words.requireConfirm,
        }}
      />
      <CreateKeyDialog
        open={isCreating}
        onClose={() => setIsCreating(false)}
        onCreated={({ key }) => {
          setIsCreating(false);
          setKeyText(key);
        }}
      />
      <NewKeyDialog keyText={keyText} opener={opener} onClose={() => setKeyText(null)} />
    </section>
  );
};

const KeyList = ({ keys }: Pick<AgentKeys, 'keys'>) => {
  const list = useRef<HTMLDivElement>(null);
  const [asked, setAsked] = useState<AgentKey | null>(null);
  const { mutate, isPending } = useRevokeKey(
    ({ label }) => notify(words.revoked(label)),
    (error) => notifyFailure(words.revokeFailed, error),
  );
  useFocusAfterRemoval(list);
  return (
    <div ref={list} tabIndex={-1} className="outline-none">
      {keys.length === 0 ? (
        <p className="rounded-md border border-dashed border-line-strong px-3 py-3 text-muted">
          {words.none}
        </p>
      ) : (
        <ul
          aria-label={settingsWords.agentKeys}
          className="flex flex-col divide-y divide-line rounded-md border border-line"
        >
          {keys.map((key) => (
            <KeyRow key={key.id} agentKey={key} isPending={isPending} onRevoke={setAsked} />
          ))}
        </ul>
      )}
      <Question
        open={asked !== null}
        onCancel={() => setAsked(null)}
        title={words.revokeQuestion(asked?.label ?? '')}
        description={words.revokeDescription}
      >
        <Button onClick={() => setAsked(null)}>{strings.common.cancel}</Button>
        <Button
          variant="danger"
          onClick={() => {
            if (asked) mutate(asked);
            setAsked(null);
          }}
        >
          {words.revokeConfirm}
        </Button>
      </Question>
    </div>
  );
};

const isLimitReached = ({ spend }: AgentKey): boolean =>
  spend !== null && spend.spentToday !== null && spend.spentToday >= spend.satsPerDay;

interface KeyRowProps {
  readonly agentKey: AgentKey;
  readonly isPending: boolean;
  readonly onRevoke: (key: AgentKey) => void;
}

const KeyRow = ({ agentKey: key, isPending, onRevoke }: KeyRowProps) => (
  <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
    <div className="flex min-w-0 flex-1 flex-col gap-0.5">
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <span className="min-w-0 font-medium break-words">{key.label}</span>
        <span className="min-w-0 break-all text-muted">{key.agent ?? words.anyAgent}</span>
        {key.otherRoot && <Badge>{words.otherRoot}</Badge>}
        {key.expired && <Badge tone="warn">{words.expired}</Badge>}
        {!key.expired && isLimitReached(key) && <Badge tone="warn">{words.limitReached}</Badge>}
      </div>
      <p className="text-sm break-words">
        {key.scopes
          .map((scope) =>
            scope === 'spend' && key.spend
              ? `${words.scopes.spend} (${words.spent(key.spend.spentToday, key.spend.satsPerDay)})`
              : words.scopes[scope],
          )
          .join(' · ')}
      </p>
      <p className="text-sm text-muted">
        <TimeAgo at={key.createdAt} text={words.created} />
        {' · '}
        {key.lastUsedAt === null ? words.neverUsed : <TimeAgo at={key.lastUsedAt} text={words.lastUsed} />}
        {key.expiresAt !== null &&
          ` · ${key.expired ? words.expiredOn(key.expiresAt) : words.expires(key.expiresAt)}`}
      </p>
    </div>
    <Button
      size="small"
      data-row-action="revoke"
      disabled={isPending}
      aria-label={words.revokeLabel(key.label)}
      onClick={() => onRevoke(key)}
    >
      {words.revoke}
    </Button>
  </li>
);
