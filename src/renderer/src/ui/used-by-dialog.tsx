import { useMemo, useState } from 'react';
import type { LinkKind } from '../../../shared/api/names.ts';
import { catalog as catalogWords } from '../strings/catalog.ts';
import { common } from '../strings/common.ts';
import { Modal } from './dialog.tsx';
import { matcher } from './matches.ts';
import { SearchField } from './search-field.tsx';
import { useRows } from './use-rows.ts';
import { User } from './user.tsx';

const ROW_HEIGHT_PX = 28;

interface UsedByDialogProps {
  /** The kind of the shared entry. Undefined for something else, such as a model. */
  readonly kind?: LinkKind | undefined;
  readonly name: string;
  readonly agents: readonly string[];
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** A searchable list of all agents that use an entry or a model. */
export const UsedByDialog = ({ kind, name, agents, open, onOpenChange }: UsedByDialogProps) => {
  const [query, setQuery] = useState('');
  const found = useMemo(() => {
    const matches = matcher(query);
    return agents.filter((id) => matches(id));
  }, [agents, query]);
  return (
    <Modal
      showsOnly
      open={open}
      onOpenChange={onOpenChange}
      title={catalogWords.usedByTitle(name)}
      description={catalogWords.usedByCount(agents.length)}
    >
      <SearchField label={catalogWords.searchUsers} value={query} onValueChange={setQuery} />
      {found.length === 0 ? (
        <p className="text-muted">{common.noMatch(query)}</p>
      ) : (
        <Users kind={kind} name={name} agents={found} />
      )}
    </Modal>
  );
};

const Users = ({ kind, name, agents }: Pick<UsedByDialogProps, 'kind' | 'name' | 'agents'>) => {
  const { setScroller, height, rows } = useRows(agents.length, ROW_HEIGHT_PX);
  return (
    <div ref={setScroller} className="max-h-80 overflow-y-auto">
      <ul aria-label={catalogWords.usedByLabel(name)} className="relative" style={{ height }}>
        {rows.map(({ index, start }) => {
          const id = agents[index];
          return (
            id !== undefined && (
              <li
                key={id}
                data-index={index}
                aria-setsize={agents.length}
                aria-posinset={index + 1}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${start}px)`, height: ROW_HEIGHT_PX }}
              >
                <User id={id} kind={kind} className="block truncate rounded px-2 py-1 -outline-offset-2">
                  {id}
                </User>
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
};
