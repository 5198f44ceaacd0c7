import {
  decodeCells,
  isLinkedState,
  type LinkChanges,
  type LinkMatrix,
  stateOf,
} from '../../shared/api/links.ts';
import { isLinkName, LINK_KINDS, type LinkKind } from '../../shared/api/names.ts';
import type { AppliedPreset, PresetContent } from '../../shared/api/presets.ts';
import type { ChangeItem, Changes, Outcome } from '../platform/changes.ts';
import type { PreparedBody } from '../platform/prepared-body.ts';

/** Items of a change set, and what their outcomes mean. */
interface Plan<Results> {
  readonly items: readonly ChangeItem[];
  results(outcomes: readonly Outcome[]): Results;
}

/** Dependencies of {@link createApply}. */
export interface ApplyDeps {
  /** Plans to change links. Each change has its own result. */
  planLinks(changes: LinkChanges): Plan<Pick<AppliedPreset, 'link' | 'unlink'>>;
  /** Plans to add MCP servers. Each one has its own result. */
  planServers(
    agents: readonly string[],
    servers: PresetContent['mcpServers'],
  ): Plan<AppliedPreset['mcp']['agents']>;
  readonly changes: Pick<Changes, 'apply'>;
  /** Reads a kind's matrix. Throws `outside_root`. */
  matrix(kind: LinkKind): Promise<PreparedBody<LinkMatrix>>;
}

/** Returns the links that agents have but a preset doesn't name. */
const othersIn = (
  { names, agents }: LinkMatrix,
  chosen: ReadonlySet<string>,
  kind: LinkKind,
  wanted: ReadonlySet<string>,
): LinkChanges['unlink'] =>
  agents.flatMap(({ id, cells }) => {
    if (!chosen.has(id)) return [];
    const states = decodeCells(cells, names.length);
    const others = names.filter((name, column) => {
      const state = stateOf(states, column);
      return !wanted.has(name) && (isLinkedState(state) || state === 'broken');
    });
    return others.length > 0 ? [{ agent: id, kind, names: others }] : [];
  });

/** Creates a function that gives agents a preset's content. */
export const createApply =
  ({ planLinks, planServers, changes, matrix }: ApplyDeps) =>
  async (
    label: string,
    preset: PresetContent,
    agents: readonly string[],
    unlinkOthers: boolean,
  ): Promise<AppliedPreset> => {
    const chosen = new Set(agents);
    const findOthers = async (kind: LinkKind) => {
      const found = JSON.parse((await matrix(kind)).json.toString()) as LinkMatrix;
      return othersIn(found, chosen, kind, new Set(preset[kind]));
    };
    const unlink = unlinkOthers ? await Promise.all(LINK_KINDS.map(findOthers)) : [];
    const link = [...chosen].flatMap((agent) =>
      LINK_KINDS.map((kind) => ({ agent, kind, names: preset[kind].filter(isLinkName) })),
    );
    const links = planLinks({
      link: link.filter(({ names }) => names.length > 0),
      unlink: unlink.flat(),
      replaceBroken: true,
    });

    const servers = planServers([...chosen], preset.mcpServers);
    const { change: undo, outcomes } = await changes.apply(label, [...links.items, ...servers.items]);
    const result = { undo, ...links.results(outcomes.slice(0, links.items.length)) };
    // One change holds the links and the servers, so one undo takes both back.
    const mcp = { undo: null, agents: servers.results(outcomes.slice(links.items.length)) };

    const missing = new Map<string, { kind: LinkKind; name: string }>();
    const miss = (kind: LinkKind, name: string) => missing.set(`${kind}/${name}`, { kind, name });
    for (const kind of LINK_KINDS) for (const name of preset[kind]) if (!isLinkName(name)) miss(kind, name);
    // Report each missing entry once, instead of once for each agent.
    const linked = result.link.map((group) => ({
      ...group,
      failed: group.failed.filter(({ name, code }) => {
        if (code === 'shared_entry_not_found') miss(group.kind, name);
        return code !== 'shared_entry_not_found';
      }),
    }));
    return { ...result, link: linked, missing: [...missing.values()], mcp };
  };
