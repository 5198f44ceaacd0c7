import type { ReactNode } from 'react';
import type { Preset } from '../../../shared/api/presets.ts';
import { SHOWN_KINDS } from '../strings/link-kinds.ts';
import { presets as words } from '../strings/presets.ts';
import { list } from '../strings/words.ts';
import { Problem } from '../ui/failures.tsx';
import { SelectField } from '../ui/field.tsx';
import { Hint } from '../ui/hint.tsx';

interface PresetSelectProps {
  readonly presets: readonly Preset[];
  /** The selected preset's name, or null. */
  readonly value: string | null;
  readonly onChange: (name: string | null) => void;
  /** True if the selection can be empty. */
  readonly isOptional?: boolean;
  /** Shown while no preset is selected. */
  readonly hint?: ReactNode;
  /** True if the preset's content is shown elsewhere. */
  readonly isPreviewed?: boolean;
}

/** A select for presets, with the selected preset's content below it. */
export const PresetSelect = ({
  presets,
  value,
  onChange,
  isOptional,
  isPreviewed,
  hint,
}: PresetSelectProps) => {
  const chosen = presets.find(({ name }) => name === value);
  return (
    <div className="flex flex-col gap-1.5">
      <SelectField
        label={words.preset}
        value={chosen?.name ?? ''}
        onValueChange={(name) => onChange(name === '' ? null : name)}
        options={[
          ...(isOptional ? [['', words.noPreset] as const] : []),
          ...presets.map(({ name }) => [name, name] as const),
        ]}
      />
      {chosen && !isPreviewed && <PresetContents preset={chosen} />}
      {(isPreviewed || !chosen) && hint && <p className="text-sm break-words text-muted">{hint}</p>}
    </div>
  );
};

/** Shows how many entries of each kind a preset has, and which can't be linked. */
export const PresetContents = ({ preset }: { readonly preset: Preset }) => {
  const { description, missing, problem } = preset;
  if (problem) return <Problem>{problem.message}</Problem>;
  const servers = Object.keys(preset.mcpServers);
  const content = words.content(preset, servers.length);
  const names = [...SHOWN_KINDS.flatMap((kind) => preset[kind]), ...servers];
  const listed = words.names(names);
  const isCut = listed !== list.format(names);
  return (
    <div className="flex flex-col text-sm">
      <p className="break-words text-muted">
        {description && `${description} · `}
        {isCut ? <Hint label={names.join(', ')}>{content}</Hint> : content}
        {listed && `: ${listed}`}
      </p>
      {missing.length > 0 && (
        <p className="break-words text-warn">{words.missing(missing.map(({ name }) => name))}</p>
      )}
    </div>
  );
};
