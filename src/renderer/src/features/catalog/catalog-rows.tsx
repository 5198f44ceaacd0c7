import type { ReactNode } from 'react';
import type { SharedExtension, SharedSkill } from '../../../../shared/api/catalog.ts';
import { strings } from '../../strings.ts';
import { Badge } from '../../ui/badge.tsx';
import { Diagnostics } from '../../ui/diagnostics.tsx';
import { PathText } from '../../ui/path-text.tsx';

const words = strings.catalog;

/** A shared extension or skill: its description, its problems and the agents that use it. */
export const CatalogRow = ({
  item,
  usedBy,
}: {
  readonly item: SharedSkill | SharedExtension;
  readonly usedBy: ReactNode;
}) => {
  const { name, path, description, diagnostics } = item;
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        {/* Grows to push the path to the end of this line or the start of the next. */}
        <div className="flex min-w-0 grow flex-wrap items-center gap-x-2 gap-y-1">
          <h2 className="min-w-0 break-words font-medium">{name}</h2>
          {'kind' in item && <Badge>{words.kind[item.kind]}</Badge>}
          {diagnostics.length > 0 && (
            <Badge tone={errors > 0 ? 'danger' : 'warn'}>
              {words.problems(errors, diagnostics.length - errors)}
            </Badge>
          )}
        </div>
        <code className="min-w-0 text-sm text-muted">
          <PathText path={path} />
        </code>
      </div>
      <p className="max-w-3xl break-words text-muted">{description ?? words.noDescription}</p>
      <Diagnostics items={diagnostics} />
      {usedBy}
    </div>
  );
};
