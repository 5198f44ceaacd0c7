import { useState } from 'react';
import type { LinkKind } from '../../../shared/api/names.ts';
import { catalog as catalogTexts } from '../strings/catalog.ts';
import { Avatar } from './avatar.tsx';
import { Button } from './button.tsx';
import { lazyView } from './lazy-view.tsx';
import { User } from './user.tsx';

/** How many agents a row names. A dialog lists all of them. */
const SHOWN = 6;

const words = catalogTexts;

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
            <User
              id={id}
              kind={kind}
              className="inline-flex max-w-48 items-center gap-1.5 rounded-full border border-line py-0.5 pr-2 pl-1"
            >
              <Avatar id={id} size="small" />
              <span className="truncate">{id}</span>
            </User>
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
