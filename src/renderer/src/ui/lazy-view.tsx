import { CloudOff } from 'lucide-react';
import { type ComponentType, useEffect, useState } from 'react';
import { useLive } from '../api/live.tsx';
import { strings } from '../strings.ts';
import { Button } from './button.tsx';
import { EmptyState } from './empty-state.tsx';
import { Loading } from './loading.tsx';

/**
 * A view whose code loads when it is first shown. Where it cannot be loaded that is said, and it loads by itself when
 * the server is back; `React.lazy` would take the whole page down instead.
 */
export const lazyView = <P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> => {
  let loaded: ComponentType<P> | undefined;
  return (props: P) => {
    const [View, setView] = useState<ComponentType<P> | undefined>(() => loaded);
    const [hasFailed, setHasFailed] = useState(false);
    const { state } = useLive();
    // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the connection is a reason to try again
    useEffect(() => {
      if (View) return;
      let isGone = false;
      load().then(
        (view) => {
          loaded = view;
          if (!isGone) setView(() => view);
        },
        () => isGone || setHasFailed(true),
      );
      return () => {
        isGone = true;
      };
    }, [View, state]);
    if (View) return <View {...props} />;
    if (!hasFailed) return <Loading />;
    return (
      <EmptyState
        announce
        icon={CloudOff}
        title={strings.shell.partFailed}
        hint={<p>{strings.shell.partFailedHint}</p>}
      >
        <Button onClick={() => window.location.reload()}>{strings.shell.reload}</Button>
      </EmptyState>
    );
  };
};
