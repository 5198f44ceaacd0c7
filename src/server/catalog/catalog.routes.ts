import {
  listExtensions,
  listSkills,
  listUsage,
  readSkillText,
  type SharedEntryUsage,
  type SharedExtension,
  type SharedSkill,
  type SkillText,
} from '../../shared/api/catalog.ts';
import { BUNDLED_SKILL, installSkill, uninstallSkill } from '../../shared/api/catalog-install.ts';
import { LINK_KINDS, type LinkKind } from '../../shared/api/names.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { PreparedBody } from '../platform/prepared-body.ts';
import type { BundledSkill } from './bundled-skill.ts';
import type { SkillTextQuestion } from './skill-text.ts';

/** Reads the catalogs. Throws `root_unavailable`. */
interface CatalogReader {
  extensions(): Promise<PreparedBody<{ extensions: SharedExtension[] }>>;
  skills(): Promise<PreparedBody<{ skills: SharedSkill[] }>>;
  usage(kind: LinkKind): Promise<PreparedBody<{ usage: SharedEntryUsage[] }>>;
  skillText(question: SkillTextQuestion): Promise<PreparedBody<SkillText>>;
  readonly bundled: BundledSkill;
}

/** The routes of the shared extensions and skills. */
export const catalogRoutes =
  (catalog: CatalogReader): Routes =>
  (bind) => {
    bind(listExtensions, () => catalog.extensions());
    bind(listSkills, () => catalog.skills());
    bind(readSkillText, ({ params, query }) =>
      catalog.skillText({ skillText: params.name, agent: query.agent }),
    );
    bind(installSkill, async () => ({
      ok: true as const,
      created: await catalog.bundled.install(),
      path: `shared/skills/${BUNDLED_SKILL}`,
    }));
    bind(uninstallSkill, async () => {
      await catalog.bundled.uninstall();
      return { ok: true as const };
    });
    for (const kind of LINK_KINDS) bind(listUsage[kind], () => catalog.usage(kind));
  };
