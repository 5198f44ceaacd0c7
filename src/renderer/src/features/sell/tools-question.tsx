import { useState } from 'react';
import { Link } from 'wouter';
import type { ApiError } from '../../api/client.ts';
import { useDraftedFiles } from '../../drafts/use-drafts.ts';
import { paths } from '../../routes.ts';
import { common } from '../../strings/common.ts';
import { sell as words } from '../../strings/sell.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { DialogActions, Modal } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failures.tsx';
import { CheckboxField } from '../../ui/field.tsx';
import type { Answer } from './use-sell.ts';

const DANGERS = Object.keys(words.tools.what);

/** The most dangerous tools first. */
const byDanger = (tools: readonly string[]): readonly string[] => {
  const rank = (tool: string): number => {
    const place = DANGERS.indexOf(tool);
    return place < 0 ? DANGERS.length : place;
  };
  return tools.toSorted((a, b) => rank(a) - rank(b));
};

interface ToolsQuestionProps {
  readonly agent: string;
  readonly tools: readonly string[];
  /** What the agent loads that runs code or sends text elsewhere. */
  readonly loads: readonly string[];
  readonly isPending: boolean;
  /** Why the last choice failed. Null before the first one. */
  readonly error: ApiError | null;
  readonly onCancel: () => void;
  readonly onAnswer: (answer: Answer) => void;
}

/** Asks whether strangers can use an agent's tools and what it loads. The safer choice is first. */
export const ToolsQuestion = ({
  agent,
  tools,
  loads,
  isPending,
  error,
  onCancel,
  onAnswer,
}: ToolsQuestionProps) => {
  const [isAccepted, setIsAccepted] = useState(false);
  const hasTools = tools.length > 0;
  const isDrafted = useDraftedFiles(agent).includes('pi-args');
  const piArgs = (
    <Link
      href={paths.agent(agent, { kind: 'files', file: 'pi-args' })}
      className={buttonClass('secondary', 'small')}
    >
      {words.openPiArgs}
    </Link>
  );
  return (
    <Modal
      open
      onOpenChange={(open) => open || isPending || onCancel()}
      title={hasTools ? words.tools.title(agent) : words.tools.loadsTitle(agent)}
      description={hasTools ? words.tools.description : words.tools.loadsDescription}
    >
      {hasTools && (
        <Callout
          tone="ok"
          title={words.tools.saferTitle}
          actions={
            <div className="flex flex-wrap gap-2 pt-1">
              {isDrafted ? (
                piArgs
              ) : (
                <Button variant="primary" disabled={isPending} onClick={() => onAnswer('remove')}>
                  {isPending ? words.starting : words.tools.sellWithout}
                </Button>
              )}
            </div>
          }
        >
          <p>{isDrafted ? words.tools.saferDraft : words.tools.safer}</p>
        </Callout>
      )}
      {hasTools && (
        <div className="flex flex-col gap-2">
          <p className="font-medium">{words.tools.can}</p>
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5">
            {byDanger(tools).map((tool) => (
              <div key={tool} className="contents">
                <dt className="font-mono wrap-anywhere text-warn">{words.tools.names[tool] ?? tool}</dt>
                <dd className="text-pretty">{words.tools.what[tool] ?? words.tools.other}</dd>
              </div>
            ))}
          </dl>
        </div>
      )}
      {loads.length > 0 && (
        <div className="flex flex-col gap-2">
          <p className="font-medium">{words.tools.loads}</p>
          <ul className="flex flex-col gap-1.5">
            {loads.map((load) => (
              <li key={load} className="font-mono wrap-anywhere text-warn">
                {load}
              </li>
            ))}
          </ul>
        </div>
      )}
      {error && (
        <Failure
          title={words.startFailed}
          message={error.code === 'tools_not_accepted' ? words.tools.stillThere(tools) : error.message}
          actions={<div>{piArgs}</div>}
        />
      )}
      <CheckboxField
        label={hasTools ? words.tools.understand : words.tools.understandLoads}
        hint={words.tools.understandHint}
        checked={isAccepted}
        onCheckedChange={setIsAccepted}
      />
      <DialogActions>
        <Button disabled={isPending} onClick={onCancel}>
          {common.cancel}
        </Button>
        <Button
          variant="danger"
          disabled={!isAccepted || isPending}
          onClick={() => onAnswer({ accepts: [...tools, ...loads] })}
        >
          {hasTools ? words.tools.sellWith : words.tools.sellWithLoads}
        </Button>
      </DialogActions>
    </Modal>
  );
};
