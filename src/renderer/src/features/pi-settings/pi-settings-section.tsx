import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import type { PiSetting } from '../../../../shared/api/pi-settings.ts';
import { FileActions } from '../../agent/file-actions.tsx';
import { piSettingsQuery } from '../../api/agent-queries.ts';
import { readStatus } from '../../api/read-status.ts';
import { packages as packageWords } from '../../strings/packages.ts';
import { piSettings as words } from '../../strings/pi-settings.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { CheckboxField } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { matcher } from '../../ui/matches.ts';
import { Notice } from '../../ui/notice.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { PackagesPart } from './packages-part.tsx';
import { SettingRow } from './setting-row.tsx';

/** The top-level settings about the model. All other top-level settings are general. */
const OF_MODEL: ReadonlySet<string> = new Set([
  'defaultProvider',
  'defaultModel',
  'defaultThinkingLevel',
  'modelThinkingLevels',
  'thinkingBudgets',
  'enabledModels',
  'defaultTools',
]);

/** Returns a setting's heading: its subject, or the object that contains it. */
export const groupOf = ([first = '', ...rest]: readonly string[]): string => {
  if (OF_MODEL.has(first)) return words.model;
  return rest.length === 0 ? words.general : first;
};

/**
 * Returns the settings that match a search, by heading: the model's first, then general ones, then objects in pi's
 * order.
 */
export const groupedSettings = (
  settings: readonly PiSetting[],
  { query, changedOnly }: { readonly query: string; readonly changedOnly: boolean },
): readonly (readonly [heading: string, settings: readonly PiSetting[]])[] => {
  const matches = matcher(query);
  const shown = settings.filter(
    ({ path, description = '', value, isHidden }) =>
      matches(path.join('.'), description) && (!changedOnly || value !== undefined || isHidden),
  );
  const groups = [...Map.groupBy(shown, ({ path }) => groupOf(path))];
  const rank = (heading: string): number => (heading === words.model ? 0 : heading === words.general ? 1 : 2);
  return groups.sort(([a], [b]) => rank(a) - rank(b));
};

/** The pi settings in an agent's settings.json. Each is saved at once, and can be undone. */
export const PiSettingsSection = ({ agent }: { readonly agent: AgentSummary }) => {
  const { id } = agent;
  const state = readStatus(useQuery(piSettingsQuery(id)));
  const [query, setQuery] = useState('');
  const [changedOnly, setChangedOnly] = useState(false);
  const settings = state.status === 'ready' ? state.data.settings : undefined;
  const groups = useMemo(
    () => groupedSettings(settings ?? [], { query, changedOnly }),
    [settings, query, changedOnly],
  );
  if (state.status === 'loading') return <Loading />;
  if (state.status === 'error') return <ErrorState error={state.error} onRetry={state.retry} />;
  const { exists, etag, problem, otherKeys } = state.data;
  const file = exists && <FileActions agent={agent} name="settings.json" />;
  if (problem !== undefined)
    return (
      <Notice tone="warn" title={words.unreadable} actions={file}>
        {problem}
      </Notice>
    );
  const showsPackages = matcher(query)(packageWords.keywords);
  return (
    <section aria-label={words.label(id)} className="flex max-w-200 flex-col gap-4 px-6 py-4 max-icons:px-4">
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <div className="min-w-48 flex-1">
          <SearchField isMain label={words.search} value={query} onValueChange={setQuery} />
        </div>
        <CheckboxField label={words.changedOnly} checked={changedOnly} onCheckedChange={setChangedOnly} />
        <span className="flex flex-wrap gap-2">{file}</span>
      </div>
      {showsPackages && <PackagesPart agent={agent} />}
      {groups.length === 0 && !(showsPackages && query !== '') && (
        <p className="text-muted">{query === '' ? words.noneChanged : words.noMatch}</p>
      )}
      {groups.map(([heading, each]) => (
        <section key={heading} aria-label={heading} className="flex flex-col">
          <h2 className="pb-1 font-semibold">{heading}</h2>
          {each.map((setting) => (
            <SettingRow key={setting.path.join('.')} id={id} etag={etag} setting={setting} />
          ))}
        </section>
      ))}
      {otherKeys.length > 0 && <p className="text-sm text-muted">{words.others(otherKeys.length)}</p>}
    </section>
  );
};
