import { useState } from 'react';
import { Link } from 'wouter';
import type { LinkKind } from '../../../../shared/api/names.ts';
import { paths } from '../../routes.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { lazyView } from '../../ui/lazy-view.tsx';

/** How many agents a row names. A dialog lists all of them. */
const SHOWN = 6;

const words = strings.catalog;

const UsedByDialog = lazyView(async () => (await import('./used-by-dialog.tsx')).UsedByDialog);

interface UsedByProps {
  readonly kind: LinkKind;
  readonly name: string;
  readonly agents: readonly string[];
}

/** The agents that link to a shared entry. Each name opens that agent's links. */
export const UsedBy = ({ kind, name, agents }: UsedByProps) => {
  const [open, setOpen] = useState<boolean>();
  if (agents.length === 0) return <p className="text-sm text-muted">{words.usedByNone}</p>;
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
      <span aria-hidden="true" className="text-muted">
        {words.usedBy}
      </span>
      <ul aria-label={words.usedByLabel(name)} className="contents">
        {agents.slice(0, SHOWN).map((id) => (
          <li key={id} className="min-w-0">
            <Link
              href={paths.agent(id, { kind })}
              className="inline-block max-w-48 truncate rounded border border-line px-1.5 align-bottom hover:bg-hover"
              title={id}
            >
              {id}
            </Link>
          </li>
        ))}
      </ul>
      {agents.length > SHOWN && (
        <Button
          variant="quiet"
          size="small"
          aria-label={words.showAllLabel(name, agents.length)}
          onClick={() => setOpen(true)}
        >
          {words.showAll(agents.length)}
        </Button>
      )}
      {open !== undefined && (
        <UsedByDialog kind={kind} name={name} agents={agents} open={open} onOpenChange={setOpen} />
      )}
    </div>
  );
};
