import { createStore } from 'zustand/vanilla';

/** Storage for short strings. It never throws. */
export type TextStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Why the browser stores nothing for this page: it has no storage, refuses a write, or doesn't respond. */
export type StorageFailure = 'missing' | 'full' | 'silent';

/** How long the page waits for the browser's database. */
const STORAGE_LIMIT_MS = 3_000;

/** The first failure of the browser's storage, or null. The page shows it once. */
export const storageFailure = createStore<StorageFailure | null>(() => null);

const report = (failure: StorageFailure): void => {
  if (storageFailure.getState() === null) storageFailure.setState(failure, true);
};

/**
 * Wraps a browser storage. Reading the property itself throws if site data is blocked, so `find` is called each time.
 * Text that the browser refuses stays in memory as long as the page.
 */
export const createTextStorage = (
  find: () => Storage | undefined,
  onFailure: (failure: StorageFailure) => void = report,
): TextStorage => {
  /** Changes that the browser didn't accept. Null means a removal. */
  const memory = new Map<string, string | null>();
  const attempt = <T>(
    failure: StorageFailure,
    act: (storage: Storage) => T,
  ): { readonly result: T } | null => {
    try {
      const storage = find();
      if (storage) return { result: act(storage) };
      onFailure('missing');
    } catch {
      onFailure(failure);
    }
    return null;
  };
  return {
    getItem: (key) => {
      const kept = memory.get(key);
      return kept === undefined
        ? (attempt('missing', (storage) => storage.getItem(key))?.result ?? null)
        : kept;
    },
    setItem: (key, text) => {
      if (attempt('full', (storage) => storage.setItem(key, text))) memory.delete(key);
      else {
        memory.set(key, text);
        // An outdated value must not reappear after a reload.
        attempt('missing', (storage) => storage.removeItem(key));
      }
    },
    removeItem: (key) => {
      if (attempt('missing', (storage) => storage.removeItem(key))) memory.delete(key);
      else memory.set(key, null);
    },
  };
};

/** Stores strings that survive a reload, for as long as the tab or window is open. */
export const tabStorage: TextStorage = createTextStorage(() => globalThis.sessionStorage);

/** Stores strings for this address, shared by all of this browser's tabs. */
export const browserStorage: TextStorage = createTextStorage(() => globalThis.localStorage);

/** Rejects if `work` takes longer than {@link STORAGE_LIMIT_MS}. Its result is then ignored. */
export const withinStorageLimit = async <T>(work: Promise<T>, limitMs = STORAGE_LIMIT_MS): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      report('silent');
      reject(new Error('The browser’s storage doesn’t answer.'));
    }, limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

/** A database in the browser, opened on first use. */
export interface BrowserDatabase {
  /**
   * Runs one request in its own transaction. Rejects if the browser has no database, refuses the request, or doesn't
   * respond within {@link STORAGE_LIMIT_MS}.
   */
  readonly run: <T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>) => Promise<T>;
}

/** Names a database and its only object store. */
interface DatabaseOptions {
  readonly name: string;
  readonly store: string;
  readonly keyPath?: string[];
  /** Returns the browser's databases. Reading the property throws if site data is blocked. */
  readonly find?: () => IDBFactory | undefined;
}

/** Opens a database on first use, and reopens it if the connection is lost. */
export const createBrowserDatabase = ({
  name,
  store,
  keyPath,
  find = () => globalThis.indexedDB,
}: DatabaseOptions): BrowserDatabase => {
  let opened: Promise<IDBDatabase> | undefined;
  const forget = (): void => {
    opened = undefined;
  };

  const open = (): Promise<IDBDatabase> =>
    new Promise((resolve, reject) => {
      const factory = find();
      if (!factory) throw new Error('This browser has no database.');
      const request = factory.open(name, 1);
      request.onupgradeneeded = () =>
        void request.result.createObjectStore(store, keyPath ? { keyPath } : undefined);
      request.onsuccess = () => {
        const database = request.result;
        // A page of a newer version, which needs another layout, must not wait for this page.
        database.onversionchange = () => {
          database.close();
          forget();
        };
        database.onclose = forget;
        resolve(database);
      };
      request.onerror = () => reject(request.error ?? new Error('The browser couldn’t open its database.'));
    });

  const openOnce = (): Promise<IDBDatabase> => {
    opened ??= withinStorageLimit(open()).catch((error: unknown) => {
      forget();
      report('missing');
      throw error;
    });
    return opened;
  };

  return {
    run: async (mode, act) => {
      const database = await openOnce();
      const work = async () => {
        const transaction = database.transaction(store, mode);
        const request = act(transaction.objectStore(store));
        await new Promise<void>((resolve, reject) => {
          transaction.oncomplete = () => resolve();
          transaction.onabort = () =>
            reject(transaction.error ?? new Error('The browser refused to store it.'));
        });
        return request.result;
      };
      return withinStorageLimit(
        work().catch((error: unknown) => {
          report('full');
          throw error;
        }),
      );
    },
  };
};
