import { useQuery } from '@tanstack/react-query';
import { CircleHelp, File, FileKey, FileText, Folder, Link2, Link2Off } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import type { AgentEntry } from '../../../../shared/api/entries.ts';
import { EDITABLE_FILES, type EditableFile } from '../../../../shared/api/names.ts';
import { entryActions } from '../../agent/entry-actions.ts';
import { entriesQuery } from '../../api/agent-queries.ts';
import { readStatus } from '../../api/read-status.ts';
import { paths } from '../../routes.ts';
import { entries as words } from '../../strings/entries.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { LongTableBody } from '../../ui/long-table.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PathText } from '../../ui/path-text.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';

const ROW_HEIGHT_PX = 36;

const CELLS = {
  name: 'w-2/5 pr-3 pl-6 text-left max-icons:pl-4',
  role: 'px-3 text-left max-icons:px-1',
  size: 'w-20 px-3 text-right text-muted tabular-nums max-icons:hidden',
  modified: 'w-32 px-3 text-left text-muted max-wide:hidden',
  actions: 'w-36 pr-6 pl-3 text-right max-icons:w-27 max-icons:pr-2 max-icons:pl-0',
} as const;

type Column = keyof typeof CELLS;
const COLUMNS = Object.keys(CELLS) as Column[];
/**
 * The number of columns that are visible in narrow windows too. A cell that spans more would make the browser add
 * empty columns.
 */
const ALWAYS_VISIBLE = 3;

