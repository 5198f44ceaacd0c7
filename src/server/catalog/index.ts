import {
  BUNDLED_SKILL,
  installSkill,
  installStatusExtension,
  listExtensions,
  listSkills,
  listUsage,
  readSkillText,
  STATUS_EXTENSION,
  uninstallSkill,
} from '../../shared/api/catalog.ts';
import { LINK_KINDS } from '../../shared/api/names.ts';
import type { Base, Feature } from '../feature.ts';
import { STARTER_TEMPLATE } from '../locations.ts';
import { installStatusExtensionIn } from './bundled-extension.ts';
import { createBundledSkill } from './bundled-skill.ts';

/** Creates the routes of the shared extensions and skills. The disk thread reads them. */
export const createCatalog = ({ root, disk }: Pick<Base, 'root' | 'disk'>): Feature => {
  const bundled = createBundledSkill(root, STARTER_TEMPLATE);
  return {
    routes(bind) {
      bind(listExtensions, () => disk.list('extensions'));
      bind(listSkills, () => disk.list('skills'));
      bind(readSkillText, ({ params, query }) => disk.ask({ skillText: params.name, agent: query.agent }));
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
        created: await installStatusExtensionIn(root, STARTER_TEMPLATE),
        path: `shared/extensions/${STATUS_EXTENSION}`,
      }));
      for (const kind of LINK_KINDS) bind(listUsage[kind], () => disk.list(`${kind}Usage`));
    },
  };
};
