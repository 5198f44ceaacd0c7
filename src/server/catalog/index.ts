import {
  BUNDLED_SKILL,
  installSkill,
  installStatusExtension,
  listExtensions,
  listPromptTemplates,
  listSkills,
  listThemes,
  listUsage,
  readEntryText,
  STATUS_EXTENSION,
  uninstallSkill,
} from '../../shared/api/catalog.ts';
import { LINK_KINDS } from '../../shared/api/names.ts';
import type { Base, Feature } from '../feature.ts';
import { STARTER_TEMPLATE } from '../locations.ts';
import { readerOf } from '../platform/caller.ts';
import { SHARED_LOCK } from '../platform/changes.ts';
import { installStatusExtensionIn } from './bundled-extension.ts';
import { createBundledSkill } from './bundled-skill.ts';

/** Creates the routes for shared entries, which the disk thread reads. */
export const createCatalog = ({
  root,
  disk,
  agentLock,
  changes,
}: Pick<Base, 'root' | 'disk' | 'agentLock' | 'changes'>): Feature => {
  const bundled = createBundledSkill({ root, agentLock, changes }, STARTER_TEMPLATE);
  return {
    routes(bind) {
      bind(listExtensions, () => disk.list('extensions'));
      bind(listSkills, () => disk.list('skills'));
      bind(listPromptTemplates, () => disk.list('prompts'));
      bind(listThemes, () => disk.list('themes'));
      for (const kind of ['skills', 'prompts', 'themes'] as const)
        bind(readEntryText[kind], ({ params, query }, caller) =>
          disk.ask({ textOf: params.name, kind, agent: query.agent, reader: readerOf(caller) }),
        );
      bind(installSkill, async () => ({
        ok: true as const,
        created: await bundled.install(),
        path: `shared/skills/${BUNDLED_SKILL}`,
      }));
      bind(uninstallSkill, async () => {
        await bundled.uninstall();
        return { ok: true as const };
      });
      bind(installStatusExtension, async () => ({
        ok: true as const,
        created: await agentLock.run(SHARED_LOCK, () =>
          installStatusExtensionIn(root, STARTER_TEMPLATE, changes),
        ),
        path: `shared/extensions/${STATUS_EXTENSION}`,
      }));
      for (const kind of LINK_KINDS) bind(listUsage[kind], () => disk.list(`${kind}Usage`));
    },
  };
};
