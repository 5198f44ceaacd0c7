import { workerData } from 'node:worker_threads';
import { SETTINGS_FILE } from '../../pi/agent-model.ts';
import { listAgents } from '../../shared/api/agents.ts';
import {
  listExtensions,
  listPromptTemplates,
  listSkills,
  listThemes,
  listUsage,
  readEntryText,
} from '../../shared/api/catalog.ts';
import { checkAgent, checkSharedSkill, countFindings } from '../../shared/api/checks.ts';
import { listEntries } from '../../shared/api/entries.ts';
import { readFile } from '../../shared/api/files.ts';
import { countLinks, getLinkMatrix, links as linkEndpoints } from '../../shared/api/links.ts';
import { listMcp } from '../../shared/api/mcp.ts';
import type { WrittenFile } from '../../shared/api/names.ts';
import { listPresets, readPreset } from '../../shared/api/presets.ts';
import { listProfiles } from '../../shared/api/profiles.ts';
import { searchPrompts } from '../../shared/api/search.ts';
import { type EntryTextQuestion, entryTextOf } from '../catalog/entry-text.ts';
import type { CheckQuestion } from '../checks/checks.service.ts';
import { newBudget, readRecorded } from '../checks/read/read-file.ts';
import { scanEntries } from '../entries/scan-entries.ts';
import { followRoot } from '../events/follow-root.ts';
import type { FollowMessage, FollowQuestion } from '../events/root-watch.ts';
import type { OtherSessions } from '../events/watch-sessions.ts';
import type { FilesQuestion } from '../files/files.service.ts';
import { type LinksQuestion, readLinks } from '../links/agent-links.ts';
import { hasSignIns } from '../mcp/sign-ins.ts';
import { installedPackages, type PackagesQuestion } from '../packages/installed-packages.ts';
import { requireAgentSync } from '../platform/agent-directory.ts';
import { type BodyResponse, problemOf } from '../platform/body-thread.ts';
import { ANYONE_READER, type Reader } from '../platform/caller.ts';
import { createEtagOf } from '../platform/etag.ts';
import { isDirectoryThere } from '../platform/list-directory.ts';
import { createRoot, rootUnavailable } from '../platform/root.ts';
import { handleRequests, tellMainThread } from '../platform/thread.ts';
import { presetNotFound } from '../presets/scan-presets.ts';
import { parseModels } from '../pricing/parse-models.ts';
import {
  createSignInFilesLook,
  type SignInFilesQuestion,
  signInFilesOf,
} from '../readiness/sign-in-files.ts';
import { type FileSnapshot, fileIn, readAgentFile, readFileInfos } from '../root-model/agent-file.ts';
import { createWatchedScan, type Scan } from '../root-model/coverage.ts';
import { answerSeen, type SeenQuestion } from '../root-model/seen-states.ts';
import { createRootWatch } from '../root-model/watch.ts';
import { createPromptSearch, type PromptSearch } from '../search/search-prompts.ts';
import { mayReadNamed, sessionsElsewhere } from '../sessions/session-dir.ts';
import { createRootViews } from './root-views.ts';

/** The disk thread's startup data. */
export interface DiskThreadData {
  readonly rootPath: string;
  /** The key of the files' ETags. */
  readonly installationKey: string;
  /** A directory of ours. Once the watch reports a change here, it has reported all earlier changes. */
  readonly markerPath: string;
  readonly homeDirectory: string;
  readonly modelPricingPath: string;
  /** Session directories outside the root. */
  readonly sessionDirectories: readonly OtherSessions[];
}

/**
 * Entry point of the disk thread. It scans the root with blocking calls, which cost a tenth of asynchronous ones and
 * block nothing else here. It also parses files and checks agents, so that a hostile file can't hold up a request. An
 * unchanged response is sent back as one word.
 */
const { rootPath, installationKey, markerPath, homeDirectory, modelPricingPath, sessionDirectories } =
  workerData as DiskThreadData;
