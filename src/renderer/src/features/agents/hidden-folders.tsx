import { useQuery } from '@tanstack/react-query';
import { hiddenFoldersQuery } from '../../api/queries.ts';
import { agents as words } from '../../strings/agents.ts';

/** Shows how many folders aren't listed as agents and, when expanded, why. Empty if all are listed. */
export const HiddenFolders = () => {
  const { data: folders } = useQuery(hiddenFoldersQuery());
  if (!folders || folders.length === 0) return null;
  return (
    <details className="max-h-1/2 shrink-0 overflow-y-auto border-t border-line px-4.5 py-2 text-left text-sm text-muted">
      <summary className="cursor-default rounded hover:text-ink">{words.hidden(folders.length)}</summary>
      <ul className="mt-1.5 flex flex-col gap-1.5">
        {folders.map(({ name, problem }) => (
          <li key={name} className="break-words">
            <span className="font-mono text-ink">{name}</span>
            <p>{problem.message}</p>
          </li>
        ))}
      </ul>
    </details>
  );
};
