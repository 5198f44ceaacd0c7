import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { McpOverview } from '../../../shared/api/mcp.ts';
import type { Preset } from '../../../shared/api/presets.ts';
import { mcpOverviewQuery } from '../api/agent-queries.ts';
import { lastRead } from '../api/read-status.ts';
import { presets as words } from '../strings/presets.ts';
import { cx } from '../ui/cx.ts';
import { FormDialog } from '../ui/dialog.tsx';
import { CheckboxField } from '../ui/field.tsx';
import { ScrollBlock } from '../ui/scroll-block.tsx';
import { PresetContents, PresetSelect } from './preset-select.tsx';
import { type PreviewedName, previewPreset } from './preview-preset.ts';
import { useApplyPreset, useMatrices, useUsablePresets } from './use-presets.ts';

interface PresetPreviewProps {
  readonly preset: Preset;
  readonly ids: readonly string[];
  readonly unlinkOthers: boolean;
}

const signOf = ({ isMissing, added, replaced, kept }: PreviewedName): keyof typeof SIGNS => {
  if (isMissing) return 'missing';
  if (added + replaced > 0) return 'added';
  return kept > 0 ? 'kept' : 'linked';
};

const SIGNS = {
  added: { sign: '+', tone: 'text-ok' },
  linked: { sign: '✓', tone: 'text-muted' },
  kept: { sign: '=', tone: 'text-muted' },
  missing: { sign: '!', tone: 'text-warn' },
  removed: { sign: '−', tone: 'text-danger' },
} as const;

/** Counts the selected agents that get each of a preset's servers, and agents that keep their own. */
const serversIn = ({ mcpServers }: Preset, { servers }: McpOverview, ids: readonly string[]) =>
  Object.keys(mcpServers).map((name) => {
    const users = new Set(
      (servers.find((server) => server.name === name)?.definitions ?? []).flatMap(({ on, off, refused }) => [
        ...on,
        ...off,
        ...refused,
      ]),
    );
    const kept = ids.filter((id) => users.has(id)).length;
    return { name, kept, added: ids.length - kept };
  });

/** Shows what applying a preset would change: each name with the agents that get, have or lose it. */
const PresetPreview = ({ preset, ids, unlinkOthers }: PresetPreviewProps) => {
  const matrices = useMatrices();
  const overview = lastRead(useQuery(mcpOverviewQuery()));
  const preview = useMemo(
    () => matrices && previewPreset(preset, matrices, ids, unlinkOthers),
    [matrices, preset, ids, unlinkOthers],
  );
  if (!preview) return <PresetContents preset={preset} />;
  const { names, removed, links, unlinks, unread } = preview;
  const servers = overview ? serversIn(preset, overview, ids) : [];
  const added = servers.reduce((sum, one) => sum + one.added, 0);
  return (
    <div className="flex min-h-0 flex-col gap-2">
      <ScrollBlock label={words.previewLabel} className="max-h-44 rounded-md border border-line low:max-h-32">
        <ul className="divide-y divide-line text-sm">
          {names.map((one) => (
            <PreviewRow
              key={`${one.kind}/${one.name}`}
              name={one.name}
              as={signOf(one)}
              detail={one.isMissing ? words.notInCatalog : words.changes(one, ids.length - unread)}
            />
          ))}
          {removed.map(({ kind, name, agents }) => (
            <PreviewRow
              key={`${kind}/${name}`}
              name={name}
              as="removed"
              detail={words.removes(agents, ids.length - unread)}
            />
          ))}
          {servers.map((one) => (
            <PreviewRow
              key={`mcp/${one.name}`}
              name={words.server(one.name)}
              as={one.added > 0 ? 'added' : 'kept'}
              detail={words.serverChanges(one.added, one.kept, ids.length)}
            />
          ))}
        </ul>
      </ScrollBlock>
      <p role="status" className="text-muted">
        {(links + unlinks > 0 || added === 0) && words.summary(links, unlinks)}
        {added > 0 && ` ${words.addsServers(added)}`}
        {unread > 0 && ` ${words.unread(unread)}`}
      </p>
    </div>
  );
};

interface PreviewRowProps {
  readonly name: string;
  readonly as: keyof typeof SIGNS;
  readonly detail: string;
}

const PreviewRow = ({ name, as, detail }: PreviewRowProps) => (
  <li className="flex items-baseline gap-2 py-1">
    <span aria-hidden="true" className={cx('w-3 shrink-0 text-center font-semibold', SIGNS[as].tone)}>
      {SIGNS[as].sign}
    </span>
    <span className="min-w-24 flex-1 break-words">{name}</span>
    <span className={cx('text-right', as === 'missing' ? 'text-warn' : 'text-muted')}>{detail}</span>
  </li>
);

interface ApplyPresetDialogProps {
  readonly ids: readonly string[];
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Asks which preset to apply to the selected agents. */
export const ApplyPresetDialog = ({ ids, open, onOpenChange }: ApplyPresetDialogProps) => {
  const presets = useUsablePresets();
  const [picked, setPicked] = useState<string | null>(null);
  const [unlinkOthers, setUnlinkOthers] = useState(false);
  const { mutate, isPending } = useApplyPreset(() => onOpenChange(false));
  const chosen = presets.find(({ name }) => name === picked) ?? presets[0];
  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      title={words.applyTitle(ids.length)}
      submitLabel={isPending ? words.applying : words.apply}
      canSubmit={chosen !== undefined}
      isPending={isPending}
      onSubmit={() => chosen && mutate({ name: chosen.name, agents: [...ids], unlinkOthers })}
    >
      {chosen ? (
        <>
          <PresetSelect
            presets={presets}
            value={chosen.name}
            onChange={setPicked}
            isPreviewed
            hint={chosen.description}
          />
          <CheckboxField
            label={words.unlinkOthers}
            checked={unlinkOthers}
            onCheckedChange={setUnlinkOthers}
          />
          <PresetPreview preset={chosen} ids={ids} unlinkOthers={unlinkOthers} />
        </>
      ) : (
        <p className="text-muted">
          {words.none}. {words.noneHint}
        </p>
      )}
    </FormDialog>
  );
};
