import { useMemo } from 'react';
import { strings } from '../../strings.ts';
import type { FileState } from './file-state.ts';
import type { TextFormat } from './line-endings.ts';

interface EditorStatusProps {
  readonly state: Extract<FileState, { status: 'editing' }>;
  readonly format: TextFormat;
}

/** The line below the editor: whether it is saved, and what of the file an editor does not show. */
export const EditorStatus = ({ state, format }: EditorStatusProps) => {
  const { text, dirty, saving, isNew } = state;
  const words = strings.files;
  const lines = useMemo(() => countLines(text), [text]);
  const saved = saving ? words.saving : isNew ? words.notCreated : dirty ? words.unsavedChanges : words.saved;
  return (
    <div className="flex min-h-7 flex-wrap items-center gap-x-4 border-t border-line bg-sunken px-4 py-1 text-sm text-muted">
      <span role="status" className="mr-auto">
        {saved}
      </span>
      {format.lineEndings === 'mixed' && <span className="text-warn">{words.mixedNote}</span>}
      <span>{words.lines(lines)}</span>
      {format.bom && (
        <abbr className="no-underline" title={words.bomHint}>
          {words.bom}
        </abbr>
      )}
      {format.lineEndings !== 'mixed' && (
        <abbr className="no-underline" title={words.formatHint[format.lineEndings]}>
          {words.format[format.lineEndings]}
        </abbr>
      )}
    </div>
  );
};

const countLines = (text: string): number => {
  let count = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
};
