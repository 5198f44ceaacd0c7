import { SETTINGS_FILE } from '../../pi/agent-model.ts';
import { readSwitches, type Switches } from '../../pi/switched-off.ts';
import { byKind, type LinkKind } from '../../shared/api/names.ts';
import { createAgentList } from '../agents/agent-list.ts';
import { createCatalogScans } from '../catalog/catalog-scans.ts';
import { createLocalNames } from '../catalog/local-names.ts';
import { createChecksScan } from '../checks/checks-scan.ts';
import { createLinkViews } from '../links/link-views.ts';
import { createMatrixScan } from '../links/scan-matrix.ts';
import { agentServers, mcpOverview } from '../mcp/mcp-overview.ts';
import { AppError } from '../platform/app-error.ts';
import { createPresetsScan } from '../presets/scan-presets.ts';
import { agentProfile } from '../profiles/agent-profile.ts';
import type { FilesPlace } from '../root-model/agent-file.ts';
import type { ScanContext } from '../root-model/coverage.ts';
import { createMemo, type Kept, ownCopy } from '../root-model/kept.ts';
import { createLinkFolders } from '../root-model/link-folders.ts';
import type { PathRecord } from '../root-model/path-record.ts';
import { type AgentReading, createReadAgents } from '../root-model/read-agents.ts';
import { createRootEntries } from '../root-model/root-entries.ts';

/** What the views of a root depend on in addition to the root. */
interface ViewsOptions {
  readonly homeDirectory: string;
  /** Reads the names of models with prices. Undefined if the file can't be read. */
  readonly modelNames: (record: PathRecord) => readonly string[] | undefined;
}

const hasSwitches = (switches: Switches): boolean =>
  Object.values(switches).some((rules) => rules !== undefined);

/** Returns what the lists keep of an agent's small files. */
const keptOf = (agent: AgentReading) => {
  const switches = readSwitches(agent.text(SETTINGS_FILE));
  return {
    id: agent.id,
    profile: ownCopy(agentProfile(agent)),
    servers: ownCopy(agentServers(agent)),
    switches: hasSwitches(switches) ? switches : undefined,
    unread: agent.unread(),
  };
};
type KeptAgent = ReturnType<typeof keptOf>;

/** A catalog outside the root has no entries. */
const namesOf = (list: () => readonly { name: string }[]): Set<string> => {
  try {
    return new Set(list().map(({ name }) => name));
  } catch (error) {
    if (error instanceof AppError && error.code === 'outside_root') return new Set();
    throw error;
  }
};

/**
 * Creates what the lists of the API say about a root: one function for each list, which returns the same object until
 * its content changes. They share what was read. Blocks.
 */
export const createRootViews = (files: FilesPlace, { homeDirectory, modelNames }: ViewsOptions) => {
  const { root, etagOf } = files;
  const entries = createRootEntries(root);
  const catalog = createCatalogScans(root, entries);
  const links = createLinkFolders(root, entries);
  const linkViews = createLinkViews(links);
  const localNames: Partial<Record<LinkKind, Kept<string>>> = createLocalNames(root);
  const checks = createChecksScan(files, entries, links, homeDirectory, modelNames);
  const readAgents = createReadAgents(files, homeDirectory, keptOf);
  const agentsNow = (at: ScanContext) => readAgents(entries.agents(at), at);
  const presetsIn = createPresetsScan(root, etagOf);

  const toProfiles = createMemo((agents: readonly KeptAgent[]) => ({
    agents: agents.flatMap(({ profile }) => profile ?? []),
  }));
  const toServers = createMemo((agents: readonly KeptAgent[]) =>
    mcpOverview(agents.map(({ servers }) => servers)),
  );
  const toSwitches = createMemo(
    (agents: readonly KeptAgent[]) =>
      new Map(agents.flatMap(({ id, switches }) => (switches ? [[id, switches] as const] : []))),
  );

  const usageOf = (kind: LinkKind) => (at: ScanContext) => linkViews.usage(kind, at);
  const matrixOf = (kind: LinkKind) => {
    const scan = createMatrixScan(root, kind, localNames[kind]);
    return (at: ScanContext) => {
      const shared = links.sharedInside(kind, at);
      return scan(catalog.entries[kind](at), links.agents(at), toSwitches(agentsNow(at)), shared, at);
    };
  };

  return {
    views: {
      agents: createAgentList(root, entries),
      extensions: catalog.scans.extensions,
      skills: catalog.scans.skills,
      prompts: catalog.scans.prompts,
      themes: catalog.scans.themes,
      profiles: (at: ScanContext) => toProfiles(agentsNow(at)),
      linkCounts: linkViews.counts,
      extensionsUsage: usageOf('extensions'),
      skillsUsage: usageOf('skills'),
      promptsUsage: usageOf('prompts'),
      themesUsage: usageOf('themes'),
      extensionsMatrix: matrixOf('extensions'),
      skillsMatrix: matrixOf('skills'),
      promptsMatrix: matrixOf('prompts'),
      themesMatrix: matrixOf('themes'),
      mcpServers: (at: ScanContext) => toServers(agentsNow(at)),
      presets: (at: ScanContext) =>
        presetsIn(
          byKind((kind) => namesOf(() => catalog.entries[kind](at))),
          at,
        ),
      findingCounts: checks.counts,
    },
    checks,
  };
};
