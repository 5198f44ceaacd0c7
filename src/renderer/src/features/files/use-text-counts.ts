import { useEffect, useState } from 'react';
import type { EditedText } from '../../drafts/edited-text.ts';
import type { TextCounts } from './count-text.ts';
import type { CountAnswer, CountRequest } from './count-worker.ts';

// Nobody reads a count between two keys.
const PAUSE_MS = 250;

let worker: Worker | undefined;
let requests = 0;

const counter = (): Worker => {
  worker ??= new Worker(new URL('./count-worker.ts', import.meta.url), { type: 'module' });
  return worker;
};

/** The words and tokens of a text, counted in another thread; those of the text before until then, null at first. */
export const useTextCounts = (text: EditedText): TextCounts | null => {
  const [counts, setCounts] = useState<TextCounts | null>(null);
  useEffect(() => {
    let stop = (): void => {};
    const timer = setTimeout(() => {
      const counting = counter();
      const request = ++requests;
      const onMessage = ({ data }: MessageEvent<CountAnswer>): void => {
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
