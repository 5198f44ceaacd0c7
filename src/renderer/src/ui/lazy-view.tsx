import { CloudOff } from 'lucide-react';
import { type ComponentType, useEffect, useState } from 'react';
import { shell as shellWords } from '../strings/shell.ts';
import { Button } from './button.tsx';
import { EmptyState } from './empty-state.tsx';
import { Loading } from './loading.tsx';

const loaders: (() => Promise<unknown>)[] = [];

/** How many views load in parallel: enough to finish soon, and few enough not to delay other requests. */
const LOADED_AT_ONCE = 4;

/** Registers code that loads on demand for {@link preloadViews}. */
export const preloaded = <T,>(load: () => Promise<T>): (() => Promise<T>) => {
  loaders.push(load);
  return load;
};

/** Runs a function once the first view is rendered and the browser is idle. Safari has no idle callbacks. */
const whenIdle = (run: () => void): void => {
  if ('requestIdleCallback' in window) window.requestIdleCallback(run, { timeout: 5000 });
  else setTimeout(run, 1000);
};

/**
 * Loads the code of every lazy view, once the first view is rendered and the browser is idle. Browsers don't retry
 * code that failed to load once, so if the server stopped, the other pages would become unavailable.
 */
export const preloadViews = (): void => {
  const rest = loaders.values();
  const loadNext = async (): Promise<void> => {
    for (const load of rest) await load().catch(() => undefined);
  };
  const loadAll = (): void => {
    for (let count = 0; count < LOADED_AT_ONCE; count++) void loadNext();
  };
  whenIdle(loadAll);
};

/**
 * A view whose code loads when it's first shown, or before. If that fails, the view says so and offers a way to
 * continue. `React.lazy` would crash the entire page instead. A `part` of a view fills the height of the space around
 * it, and its message is shorter. An `extra` is a control that nobody misses, so it waits until the browser is idle.
 */
export const lazyView = <P extends object>(
  load: () => Promise<ComponentType<P>>,
  extent: 'view' | 'part' | 'extra' = 'view',
): ComponentType<P> => {
  let loaded: ComponentType<P> | undefined;
  preloaded(load);
  return (props: P) => {
    const [View, setView] = useState<ComponentType<P> | undefined>(() => loaded);
    const [hasFailed, setHasFailed] = useState(false);
    useEffect(() => {
      if (View) return;
      let isGone = false;
      const start = (): void =>
        void load().then(
          (view) => {
            loaded = view;
            if (!isGone) setView(() => view);
          },
          () => isGone || setHasFailed(true),
        );
      if (extent === 'extra') whenIdle(start);
      else start();
      return () => {
        isGone = true;
      };
    }, [View]);
    if (View) return <View {...props} />;
    if (extent === 'extra') return null;
    if (!hasFailed) return <Loading />;
    return extent === 'part' ? <PartFailed /> : <ViewFailed />;
  };
};

const reload = (): void => window.location.reload();

const ViewFailed = () => (
  <EmptyState
    announce
    icon={CloudOff}
    title={shellWords.partFailed}
    hint={<p>{shellWords.partFailedHint}</p>}
  >
    <Button onClick={reload}>{shellWords.reload}</Button>
  </EmptyState>
);

const PartFailed = () => (
  <div className="flex h-full flex-col items-center justify-center gap-1 text-center">
    <div role="alert" className="mb-1 flex flex-col gap-1">
      <p className="font-medium">{shellWords.partFailed}</p>
      <p className="text-sm text-balance text-muted">{shellWords.partFailedHint}</p>
    </div>
    <Button size="small" onClick={reload}>
      {shellWords.reload}
    </Button>
  </div>
);
