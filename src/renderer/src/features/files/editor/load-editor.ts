import type { openComparison } from './open-comparison.ts';
import type { openEditor } from './open-editor.ts';

/** What a chunk of the editor is: there, on its way, or not to be had. */
export interface Chunk<T> {
  readonly get: () => T | undefined;
  /** Loads it if it is not there; a failed attempt does not stop the next one. */
  readonly load: () => Promise<T>;
}

const createChunk = <T>(load: () => Promise<T>): Chunk<T> => {
  let loaded: T | undefined;
  let loading: Promise<T> | undefined;
  return {
    get: () => loaded,
    load: () => {
      loading ??= load().then(
        (value) => {
          loaded = value;
          return value;
        },
        (error: unknown) => {
          loading = undefined;
          throw error;
        },
      );
      return loading;
    },
  };
};

/** The editor: CodeMirror with Markdown and YAML. */
export const editorChunk: Chunk<typeof openEditor> = createChunk(() =>
  import('./open-editor.ts').then((module) => module.openEditor),
);

/** The comparison of two texts, on top of the editor. */
export const comparisonChunk: Chunk<typeof openComparison> = createChunk(() =>
  import('./open-comparison.ts').then((module) => module.openComparison),
);

/** Fetches the editor beside the first file; what goes wrong is said where the editor is opened. */
export const preloadEditor = (): void => {
  editorChunk.load().catch(() => {});
};
