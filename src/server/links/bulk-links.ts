import type { BulkLinks, ChangedLinks, LinkChanges } from '../../shared/api/links.ts';
import type { LinkKind } from '../../shared/api/names.ts';
import { failureOf } from '../platform/bulk.ts';
import type { ChangeItem, Changes, Outcome } from '../platform/changes.ts';
import { type Root, resolveRoot } from '../platform/root.ts';
import { createTargetOf, linkItem, type TargetOf, unlinkItem } from './change-links.ts';

/** Items that change links, and what their outcomes mean. */
interface LinksPlan {
  readonly items: readonly ChangeItem[];
  results(outcomes: readonly Outcome[]): Omit<BulkLinks, 'undo'>;
}

/** Links and unlinks many entries at once. */
export interface BulkLinksService {
  plan(changes: LinkChanges): LinksPlan;
  change(changes: LinkChanges): Promise<BulkLinks>;
}

/** Returns a {@link TargetOf} that scans each entry once, for any number of agents. */
const scanOnce = (targetOf: TargetOf): TargetOf => {
  const targets = new Map<string, ReturnType<TargetOf>>();
  return (kind, name) => {
    const key = `${kind}/${name}`;
    const known = targets.get(key) ?? targetOf(kind, name);
    // Avoid an unhandled rejection. Each name that needs this entry reports the failure.
    known.catch(() => undefined);
    targets.set(key, known);
    return known;
  };
};

const namesIn = (groups: LinkChanges['link']): number =>
  groups.reduce((sum, { names }) => sum + names.length, 0);

const labelOf = (linked: number, unlinked: number): string =>
  [
    ...(linked > 0 ? [`Link ${linked}`] : []),
    ...(unlinked > 0 ? [linked > 0 ? `unlink ${unlinked}` : `Unlink ${unlinked}`] : []),
  ].join(', ') || 'Change links';

/** Creates a {@link BulkLinksService}. Each request is one change set. */
export const createBulkLinks = (root: Root, changes: Pick<Changes, 'apply'>): BulkLinksService => {
  const scan = createTargetOf(root);

  const plan: BulkLinksService['plan'] = ({ link, unlink, replaceBroken = false }) => {
    const targetOf = scanOnce(scan);
    const items: ChangeItem[] = [];
    /** Where each item's outcome goes. */
    const places: { readonly result: ChangedLinks; readonly name: string }[] = [];
    const add = (
      { agent, kind, names }: LinkChanges['link'][number],
      itemOf: (agent: string, kind: LinkKind, name: string) => ChangeItem,
    ): ChangedLinks => {
      const result: ChangedLinks = { agent, kind, done: [], unchanged: [], failed: [] };
      for (const name of new Set(names)) {
        items.push(itemOf(agent, kind, name));
        places.push({ result, name });
      }
      return result;
    };
    const unlinked = unlink.map((group) =>
      add(group, (agent, kind, name) => unlinkItem(agent, kind, name, false)),
    );
    const options = { replaceBroken, keepsOwn: true };
    const linked = link.map((group) =>
      add(group, (agent, kind, name) => linkItem(targetOf, agent, kind, name, options)),
    );

    return {
      items,
      results(outcomes) {
        for (const [at, { result, name }] of places.entries()) {
          const outcome = outcomes[at];
          if (!outcome) continue;
          if (outcome.is === 'refused') result.failed.push({ name, ...failureOf(outcome.error) });
          else (outcome.is === 'applied' ? result.done : result.unchanged).push(name);
        }
        return { link: linked, unlink: unlinked };
      },
    };
  };

  return {
    plan,
    async change(wanted) {
      await resolveRoot(root);
      const { items, results } = plan(wanted);
      const label = labelOf(namesIn(wanted.link), namesIn(wanted.unlink));
      const { change: undo, outcomes } = await changes.apply(label, items);
      return { undo, ...results(outcomes) };
    },
  };
};
