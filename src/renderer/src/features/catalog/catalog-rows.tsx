import type { ReactNode } from 'react';
import type { SharedExtension, SharedSkill } from '../../../../shared/api/catalog.ts';
import { strings } from '../../strings.ts';
import { Badge } from '../../ui/badge.tsx';
import { Diagnostics } from '../../ui/diagnostics.tsx';

const words = strings.catalog;

/** A shared skill, what it is for, and what is wrong with it. */
export const SkillRow = ({ skill, usedBy }: { readonly skill: SharedSkill; readonly usedBy: ReactNode }) => {
  const errors = skill.diagnostics.filter((item) => item.severity === 'error').length;
  const warnings = skill.diagnostics.length - errors;
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-x-2">
        <h2 className="min-w-0 break-words font-medium">{skill.name}</h2>
        {skill.diagnostics.length > 0 && (
          <Badge tone={errors > 0 ? 'danger' : 'warn'}>{words.problems(errors, warnings)}</Badge>
        )}
        <code className="ml-auto break-all text-sm text-muted">{skill.path}</code>
      </div>
      <p className="max-w-3xl break-words text-muted">{skill.description ?? words.noDescription}</p>
      <Diagnostics items={skill.diagnostics} />
      {usedBy}
    </div>
  );
};

/** A shared extension. */
export const ExtensionRow = ({
  extension,
  usedBy,
}: {
  readonly extension: SharedExtension;
  readonly usedBy: ReactNode;
}) => (
  <div className="flex flex-col gap-1">
    <div className="flex flex-wrap items-center gap-x-2">
      <h2 className="min-w-0 break-words font-medium">{extension.name}</h2>
      <Badge>{words.kind[extension.kind]}</Badge>
      <code className="ml-auto break-all text-sm text-muted">{extension.path}</code>
    </div>
    {usedBy}
  </div>
);