const root = createRoot(rootPath);
const etagOf = createEtagOf(installationKey);
const files = { root, etagOf };
const watch = createRootWatch(rootPath, markerPath);

const MAX_MODELS_CHARACTERS = 2 * 1024 * 1024;

const { views, checks } = createRootViews(files, {
  homeDirectory,
  modelNames(record) {
    const file = readRecorded(modelPricingPath, record, {
      ...newBudget(),
      characters: MAX_MODELS_CHARACTERS,
    });
    const models = file.kind === 'text' ? parseModels(file.text).models : undefined;
    return models && [...models.keys()];
  },
});

/** What each list looks like in a response. */
const schemas = {
  agents: listAgents.success.body,
  extensions: listExtensions.success.body,
  skills: listSkills.success.body,
  prompts: listPromptTemplates.success.body,
  themes: listThemes.success.body,
  profiles: listProfiles.success.body,
  linkCounts: countLinks.success.body,
  extensionsUsage: listUsage.extensions.success.body,
  skillsUsage: listUsage.skills.success.body,
  promptsUsage: listUsage.prompts.success.body,
  themesUsage: listUsage.themes.success.body,
  extensionsMatrix: getLinkMatrix.success.body,
  skillsMatrix: getLinkMatrix.success.body,
  promptsMatrix: getLinkMatrix.success.body,
  themesMatrix: getLinkMatrix.success.body,
  mcpServers: listMcp.success.body,
  presets: listPresets.success.body,
  findingCounts: countFindings.success.body,
} as const satisfies Record<keyof typeof views, unknown>;

/** The lists of the root. */
export type Lists = { [N in keyof typeof views]: Awaited<ReturnType<(typeof views)[N]>> };

const isList = (name: string): name is keyof Lists => Object.hasOwn(views, name);

const watched = <N extends keyof Lists>(name: N) =>
  createWatchedScan<Lists[N]>(views[name] as Scan<Lists[N]>, watch, {
    ...(name === 'findingCounts' ? { dependsOn: checks.facts } : {}),
  });

const lists = Object.fromEntries(
  Object.keys(views)
    .filter(isList)
    .map((name) => [name, watched(name)]),
) as { readonly [N in keyof Lists]: ReturnType<typeof watched<N>> };

const search = createPromptSearch(files);

const lookAtSignInFiles = createSignInFilesLook(root);

/** A request that isn't a list's name. */
export type Asked =
  | PromptSearch
  | LinksQuestion
  | FilesQuestion
  | CheckQuestion
  | FollowQuestion
  | EntryTextQuestion
  | PackagesQuestion
  | SignInFilesQuestion
  | SeenQuestion
  | { readonly entriesOf: string; readonly reader: Reader }
  | { readonly requireAgent: string }
  | { readonly hasSignIns: string }
  | { readonly preset: string };

const lastSent = new Map<string, unknown>();

/** Encodes a value as JSON, in its own buffer. */
const encode = (value: unknown): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(value));

const list = async (name: string): Promise<BodyResponse> => {
  if (!isList(name)) throw new Error(`there is no list "${name}"`);
  const isCaughtUp = (await watch?.catchUp()) ?? false;
  if (!isDirectoryThere(root.path)) throw rootUnavailable();
  const value = await lists[name].run(isCaughtUp);
  if (lastSent.get(name) === value) return { kind: 'same' };
  // Serialize here, where it blocks nothing else. For a large root, this takes tens of milliseconds.
  const json = encode(schemas[name].parse(value));
  lastSent.set(name, value);
  return { kind: 'value', json, etag: etagOf(json) };
};

const snapshotOf = (id: string, name: WrittenFile, reader: Reader): FileSnapshot => {
  const snapshot = readAgentFile(files, id, name, reader);
  if (!snapshot) throw new Error('a link was not followed');
  return snapshot;
};

const check = async (question: CheckQuestion): Promise<unknown> => {
  switch (question.check) {
    case 'agent':
      return checkAgent.success.body.parse(await checks.agent(question.id, question.reader));
    case 'skill':
      return checkSharedSkill.success.body.parse(checks.skill(question.name, question.reader));
    case 'plan':
      return checks.plan(question.id, question.places, question.reader);
  }
};