/** Shows an agent's directory: first the files that dot-mi edits, then all others. */
export const EntriesSection = ({ agent }: { readonly agent: AgentSummary }) => {
  const state = readStatus(useQuery(entriesQuery(agent.id)));
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  if (state.status === 'loading') return <Loading />;
  if (state.status === 'error') return <ErrorState error={state.error} onRetry={state.retry} />;
  const { entries, isTruncated } = state.data;
  const isEditable = ({ name, kind }: AgentEntry): boolean =>
    kind === 'file' && (EDITABLE_FILES as readonly string[]).includes(name);
  const others = entries.filter((entry) => !isEditable(entry));
  return (
    <div className="flex h-full min-h-0 flex-col">
      {isTruncated && <Notice tone="note" title={words.truncated(entries.length)} />}
      <div ref={setScroller} className="min-h-0 flex-1 overflow-y-auto">
        <table
          aria-label={words.label(agent.id)}
          aria-rowcount={EDITABLE_FILES.length + others.length + 3}
          className="w-full table-fixed"
        >
          <thead className="sticky top-0 z-2 bg-canvas text-sm shadow-[inset_0_-1px_0_var(--line)]">
            <tr aria-rowindex={1}>
              {COLUMNS.map((column) => (
                <th
                  key={column}
                  scope="col"
                  className={cx('h-8 font-normal whitespace-nowrap text-muted', CELLS[column])}
                >
                  {column === 'actions' ? (
                    <span className="sr-only">{words.columns[column]}</span>
                  ) : (
                    words.columns[column]
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Heading rowIndex={2}>{words.editable}</Heading>
            {EDITABLE_FILES.map((file, index) => (
              <EditableRow
                key={file}
                agent={agent}
                file={file}
                entry={entries.find((entry) => entry.name === file && isEditable(entry))}
                rowIndex={index + 3}
              />
            ))}
          </tbody>
          <Others agent={agent} entries={others} scroller={scroller} />
        </table>
      </div>
    </div>
  );
};

const Heading = ({ rowIndex, children }: { readonly rowIndex: number; readonly children: ReactNode }) => (
  <tr aria-rowindex={rowIndex} style={{ height: ROW_HEIGHT_PX }}>
    <th scope="rowgroup" colSpan={ALWAYS_VISIBLE} className="pt-2 pl-6 text-left font-semibold">
      {children}
    </th>
  </tr>
);

interface OthersProps {
  readonly agent: AgentSummary;
  readonly entries: readonly AgentEntry[];
  readonly scroller: HTMLElement | null;
}

/** The entries that other programs edit. */
const Others = ({ agent, entries, scroller }: OthersProps) => {
  return (
    <LongTableBody
      count={entries.length + 1}
      rowHeight={ROW_HEIGHT_PX}
      scroller={scroller}
      row={(index) => {
        const entry = entries[index - 1];
        const rowIndex = EDITABLE_FILES.length + index + 3;
        return entry ? (
          <OtherRow key={entry.name} agent={agent} entry={entry} index={index} rowIndex={rowIndex} />
        ) : (
          <Heading key="" rowIndex={rowIndex}>
            {words.others}
          </Heading>
        );
      }}
    >
      {entries.length === 0 && (
        <tr>
          <td colSpan={ALWAYS_VISIBLE} className="pl-6 text-muted">
            {words.none}
          </td>
        </tr>
      )}
    </LongTableBody>
  );
};

interface RowProps {
  readonly agent: AgentSummary;
  /** Undefined while the file doesn't exist. */
  readonly entry: AgentEntry | undefined;
  /** The row's index in the virtual list. Undefined for a row that is always rendered. */
  readonly index?: number;
  readonly rowIndex: number;
  readonly name: ReactNode;
  /** The cell with the entry's purpose. */
  readonly children: ReactNode;
}

const Row = ({ agent, entry, index, rowIndex, name, children }: RowProps) => (
  <tr
    data-index={index}
    data-details-row
    aria-rowindex={rowIndex}
    style={{ height: ROW_HEIGHT_PX }}
    className="border-b border-line hover:bg-hover"
  >
    <th scope="row" className={cx('font-normal', CELLS.name)}>
      <span className="flex min-w-0 items-center gap-2.5">{name}</span>
    </th>
    {children}
    <Facts entry={entry} />
    <td className={CELLS.actions}>{entry && <Actions agent={agent} entry={entry} />}</td>
  </tr>
);

interface EditableRowProps extends Pick<RowProps, 'agent' | 'entry' | 'rowIndex'> {
  readonly file: EditableFile;
}

const EditableRow = ({ file, ...row }: EditableRowProps) => (
  <Row
    {...row}
    name={
      <>
        <FileText aria-hidden="true" className="size-3.5 shrink-0 text-muted" />
        <Link
          href={paths.agent(row.agent.id, { kind: 'files', file })}
          data-shows-row
          className="min-w-0 truncate rounded font-mono text-sm underline-offset-2 hover:underline"
        >
          {file}
        </Link>
      </>
    }
  >
    <td className={cx('truncate text-sm text-muted', CELLS.role)}>{row.entry ? '' : words.missing}</td>
  </Row>
);

interface OtherRowProps extends Pick<RowProps, 'agent' | 'rowIndex'> {
  readonly entry: AgentEntry;
  readonly index: number;
}

const iconOf = ({ kind, role, broken }: AgentEntry) => {
  if (role === 'secret') return FileKey;
  if (kind === 'symlink') return broken ? Link2Off : Link2;
  return { file: File, directory: Folder, other: CircleHelp }[kind];
};

const OtherRow = ({ entry, ...row }: OtherRowProps) => {
  const Icon = iconOf(entry);
  return (
    <Row
      {...row}
      entry={entry}
      name={
        <>
          <Icon
            aria-hidden="true"
            className={cx('size-3.5 shrink-0', entry.broken ? 'text-warn' : 'text-muted')}
          />
          <span className="sr-only">{words.kind[entry.kind]}</span>
          <span data-details="" className="truncate font-mono text-sm">
            {entry.name}
          </span>
        </>
      }
    >
      <td className={CELLS.role}>
        <Purpose entry={entry} />
      </td>
    </Row>
  );
};

/** Shows an entry's problem, or a link's target, or else what pi uses the entry for. */
const Purpose = ({ entry }: { readonly entry: AgentEntry }) => {
  const { problem, linkTarget, isOutside, broken, role } = entry;
  if (problem)
    return (
      <p data-details="" className="truncate text-sm text-danger">
        {problem.message}
      </p>
    );
  if (linkTarget !== undefined)
    return (
      <p data-details="" className={cx('truncate text-sm', broken ? 'text-warn' : 'text-muted')}>
        {broken ? words.targetNotFound : words.pointsTo} <PathText path={linkTarget} className="font-mono" />
      </p>
    );
  return (
    <p data-details={role === 'secret' ? words.secretHint : ''} className="truncate text-sm text-muted">
      {isOutside ? words.outside : words.role[role]}
    </p>
  );
};

const Facts = ({ entry }: { readonly entry: AgentEntry | undefined }) => (
  <>
    <td className={CELLS.size}>{entry?.size !== undefined && words.size(entry.size)}</td>
    <td className={cx('truncate', CELLS.modified)}>
      {entry?.modifiedAt && <TimeAgo isInRow at={entry.modifiedAt} />}
    </td>
  </>
);

const Actions = ({ agent, entry }: { readonly agent: AgentSummary; readonly entry: AgentEntry }) => (
  <span className="inline-flex gap-1.5">
    {entryActions(agent, entry).map(({ label, fullLabel, run }) => (
      <Button key={label} data-shows-row variant="quiet" size="small" aria-label={fullLabel} onClick={run}>
        {label}
      </Button>
    ))}
  </span>
);
