import type { openComparison } from './open-comparison.ts';
import type { openEditor } from './open-editor.ts';

/** A part of the editor that is loaded on demand. */
export interface Chunk<T> {
  readonly get: () => T | undefined;
  /** Loads the chunk unless it's loaded. A call after a failure retries. */
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

/** The editor that compares two versions of a file. */
export const comparisonChunk: Chunk<typeof openComparison> = createChunk(() =>
  import('./open-comparison.ts').then((module) => module.openComparison),
);

/** Fetches the editor in parallel with the first file. Opening the editor reports any failure. */
export const preloadEditor = (): void => {
  editorChunk.load().catch(() => {});
};
