import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  type DraftInfo,
  deleteDraft,
  listDrafts,
  MAX_DRAFT_BYTES,
  MAX_DRAFTS,
  readDraft,
  type StoredDraft,
  writeDraft,
} from '../../shared/api/drafts.ts';
import type { EventData } from '../../shared/api/events.ts';
import type { Base, Feature } from '../feature.ts';
import { AppError } from '../platform/app-error.ts';
import { createKeyedLock } from '../platform/keyed-lock.ts';
import { createDraftStore, type DraftKey, type DraftStore } from './draft-store.ts';

/** Keeps the page's unsaved text across reloads, browsers and restarts. */
interface DraftsService {
  /** Newest first. */
  list(): Promise<DraftInfo[]>;
  /** Throws `draft_not_found`. */
  read(key: DraftKey): Promise<StoredDraft>;
  /**
   * Stores a draft and returns its version. Removes the draft in `replaces` if it still has that version. Throws
   * `file_too_large` and `too_many_drafts`.
   */
  write(
    draft: Omit<StoredDraft, 'version'>,
    replaces?: { writer: string; version: string } | undefined,
  ): Promise<string>;
  /** Succeeds if there is no draft. Throws `draft_changed` if its version differs. */
  remove(key: DraftKey, version: string): Promise<void>;
}

interface DraftsDeps {
  store: DraftStore;
  publish(data: EventData<'drafts'>): void;
}

/** The size limit for all drafts in a root, including the text that each one started from. */
const MAX_TOTAL_BYTES = 128 * 1024 * 1024;

const keyOf = ({ agentId, path, writer }: DraftKey): string => `${agentId}/${path}/${writer}`;

/** Creates a root's service. It reads the directory on first use, and nothing else writes there. */
const createDraftsService = ({ store, publish }: DraftsDeps): DraftsService => {
  const lock = createKeyedLock();
  let known: Promise<Map<string, { info: DraftInfo; bytes: number }>> | undefined;

  const load = async () =>
    new Map((await store.readAll()).map((entry) => [keyOf(entry.info), entry] as const));
  const entries = () => {
    known ??= load().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
  /** Runs one change at a time, so that the limits hold. */
  const change = <T>(task: (all: Awaited<ReturnType<typeof load>>) => Promise<T>): Promise<T> =>
    lock.run('drafts', async () => task(await entries()));

  return {
    async list() {
      const all = [...(await entries()).values()].map(({ info }) => info);
      return all.sort((a, b) => (a.typedAt < b.typedAt ? 1 : -1));
    },

    async read(key) {
      const draft = (await entries()).has(keyOf(key)) ? await store.read(key) : undefined;
      if (draft) return draft;
      throw new AppError('draft_not_found', 'This draft was saved or discarded. Reload the list.');
    },

    write: (draft, replaces) =>
      change(async (all) => {
        const key = keyOf(draft);
        const textBytes = Buffer.byteLength(draft.text);
        const bytes = textBytes + Buffer.byteLength(draft.base.content);
        if (textBytes > MAX_DRAFT_BYTES) {
          throw new AppError(
            'file_too_large',
            `The unsaved text of ${draft.path} is larger than the limit of 4 MiB. Shorten it.`,
          );
        }
        const before = all.get(key);
        let total = bytes - (before?.bytes ?? 0);
        for (const entry of all.values()) total += entry.bytes;
        if (total > MAX_TOTAL_BYTES || (!before && all.size >= MAX_DRAFTS)) {
          throw new AppError(
            'too_many_drafts',
            `dot-mi keeps at most ${MAX_DRAFTS} drafts and 128 MiB of unsaved text per root. Save or discard some.`,
          );
        }
        const version = randomUUID();
        const { text: _text, base: _base, ...info } = { ...draft, version };
        await store.write({ ...draft, version });
        all.set(key, { info, bytes });
        const other = replaces && { ...draft, writer: replaces.writer };
        if (other && keyOf(other) !== key && all.get(keyOf(other))?.info.version === replaces.version) {
          await store.remove(other);
          all.delete(keyOf(other));
        }
        publish({ ids: [draft.agentId], writer: draft.writer });
        return version;
      }),

    remove: (key, version) =>
      change(async (all) => {
        const entry = all.get(keyOf(key));
        if (!entry) return;
        if (entry.info.version !== version) {
          throw new AppError(
            'draft_changed',
            'Another window or browser tab has changed this draft in the meantime, so it was not discarded. Reload it, then decide whether to discard it.',
          );
        }
        await store.remove(key);
        all.delete(keyOf(key));
        publish({ ids: [key.agentId], writer: null });
      }),
  };
};

/** Creates the feature for the page's drafts, stored in `data/drafts`. */
export const createDrafts = ({
  config,
  root,
  publish,
  logger,
}: Pick<Base, 'config' | 'root' | 'publish' | 'logger'>): Feature => {
  const drafts = createDraftsService({
    store: createDraftStore(join(config.dataDirectory, 'data', 'drafts', root.id), logger),
    publish: (data) => publish({ name: 'drafts', data }),
  });
  return {
    routes(bind) {
      bind(listDrafts, async () => ({ drafts: await drafts.list() }));
      bind(readDraft, ({ params, query }) =>
        drafts.read({ agentId: params.id, writer: params.writer, path: query.path }),
      );
      bind(writeDraft, async ({ params, body: { replaces, ...body } }) => ({
        version: await drafts.write({ agentId: params.id, writer: params.writer, ...body }, replaces),
      }));
      bind(deleteDraft, async ({ params, query: { path, version } }) => {
        await drafts.remove({ agentId: params.id, writer: params.writer, path }, version);
        return { ok: true as const };
      });
    },
  };
};
