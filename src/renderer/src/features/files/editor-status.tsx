import { useEffect, useMemo, useState } from 'react';
import type { EditedText } from '../../drafts/drafts.ts';
import { files as words } from '../../strings/files.ts';
import { Hint } from '../../ui/hint.tsx';
import type { TextCounts } from './count-text.ts';
import type { CountRequest, CountResponse } from './count-worker.ts';
import type { FileViewState } from './file-state.ts';
import type { TextFormat } from './line-endings.ts';

// Counting waits for a pause in typing.
const PAUSE_MS = 250;

let worker: Worker | undefined;
let requests = 0;

const counter = (): Worker => {
  worker ??= new Worker(new URL('./count-worker.ts', import.meta.url), { type: 'module' });
  return worker;
};

/** Returns the text's counts. Null at first, and the previous ones until the worker responds. */
const useTextCounts = (text: EditedText): TextCounts | null => {
  const [counts, setCounts] = useState<TextCounts | null>(null);
  useEffect(() => {
    let stop = (): void => {};
    const timer = setTimeout(() => {
      const counting = counter();
      const request = ++requests;
      const onMessage = ({ data }: MessageEvent<CountResponse>): void => {
        if (data.request === request) setCounts(data);
      };
      counting.addEventListener('message', onMessage);
      stop = () => counting.removeEventListener('message', onMessage);
      counting.postMessage({ request, text: String(text) } satisfies CountRequest);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [text]);
  return counts;
};

interface EditorStatusProps {
  readonly state: Extract<FileViewState, { status: 'editing' }>;
  readonly format: TextFormat;
}

/** The line below the editor, with the save state, the counts and the file format. */
export const EditorStatus = ({ state, format }: EditorStatusProps) => {
  const { text, dirty, saving, isNew } = state;
  const lines = useMemo(() => countLines(text), [text]);
  const counts = useTextCounts(text);
  const saved = saving ? words.saving : isNew ? words.notCreated : dirty ? words.unsavedChanges : words.saved;
  return (
    <div className="flex min-h-7 flex-wrap items-center gap-x-4 border-t border-line bg-sunken px-4 py-1 text-sm text-muted">
      <span role="status" className="mr-auto">
        {saved}
      </span>
      {format.lineEndings === 'mixed' && <span className="text-warn">{words.mixedNote}</span>}
      <span>{words.lines(lines)}</span>
      {counts && <span>{words.words(counts.words)}</span>}
      {counts && (
        <Hint side="top" label={words.tokensHint}>
          {words.tokens(counts.tokens)}
        </Hint>
      )}
      {format.bom && (
        <Hint side="top" label={words.bomHint}>
          {words.bom}
        </Hint>
      )}
      {format.lineEndings !== 'mixed' && (
        <Hint side="top" label={words.formatHint[format.lineEndings]}>
          {words.format[format.lineEndings]}
        </Hint>
      )}
    </div>
  );
};

/** Counts the lines. A final line ending doesn't start another line. */
const countLines = (text: EditedText): number => {
  if (typeof text !== 'string') return text.lines - (text.line(text.lines).length === 0 ? 1 : 0);
  let count = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
};
