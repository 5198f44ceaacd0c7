import { workerData } from 'node:worker_threads';
import { listAgents } from '../../shared/api/agents.ts';
import { listExtensions, listSkills, listUsage } from '../../shared/api/catalog.ts';
import { listEntries } from '../../shared/api/entries.ts';
import { countLinks, links as linkEndpoints } from '../../shared/api/links.ts';
import { getLinkMatrix } from '../../shared/api/links-matrix.ts';
import { listPresets, readPreset } from '../../shared/api/presets.ts';
import { listProfiles } from '../../shared/api/profiles.ts';
import { searchPrompts } from '../../shared/api/search.ts';
import { createAgentsScan } from '../agents/scan-agents.ts';
import { createLocalSkillName } from '../catalog/local-skill-name.ts';
import { createExtensionsScan } from '../catalog/scan-extensions.ts';
import { createSkillsScan } from '../catalog/scan-skills.ts';
import { createEntriesScan } from '../files/scan-entries.ts';
import { type LinksQuestion, readLinks } from '../links/agent-links.ts';
import { createLinksScan } from '../links/link-counts.ts';
import { AppError, fromSystemError } from '../platform/app-error.ts';
import { etagOf } from '../platform/etag.ts';
import { isDirectoryThere } from '../platform/list-directory.ts';
import { createWatchedScan, type Look, type Scan } from '../platform/look.ts';
import { createRoot, rootUnavailable } from '../platform/root.ts';
import type { ScanAnswer, ScanQuestion } from '../platform/scanner.ts';
import { createSettledWatch } from '../platform/settled-watch.ts';
import { answerQuestions } from '../platform/thread.ts';
import { createPresetsScan, presetNotFound } from '../presets/scan-presets.ts';
import { createProfilesScan } from '../profiles/scan-profiles.ts';
import { createPromptSearch, type PromptSearch } from '../search/search-prompts.ts';

/**
 * Entry point of the scanner thread. It scans whole folders with blocking calls, which cost a tenth of
 * asynchronous ones and block nobody here. It also parses files, so that a hostile one can't hold up a
 * request. An unchanged answer is sent back as one word.
 */
const { rootPath, markerPath } = workerData as { rootPath: string; markerPath: string };
const root = createRoot(rootPath);
const watch = createSettledWatch(rootPath, markerPath);

const links = createLinksScan(root, createLocalSkillName(root));

const scanExtensions = createExtensionsScan(root);
const scanSkills = createSkillsScan(root);

const presetsIn = createPresetsScan(root);

/** A catalog outside the root has no entries. */
const namesOf = (list: () => readonly { name: string }[]): Set<string> => {
  try {
    return new Set(list().map(({ name }) => name));
  } catch (error) {
    if (error instanceof AppError && error.code === 'outside_root') return new Set();
    throw error;
  }
};

const scanPresets = (at: Look) =>
  presetsIn(
    {
      skills: namesOf(() => scanSkills(at).skills),
      extensions: namesOf(() => scanExtensions(at).extensions),
    },
    at,
  );

const scanAgents = createAgentsScan(root);
const scanProfiles = createProfilesScan(root);

const watched = <T>(scan: Scan<T>) => createWatchedScan(scan, watch);

const scans = {
  agents: watched(scanAgents),
  extensions: watched(scanExtensions),
  skills: watched(scanSkills),
  profiles: watched(scanProfiles),
  linkCounts: watched(links.counts),
  extensionsUsage: watched((at) => links.usage('extensions', at)),
  skillsUsage: watched((at) => links.usage('skills', at)),
  extensionsMatrix: watched((at) => links.matrix('extensions', scanExtensions(at).extensions, at)),
  skillsMatrix: watched((at) => links.matrix('skills', scanSkills(at).skills, at)),
  presets: watched(scanPresets),
} as const;

const schemas = {
  agents: listAgents.success.body,
  extensions: listExtensions.success.body,
  skills: listSkills.success.body,
  profiles: listProfiles.success.body,
  linkCounts: countLinks.success.body,
  extensionsUsage: listUsage.extensions.success.body,
  skillsUsage: listUsage.skills.success.body,
  extensionsMatrix: getLinkMatrix.success.body,
  skillsMatrix: getLinkMatrix.success.body,
  presets: listPresets.success.body,
} as const;

const isScan = (name: string): name is keyof typeof scans => Object.hasOwn(scans, name);

/** The scans and what each returns. */
export type Scans = { [N in keyof typeof scans]: ReturnType<(typeof scans)[N]['run']> };

const search = createPromptSearch(root);
const entriesOf = createEntriesScan(root);

/** A question that isn't the name of a scan. */
export type Asked =
  | PromptSearch
  | LinksQuestion
  | { readonly entriesOf: string }
  | { readonly preset: string };

const listLinks = { extensions: linkEndpoints.extensions.list, skills: linkEndpoints.skills.list };

const lastSent = new Map<string, unknown>();

/** In a buffer of their own. */
const encode = (value: unknown): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(value));

const scan = async (name: string): Promise<ScanAnswer> => {
  if (!isScan(name)) throw new Error(`there is no scan "${name}"`);
  const isSettled = (await watch?.settle()) ?? false;
  if (!isDirectoryThere(root.path)) throw rootUnavailable();
  const value = scans[name].run(isSettled);
  if (lastSent.get(name) === value) return { kind: 'same' };
  // Serialize here, where it blocks nobody. For a large root, this takes tens of milliseconds.
  const json = encode(schemas[name].parse(value));
  lastSent.set(name, value);
  return { kind: 'value', json, etag: etagOf(json) };
};

const answerTo = async (question: Asked): Promise<ScanAnswer> => {
  if (!isDirectoryThere(root.path)) throw rootUnavailable();
  if ('preset' in question) {
    const isSettled = (await watch?.settle()) ?? false;
    const found = scans.presets.run(isSettled).presets.find(({ name }) => name === question.preset);
    if (!found) throw presetNotFound(question.preset);
    return { kind: 'value', json: encode(readPreset.success.body.parse(found)) };
  }
  if ('linksOf' in question) {
    const { entries, signature } = readLinks(root, question, Date.now());
    const json = encode(listLinks[question.kind].success.body.parse({ entries }));
    return { kind: 'value', json, headerFields: { signature } };
  }
  const value =
    'entriesOf' in question
      ? listEntries.success.body.parse(await entriesOf(question.entriesOf))
      : searchPrompts.success.body.parse(await search(question, Date.now));
  return { kind: 'value', json: encode(value) };
};

const problemOf = (error: unknown): ScanAnswer => {
  // Convert the error here, because it loses its code when it crosses threads.
  const known = error instanceof AppError ? error : fromSystemError(error);
  if (known) return { kind: 'problem', code: known.code, message: known.message };
  return { kind: 'error', error };
};

/** Agents in which something changed that a scan may not see. Null means all. */
export interface ChangedAgents {
  readonly changedAgents: readonly string[] | null;
}

const isChangedAgents = (message: object): message is ChangedAgents => 'changedAgents' in message;

const answer = (question: ScanQuestion): ScanAnswer | Promise<ScanAnswer> => {
  if (typeof question !== 'string' && isChangedAgents(question)) {
    for (const [scanned, again] of [
      [scans.agents, scanAgents],
      [scans.profiles, scanProfiles],
    ] as const) {
      again.lookAgain(question.changedAgents);
      scanned.lookAgain();
    }
    return { kind: 'same' };
  }
  return (typeof question === 'string' ? scan(question) : answerTo(question as Asked)).catch(problemOf);
};

answerQuestions(answer, (answered) => (answered.kind === 'value' ? answered.json : undefined));
