import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { isPresetName } from '../../../../shared/api/presets.ts';
import { mcpOverviewQuery } from '../../api/agent-queries.ts';
import { lastRead } from '../../api/read-status.ts';
import { type SavedContent, useLinkedNames, usePresets, useSavePreset } from '../../presets/use-presets.ts';
import { presets as presetWords } from '../../strings/presets.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { CheckboxField, TextField } from '../../ui/field.tsx';

const contentOf = (content: SavedContent): string =>
  presetWords.content(content, Object.keys(content.mcpServersFrom).length);

interface SavePresetDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Saves an agent's links as a preset, and its MCP servers if selected. */
export const SaveAgentDialog = ({ id, ...props }: SavePresetDialogProps & { readonly id: string }) => {
  const linked = useLinkedNames(id);
  const overview = lastRead(useQuery(mcpOverviewQuery()));
  const [alsoServers, setAlsoServers] = useState(false);
  const servers = (overview?.servers ?? []).flatMap(({ name, definitions }) =>
    definitions.some(({ on, off }) => on.includes(id) || off.includes(id)) ? [name] : [],
  );
  const mcpServersFrom = Object.fromEntries(alsoServers ? servers.map((name) => [name, id]) : []);
  return (
    <SavePresetDialog
      {...props}
      content={linked && { ...linked, mcpServersFrom }}
      description={presetWords.saveAgent(id)}
    >
      {servers.length > 0 && (
        <CheckboxField
          label={presetWords.alsoServers(servers.length)}
          checked={alsoServers}
          onCheckedChange={setAlsoServers}
        />
      )}
    </SavePresetDialog>
  );
};

/** Saves the selected columns as a preset. */
export const SaveColumnsDialog = ({
  content,
  ...props
}: SavePresetDialogProps & { readonly content: SavedContent }) => (
  <SavePresetDialog {...props} content={content} description={presetWords.saveColumns(contentOf(content))} />
);

interface ContentProps extends SavePresetDialogProps {
  /** Undefined while it's loading. */
  readonly content: SavedContent | undefined;
  readonly description: string;
  readonly children?: ReactNode;
}

/** Asks for the name of a new preset, or of a preset to replace. */
const SavePresetDialog = ({ open, onOpenChange, content, description, children }: ContentProps) => {
  const read = usePresets();
  const [name, setName] = useState('');
  const { mutate, reset, isPending, error } = useSavePreset(() => {
    onOpenChange(false);
    setName('');
  });
  const before = read.status === 'ready' ? read.data.find((preset) => preset.name === name) : undefined;
  const isWrong = name !== '' && !isPresetName(name);
  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      title={presetWords.saveTitle}
      description={description}
      submitLabel={before ? presetWords.replace : presetWords.save}
      canSubmit={isPresetName(name) && content !== undefined}
      isPending={isPending}
      onSubmit={() => content && mutate({ name, content, ...(before ? { before } : {}) })}
    >
      <TextField
        label={presetWords.name}
        value={name}
        onValueChange={(text) => {
          setName(text);
          if (error) reset();
        }}
        hint={before ? presetWords.replaces : undefined}
        error={isWrong ? presetWords.nameRule : error?.message}
      />
      {children}
      {content && (
        <p role="status" className="text-muted">
          {contentOf(content)}
        </p>
      )}
    </FormDialog>
  );
};
