import { type ReactNode, useMemo } from 'react';
import type { FileVersion } from '../../drafts/drafts.ts';
import { strings } from '../../strings.ts';
import { cx } from '../../ui/cx.ts';
import { toEditorText } from './line-endings.ts';
import { TextEditor } from './text-editor.tsx';

interface SideBySideProps {
  readonly id: string;
  readonly file: string;
  /** What is on disk, to be read beside mine; null shows mine alone. */
  readonly disk: FileVersion | null;
  /** The editor of mine. */
  readonly children: ReactNode;
}

/** The editor, and beside it (below it, where there is no room) the version on disk. */
export const SideBySide = ({ id, file, disk, children }: SideBySideProps) => {
  const theirs = useMemo(() => (disk ? toEditorText(disk.content) : ''), [disk]);
  const words = strings.conflict;
  return (
    <div className={cx('flex size-full', disk && 'max-icons:flex-col')}>
      <section className="flex min-h-0 min-w-0 flex-1 flex-col" aria-label={disk ? words.mine : undefined}>
        {disk && <Heading>{words.mine}</Heading>}
        <div className="min-h-0 flex-1">{children}</div>
      </section>
      {disk && (
        <section
          aria-label={words.theirs}
          className="flex min-h-0 min-w-0 flex-1 flex-col border-line max-icons:border-t icons:border-l"
        >
          <Heading>{words.theirs}</Heading>
          <div className="min-h-0 flex-1">
            <TextEditor label={`${words.theirs}: ${strings.files.editor(file, id)}`} text={theirs} />
          </div>
        </section>
      )}
    </div>
  );
};

const Heading = ({ children }: { readonly children: ReactNode }) => (
  <h3 className="border-b border-line bg-sunken px-4 py-1 text-sm font-medium text-muted">{children}</h3>
);