const respondTo = async (question: Exclude<Asked, FollowQuestion>): Promise<BodyResponse> => {
  if (!isDirectoryThere(root.path)) throw rootUnavailable();
  if ('preset' in question) {
    const isCaughtUp = (await watch?.catchUp()) ?? false;
    const { presets } = await lists.presets.run(isCaughtUp);
    const found = presets.find(({ name }) => name === question.preset);
    if (!found) throw presetNotFound(question.preset);
    return { kind: 'value', json: encode(readPreset.success.body.parse(found)) };
  }
  if ('check' in question) return { kind: 'value', json: encode(await check(question)) };
  if ('fileOf' in question) {
    const { fileOf: id, name, reader } = question;
    const file = readFile.success.body.parse(fileIn(snapshotOf(id, name, reader), name));
    return { kind: 'value', json: encode(file), headerFields: { etag: file.etag } };
  }
  if ('snapshotOf' in question) {
    const { snapshotOf: id, name, reader } = question;
    return { kind: 'value', json: encode(snapshotOf(id, name, reader)) };
  }
  if ('infosOf' in question)
    return { kind: 'value', json: encode(readFileInfos(files, question.infosOf, question.reader)) };
  if ('linksOf' in question) {
    const entries = readLinks(root, question, () => {
      const settings = readAgentFile(files, question.linksOf, SETTINGS_FILE, ANYONE_READER);
      return settings?.kind === 'text' ? settings.file.content : undefined;
    });
    return { kind: 'value', json: encode(linkEndpoints[question.kind].list.success.body.parse({ entries })) };
  }
  if ('requireAgent' in question)
    return { kind: 'value', json: encode(requireAgentSync(root, question.requireAgent)) };
  if ('signInFilesOf' in question)
    return { kind: 'value', json: encode(signInFilesOf(root, question.signInFilesOf)) };
  if ('signInFiles' in question) return { kind: 'value', json: encode(lookAtSignInFiles()) };
  if ('packagesOf' in question)
    return { kind: 'value', json: encode(installedPackages(root, question, homeDirectory)) };
  if ('hasSignIns' in question) return { kind: 'value', json: encode(hasSignIns(root, question.hasSignIns)) };
  if ('seenIn' in question || 'seenChanges' in question || 'seen' in question)
    return { kind: 'value', json: encode(answerSeen(files, question, Date.now())) };
  if ('textOf' in question)
    return {
      kind: 'value',
      json: encode(readEntryText[question.kind].success.body.parse(entryTextOf(root, question))),
    };
  const value =
    'entriesOf' in question
      ? listEntries.success.body.parse(scanEntries(root, question.entriesOf, question.reader))
      : searchPrompts.success.body.parse(await search(question, Date.now));
  return { kind: 'value', json: encode(value) };
};

let endFollowing: (() => void) | undefined;

const follow = (isFollowed: boolean) => {
  endFollowing?.();
  endFollowing = undefined;
  if (!isFollowed) return;
  const followed = {
    root,
    sessionDirectories,
    otherSessions: (agent: string) => sessionsElsewhere(root, root.agent(agent), homeDirectory),
    mayReadNamed: (path: string) => mayReadNamed(root, path),
  };
  endFollowing = followRoot(followed, {
    changed(events) {
      tellMainThread({ events } satisfies FollowMessage);
    },
    exhausted: () => tellMainThread('exhausted' satisfies FollowMessage),
  });
};

const response = async (question: string | Asked): Promise<BodyResponse> => {
  if (typeof question === 'string') return list(question);
  if ('follow' in question) {
    follow(question.follow);
    return { kind: 'same' };
  }
  return respondTo(question);
};

handleRequests(
  (question: string | Asked) => response(question).catch(problemOf),
  (outcome) => (outcome.kind === 'value' ? outcome.json : undefined),
);
