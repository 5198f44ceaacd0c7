import type { QueryClient } from '@tanstack/react-query';
import { withAgentFileModel } from '../../../pi/agent-md.ts';
import { settingsWithModel, withModel } from '../../../pi/model-in-pi-args.ts';
import type { ChangeItemInput } from '../../../shared/api/changes.ts';
import { readFile } from '../../../shared/api/files.ts';
import type { AgentProfile } from '../../../shared/api/profiles.ts';
import { ApiError, call } from '../api/client.ts';
import { fileQuery, profilesQuery } from '../api/queries.ts';
import { makeChangeSet } from '../changes/change-sets.ts';
import type { Made } from '../changes/changes.ts';
import { type Failure, runEach } from '../changes/run-each.ts';
import { type Draft, drafts, type FileVersion } from '../drafts/drafts.ts';
import { models as words } from '../strings/models.ts';

/** The text files that can name a model. */
type ModelFile = 'pi-args' | 'AGENT.md';

/** A text file that gets another model. */
interface PlannedText {
  readonly file: ModelFile;
  readonly before: FileVersion;
  readonly content: string;
}

interface PlannedModel {
  readonly id: string;
  /** Null if the agent has that model already. */
  readonly item: ChangeItemInput | null;
  readonly text: PlannedText | null;
}

const read = async (id: string, file: ModelFile): Promise<FileVersion> => {
  try {
    const { content, etag } = await call(readFile, { params: { id }, query: { path: file } });
    return { content, etag };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'file_not_found') return { content: '', etag: null };
    throw error;
  }
};

/** Returns the edits of a settings.json that names a model. */
const settingsEdits = ({ name, thinking }: NonNullable<AgentProfile['model']>, wanted: string) => {
  const current = thinking === undefined ? name : `${name}:${thinking}`;
  const { defaultProvider, defaultModel } = settingsWithModel(current, wanted);
  return [
    ...(defaultProvider === undefined ? [] : [{ path: ['defaultProvider'], value: defaultProvider }]),
    { path: ['defaultModel'], value: defaultModel },
  ];
};

const planText = async (id: string, file: ModelFile, name: string): Promise<PlannedText | null> => {
  const before = await read(id, file);
  const content = textWith(file, before.content, name);
  return content === undefined ? null : { file, before, content };
};

/** Returns a file's text with another model. Undefined if the file can't name it. */
const textWith = (file: ModelFile, text: string, name: string): string | undefined =>
  file === 'pi-args' ? withModel(text, name) : withAgentFileModel(text, name);

/** Plans the change where the agent's model is now, so that no file names a model that isn't used. */
const plan = async (id: string, name: string, model: AgentProfile['model']): Promise<PlannedModel> => {
  if (model?.source === 'settings.json') {
    const edits = settingsEdits(model, name);
    return { id, item: { agent: id, json: 'settings.json', edits }, text: null };
  }
  const text =
    (model?.source === 'AGENT.md' ? await planText(id, 'AGENT.md', name) : null) ??
    (await planText(id, 'pi-args', name));
  if (!text || text.content === text.before.content) return { id, item: null, text: null };
  const { file, before, content } = text;
  const condition = before.etag === null ? { ifNoneMatch: '*' as const } : { ifMatch: before.etag };
  return { id, item: { agent: id, file, content, ...condition }, text };
};

/** The unsaved text of a changed file, before and after. */
interface ChangedDraft {
  readonly before: Draft;
  readonly after: Draft['text'];
}

/** Shows the file on disk, and returns it if its text is the expected one. */
const readAgain = async (
  client: QueryClient,
  id: string,
  file: ModelFile,
): Promise<FileVersion | undefined> => {
  // A text that can't be read leaves the draft as it is. Saving it then asks which version to keep.
  const found = await client.fetchQuery({ ...fileQuery(id, file), staleTime: 0 }).catch(() => undefined);
  return found && { content: found.content, etag: found.etag };
};

/** Makes the same change in the unsaved text, so that saving it later doesn't restore the old model. */
const changeDraft = async (
  client: QueryClient,
  { id, text }: PlannedModel,
  name: string,
): Promise<ChangedDraft[]> => {
  const draft = text && drafts.get(id, text.file);
  if (!draft || draft.saving || draft.base.etag !== text.before.etag) return [];
  const base = await readAgain(client, id, text.file);
  const after = textWith(text.file, String(draft.text), name);
  if (base?.content !== text.content || after === undefined) return [];
  drafts.patch(id, text.file, { text: after, base });
  return [{ before: draft, after }];
};

/** Follows an undo or redo in unsaved text. Keeps what was typed since. */
const revertDraft = async (
  client: QueryClient,
  { before, after }: ChangedDraft,
  isUndone: boolean,
): Promise<void> => {
  const { id, file } = before;
  const [from, to] = isUndone ? [after, before.text] : [before.text, after];
  if (drafts.get(id, file)?.text !== from) return;
  const base = await readAgain(client, id, file as ModelFile);
  if (base) drafts.patch(id, file, { text: to, base });
};

/** What became of a change of models. */
export interface ChangedModels {
  /** The number of agents that use the model now. */
  readonly done: number;
  readonly failures: readonly Failure<string>[];
  readonly drafts: readonly ChangedDraft[];
}

/** Another program may write a file at the same time. Each attempt rereads it and keeps the other's change. */
const ATTEMPTS = 3;

/** Sets the model of agents in one change. Rejects with an `ApiError`. */
export const changeModels = async (
  client: QueryClient,
  ids: readonly string[],
  name: string,
): Promise<Made<ChangedModels>> => {
  const profiles = await client.fetchQuery({ ...profilesQuery(), staleTime: 0 });
  const models = new Map(profiles.map((profile) => [profile.id, profile.model]));
  const [only] = ids;
  const label =
    ids.length === 1 && only !== undefined ? words.set(only, name) : words.setAll(ids.length, name);
  const failures: Failure<string>[] = [];
  const changedDrafts: ChangedDraft[] = [];
  const changes: string[] = [];
  let open = ids;
  for (let attempt = 1; open.length > 0 && attempt <= ATTEMPTS; attempt++) {
    const planned = await runEach(open, (id) => plan(id, name, models.get(id)));
    failures.push(...planned.failures);
    const changing = planned.results.flatMap((one) => (one.item ? [{ ...one, item: one.item }] : []));
    open = [];
    if (changing.length === 0) break;
    const { body, change } = await makeChangeSet(
      label,
      changing.map(({ item }) => item),
    );
    changes.push(...change);
    const again: string[] = [];
    for (const [index, one] of changing.entries()) {
      const refusal = body.refused.get(index);
      if (!refusal) changedDrafts.push(...(await changeDraft(client, one, name)));
      else if (refusal.code === 'file_changed' && attempt < ATTEMPTS) again.push(one.id);
      else failures.push({ item: one.id, error: new Error(refusal.error) });
    }
    open = again;
  }
  const done = ids.length - failures.length;
  return { body: { done, failures, drafts: changedDrafts }, change: changes };
};

/** Follows an undo or redo of {@link changeModels} in unsaved text. */
export const revertDrafts = (client: QueryClient, changed: ChangedModels, isUndone: boolean): void => {
  for (const draft of changed.drafts) void revertDraft(client, draft, isUndone);
};
