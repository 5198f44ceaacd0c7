import { useId, useRef, useState } from 'react';
import type { AgentKey, AgentKeys } from '../../../../shared/api/keys.ts';
import type { Settings } from '../../../../shared/api/settings.ts';
import { common } from '../../strings/common.ts';
import { agentKeys as keyWords } from '../../strings/keys.ts';
import { settings as words } from '../../strings/settings.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Question } from '../../ui/dialog.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { reportFailure } from '../../ui/failures.tsx';
import { Loading } from '../../ui/loading.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { notify } from '../../ui/toast.tsx';
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
            {words.agentKeys}
          </h3>
          <p className="text-sm text-muted">{keyWords.hint}</p>
        </div>
        <Button ref={opener} onClick={() => setIsCreating(true)}>
          {keyWords.create}
        </Button>
      </div>
      {state.status === 'loading' && <Loading />}
      {state.status === 'error' && <ErrorState error={state.error} onRetry={state.retry} />}
      {state.status === 'ready' && <KeyList keys={state.data.keys} />}
      <AskingSwitch
        id="requireKeys"
        setting={settings.requireKeys}
        hint={settings.requireKeys.value ? keyWords.requiredOn : keyWords.requiredOff}
        // Turning this on stops programs without a key.
        asksBefore
        question={{
          title: keyWords.requireQuestion,
          description: keyWords.requireDescription,
          cancel: common.cancel,
          confirm: keyWords.requireConfirm,
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
    ({ label }) => notify(keyWords.revoked(label)),
    (error) => reportFailure(keyWords.revokeFailed, error),
  );
  useFocusAfterRemoval(list);
  return (
    <div ref={list} tabIndex={-1} className="outline-none">
      {keys.length === 0 ? (
        <p className="rounded-md border border-dashed border-line-strong px-3 py-3 text-muted">
          {keyWords.none}
        </p>
      ) : (
        <ul
          aria-label={words.agentKeys}
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
        title={keyWords.revokeQuestion(asked?.label ?? '')}
        description={keyWords.revokeDescription}
      >
        <Button onClick={() => setAsked(null)}>{common.cancel}</Button>
        <Button
          variant="danger"
          onClick={() => {
            if (asked) mutate(asked);
            setAsked(null);
          }}
        >
          {keyWords.revokeConfirm}
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
        <span className="min-w-0 break-all text-muted">{key.agent ?? keyWords.anyAgent}</span>
        {key.otherRoot && <Badge>{keyWords.otherRoot}</Badge>}
        {key.expired && <Badge tone="warn">{keyWords.expired}</Badge>}
        {!key.expired && isLimitReached(key) && <Badge tone="warn">{keyWords.limitReached}</Badge>}
      </div>
      <p className="text-sm break-words">
        {key.scopes
          .map((scope) =>
            scope === 'spend' && key.spend
              ? `${keyWords.scopes.spend} (${keyWords.spent(key.spend.spentToday, key.spend.satsPerDay)})`
              : keyWords.scopes[scope],
          )
          .join(' · ')}
      </p>
      <p className="text-sm text-muted">
        <TimeAgo at={key.createdAt} text={keyWords.created} />
        {' · '}
        {key.lastUsedAt === null ? (
          keyWords.neverUsed
        ) : (
          <TimeAgo at={key.lastUsedAt} text={keyWords.lastUsed} />
        )}
        {key.expiresAt !== null &&
          ` · ${key.expired ? keyWords.expiredOn(key.expiresAt) : keyWords.expires(key.expiresAt)}`}
      </p>
    </div>
    <Button
      size="small"
      data-row-action="revoke"
      disabled={isPending}
      aria-label={keyWords.revokeLabel(key.label)}
      onClick={() => onRevoke(key)}
    >
      {keyWords.revoke}
    </Button>
  </li>
);
