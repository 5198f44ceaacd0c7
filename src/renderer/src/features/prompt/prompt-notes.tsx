// Apart from the section, because it grows with what a prompt can have to say.
import type { AgentPrompt } from '../../../../shared/api/prompt.ts';
import { prompt as words } from '../../strings/prompt.ts';
import { Callout } from '../../ui/callout.tsx';

/** What the reader of a predicted prompt should know: its notes, its tools, and the skills that pi leaves out. */
export const PromptNotes = ({ prompt }: { readonly prompt: AgentPrompt }) => {
  const { notes, complete, leftOutSkills, tools } = prompt;
  return (
    <>
      {notes.length > 0 && (
        <Callout tone={complete ? 'note' : 'warn'}>
          <ul aria-label={words.notes} className="flex flex-col gap-1">
            {notes.map(({ code, message }) => (
              <li key={code}>{message}</li>
            ))}
          </ul>
        </Callout>
      )}
      <p className="text-sm text-muted">
        {words.toolList}: <span className="font-mono">{tools.join(', ') || words.noTools}</span>
      </p>
      {leftOutSkills.length > 0 && (
        <details className="text-sm text-muted">
          <summary className="w-fit cursor-pointer rounded">{words.leftOut(leftOutSkills.length)}</summary>
          <ul className="flex flex-col gap-0.5 pt-1 pl-4">
            {leftOutSkills.map(({ path, reason, winner }) => (
              <li key={path} className="break-words">
                <span className="font-mono wrap-anywhere">{path}</span>: {words.reason[reason]}
                {winner !== undefined && <span className="font-mono wrap-anywhere"> ({winner})</span>}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
};
