import { useQueries, useQuery } from '@tanstack/react-query';
import { FolderX } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { Link } from 'wouter';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import { byKind, LINK_KINDS, type LinkKind } from '../../../../shared/api/names.ts';
import { useShownKinds } from '../../agent/shown-kinds.ts';
import { mcpQuery } from '../../api/agent-queries.ts';
import { agentChecksQuery, linksQuery, summaryQuery } from '../../api/queries.ts';
import { readStatus, type Unread } from '../../api/read-status.ts';
import { drafts } from '../../drafts/drafts.ts';
import { useDraftedFiles } from '../../drafts/use-drafts.ts';
import { type AgentSection, DEFAULT_SECTION, paths } from '../../routes.ts';
import { agents as words } from '../../strings/agents.ts';
import { common } from '../../strings/common.ts';
import { SHOWN_KINDS } from '../../strings/link-kinds.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { LinkTabs } from '../../ui/tabs.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { AgentHeader } from './agent-header.tsx';

/** Says that the agent doesn't exist, and offers to copy or discard its drafts. */
const AgentMissing = ({ id }: { readonly id: string }) => {
  return (
    <EmptyState
      announce
      level={1}
      icon={FolderX}
      title={words.notFound(id)}
      hint={
        <>
          <p>{words.notFoundHint}</p>
          <KeptDrafts id={id} />
        </>
      }
    >
      <Link href={paths.agents} className={buttonClass('primary')}>
        {words.all}
      </Link>
      <Link href={paths.trash} className={buttonClass()}>
        {words.openTrash}
      </Link>
    </EmptyState>
  );
};

const KeptDrafts = ({ id }: { readonly id: string }) => {
  const files = useDraftedFiles(id);
  if (files.length === 0) return null;
  return (
    <div className="mt-4 rounded-md border border-warn-line bg-warn-soft p-3 text-left text-ink">
      <h2 className="font-medium">{words.keptDrafts}</h2>
      <ul>
        {files.map((file) => (
          <li key={file} className="flex items-center gap-1">
            <span className="mr-auto font-mono">{file}</span>
            <CopyButton label={words.copyDraft(file)} text={String(drafts.get(id, file)?.text ?? '')} />
            <Button
              variant="quiet"
              size="small"
              aria-label={words.discardDraft(file)}
              onClick={() => drafts.remove(id, file)}
            >
              {common.discard}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
};

/** The result of loading an agent. The agent stays visible while the API is offline. */
type AgentStatus =
  | Unread
  /** `last` is the agent as it was before it disappeared. */
  | { readonly status: 'missing'; readonly last: AgentSummary | undefined }
  | { readonly status: 'ready'; readonly agent: AgentSummary };

const useAgent = (id: string): AgentStatus => {
  const query = useQuery(summaryQuery(id));
  const read = readStatus(query);
  if (read.status === 'ready') return { status: 'ready', agent: read.data };
  const code = read.status === 'error' && read.error.code;
  return code === 'agent_not_found' || code === 'invalid_agent_id'
    ? { status: 'missing', last: query.data }
    : read;
};

interface AgentPageProps {
  readonly id: string;
  readonly section: AgentSection;
  readonly children: (agent: AgentSummary) => ReactNode;
}

/** One agent's page: its name, its sections and the open section. */
export const AgentPage = ({ id, section, children }: AgentPageProps) => {
  const state = useAgent(id);
  const hasDrafts = useDraftedFiles(id).length > 0;
  useTitle(id);
  // Another program may restore the agent at once, and its editor must not lose a key press in the meantime.
  const shown = state.status === 'ready' ? state.agent : undefined;
  const agent = shown ?? (state.status === 'missing' && hasDrafts ? state.last : undefined);
  if (agent) {
    return (
      <div className="flex h-full min-h-0 flex-col">
        <AgentHeader agent={agent} section={section} />
        <SectionNav id={id} section={section} />
        <SettingsNav id={id} section={section} />
        {state.status === 'missing' && (
          <Notice tone="warn" title={words.notFound(id)}>
            {words.notFoundKept}
          </Notice>
        )}
        <div className="min-h-0 flex-1 overflow-auto">{children(agent)}</div>
      </div>
    );
  }
  switch (state.status) {
    case 'loading':
      return <Loading />;
    case 'error':
      return <ErrorState level={1} error={state.error} onRetry={state.retry} />;
    default:
      return <AgentMissing id={id} />;
  }
};

/** Returns how many entries of each kind an agent has. Undefined while unknown. */
const useLinkNumbers = (id: string): Readonly<Record<LinkKind, number | undefined>> => {
  const queries = useQueries({ queries: LINK_KINDS.map((kind) => linksQuery(id, kind)) });
  return byKind((kind) => queries[LINK_KINDS.indexOf(kind)]?.data?.length);
};

/** The two files behind the settings tab. */
const SETTINGS_FILES = ['settings', 'models'] as const;

const SettingsNav = ({ id, section }: { readonly id: string; readonly section: AgentSection }) =>
  SETTINGS_FILES.some((kind) => kind === section.kind) && (
    <nav aria-label={words.settingsFiles(id)} className="px-6 pt-3 max-icons:px-4">
      <span className="flex w-fit rounded-lg bg-hover p-0.5 text-sm">
        {SETTINGS_FILES.map((kind) => (
          <Link
            key={kind}
            href={paths.agent(id, { kind })}
            aria-current={kind === section.kind ? 'page' : undefined}
            className="rounded-md px-2 py-0.25 whitespace-nowrap text-muted hover:text-ink aria-[current]:bg-canvas aria-[current]:text-ink aria-[current]:shadow-sm"
          >
            {words.settingsFile[kind]}
          </Link>
        ))}
      </span>
    </nav>
  );

const SectionNav = ({ id, section }: { readonly id: string; readonly section: AgentSection }) => {
  // Returning to the files reopens the last open file.
  const lastFile = useRef<AgentSection>(DEFAULT_SECTION);
  if (section.kind === 'files') lastFile.current = section;
  const links = useLinkNumbers(id);
  const own = SHOWN_KINDS.filter((kind) => kind === section.kind || links[kind]);
  // The other kinds go last, so that a new link of those kinds doesn't push a common section offscreen.
  const kinds = useShownKinds(own).filter((kind) => kind !== 'skills' && kind !== 'extensions');
  const counts = {
    files: undefined,
    ...links,
    mcp: useQuery(mcpQuery(id)).data?.servers.length,
    entries: undefined,
    models: undefined,
    settings: undefined,
    checks: useQuery(agentChecksQuery(id)).data?.findings.length,
    prompt: undefined,
    sessions: undefined,
    activity: undefined,
    history: undefined,
    sell: undefined,
  };
  const sections: readonly AgentSection[] = [
    lastFile.current,
    { kind: 'prompt' },
    { kind: 'skills' },
    { kind: 'extensions' },
    { kind: 'checks' },
    { kind: 'sessions', session: null },
    { kind: 'activity' },
    { kind: 'sell' },
    { kind: 'history' },
    ...kinds.map((kind) => ({ kind })),
    { kind: 'mcp' },
    { kind: 'settings' },
    { kind: 'entries' },
  ];
  return (
    <LinkTabs
      isTight
      label={words.sections(id)}
      more={words.moreSections}
      tabs={sections.map((target) => ({
        label: words.section[target.kind],
        href: paths.agent(id, target),
        isOpen: target.kind === section.kind || (target.kind === 'settings' && section.kind === 'models'),
        count: counts[target.kind],
      }))}
    />
  );
};
