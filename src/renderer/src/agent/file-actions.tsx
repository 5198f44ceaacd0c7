import { useState } from 'react';
import type { AgentSummary } from '../../../shared/api/agents.ts';
import type { JsonFile } from '../../../shared/api/json-files.ts';
import { useJsonFile } from '../json-form/use-json-file.ts';
import { entries as words } from '../strings/entries.ts';
import { Button } from '../ui/button.tsx';
import { Modal } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Loading } from '../ui/loading.tsx';
import { ScrollBlock } from '../ui/scroll-block.tsx';
import { visibleText } from '../visible-text.ts';
import { entryActions } from './entry-actions.ts';

interface FileActionsProps {
  readonly agent: Pick<AgentSummary, 'id' | 'path'>;
  readonly name: JsonFile['file'];
}

const JsonText = ({ agent, name }: FileActionsProps) => {
  const state = useJsonFile(agent.id, name);
  if (state.status === 'loading') return <Loading />;
  if (state.status === 'error') return <ErrorState error={state.error} onRetry={state.retry} />;
  const { text, problems } = state.data;
  if (text === null) return <p className="text-muted">{problems[0]?.message ?? words.jsonMissing(name)}</p>;
  return (
    <>
      {text.includes('•••') && <p className="text-sm text-muted">{words.jsonHidden}</p>}
      <ScrollBlock label={words.jsonText(name)} className="rounded border border-line bg-canvas">
        <pre className="font-mono text-sm whitespace-pre-wrap wrap-anywhere">{visibleText(text)}</pre>
      </ScrollBlock>
    </>
  );
};

/** Buttons that show an agent's JSON file, open it in another program, reveal it, or copy its path. */
export const FileActions = ({ agent, name }: FileActionsProps) => {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button variant="quiet" size="small" aria-label={words.jsonLabel(name)} onClick={() => setIsOpen(true)}>
        {words.json}
      </Button>
      {entryActions(agent, { name, kind: 'file' }).map(({ label, fullLabel, run }) => (
        <Button key={label} variant="quiet" size="small" aria-label={fullLabel} onClick={run}>
          {label}
        </Button>
      ))}
      <Modal showsOnly width="wide" open={isOpen} onOpenChange={setIsOpen} title={name}>
        <JsonText agent={agent} name={name} />
      </Modal>
    </>
  );
};
