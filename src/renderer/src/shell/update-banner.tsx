import { useEffect, useState } from 'react';
import type { UpdateAnswer, UpdateState } from '../../../shared/desktop-bridge.ts';
import { desktopBridge } from '../api/desktop.ts';
import { updates as words } from '../strings/updates.ts';
import { Button } from '../ui/button.tsx';
import { reportFailure } from '../ui/failures.tsx';
import { Banner } from './banner.tsx';

/** Returns the state of the desktop app's updates. There's never an update in a browser. */
const useUpdate = (): UpdateState => {
  const [state, setState] = useState<UpdateState>({ kind: 'none' });
  useEffect(() => {
    let reads = 0;
    const read = (): void => {
      const own = ++reads;
      desktopBridge()
        ?.readUpdate?.()
        // Ignore a response if a newer read has begun.
        .then((next) => own === reads && setState(next))
        .catch((error: unknown) => reportFailure(words.failed, error));
    };
    read();
    return desktopBridge()?.onUpdate?.(read);
  }, []);
  return state;
};

const answer = (given: UpdateAnswer): void => {
  desktopBridge()
    ?.answerUpdate?.(given)
    .catch((error: unknown) => reportFailure(words.failed, error));
};

/** Returns a state's message and action. Null if there's nothing to show. */
const describeUpdate = (state: UpdateState, own: string): { text: string; action?: UpdateAnswer } | null => {
  switch (state.kind) {
    case 'none':
      return null;
    case 'available':
      return state.isPortable
        ? { text: words.availablePortable(state.version, own) }
        : { text: words.available(state.version, own), action: 'download' };
    case 'ready':
      return { text: words.ready(state.version), action: 'install' };
    case 'downloading':
      return { text: words.downloading(state.version) };
    case 'check-failed':
      return { text: words.checkFailed(state.reason) };
    case 'download-failed':
      return { text: words.downloadFailed(state.version, state.reason) };
    case 'current':
      return { text: words.current(own) };
    case 'checking':
    case 'unsupported':
    case 'not-installed':
      return { text: words[state.kind] };
  }
};

/** Offers a newer version of the desktop app, and reports the result of a requested check. */
export const UpdateBanner = () => {
  const state = useUpdate();
  const said = describeUpdate(state, desktopBridge()?.version ?? '');
  if (!said) return null;
  const { text, action } = said;
  const isFailure = state.kind === 'check-failed' || state.kind === 'download-failed';
  return (
    <Banner role="status" tone={isFailure ? 'warn' : 'neutral'} text={text}>
      {action && (
        <Button size="small" onClick={() => answer(action)}>
          {words.answers[action]}
        </Button>
      )}
      {state.kind !== 'checking' && (
        <Button size="small" onClick={() => answer('later')}>
          {action ? words.answers.later : words.close}
        </Button>
      )}
    </Banner>
  );
};
