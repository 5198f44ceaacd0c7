import type { Preset } from '../../shared/api/presets.ts';
import * as api from '../../shared/api/presets.ts';
import type { Base, Feature } from '../feature.ts';
import { createShownBodies } from '../platform/shown-bodies.ts';
import { createPresetsService, type PresetsDeps } from './presets.service.ts';

/**
 * Returns a preset for readers who don't see the values of MCP servers. SECURITY: as in mcp.json, these are commands and
 * addresses that dot-mi hides. The etag would reveal equal files.
 */
const shapeOf = (preset: Preset): Preset => ({
  ...preset,
  mcpServers: Object.fromEntries(Object.keys(preset.mcpServers).map((name) => [name, {}])),
  etag: null,
});

type PresetsFeatureDeps = Pick<Base, 'disk'> & Omit<PresetsDeps, 'matrix'>;

/** Creates the routes for presets. The disk thread lists the presets. */
export const createPresets = ({ disk, ...deps }: PresetsFeatureDeps): Feature => {
  const presets = createPresetsService({ ...deps, matrix: (kind) => disk.list(`${kind}Matrix`) });
  const shapes = createShownBodies<{ presets: Preset[] }>(({ presets: all }) => ({
    presets: all.map(shapeOf),
  }));
  const shapesOfOne = createShownBodies<Preset>(shapeOf);
  const ok = { ok: true as const };
  return {
    routes(bind) {
      bind(api.listPresets, async (_, caller) => {
        const listed = await disk.list('presets');
        return caller.kind === 'operator' ? listed : shapes.of(listed);
      });
      bind(api.readPreset, async ({ params }, caller) => {
        const preset = await disk.ask<Preset>({ preset: params.name });
        return caller.kind === 'operator' ? preset : shapesOfOne.of(preset);
      });
      bind(api.writePreset, ({ params, headers, body }) =>
        presets.write(params.name, body, {
          ifMatch: headers['if-match'],
          ifNoneMatch: headers['if-none-match'],
        }),
      );
      bind(api.renamePreset, async ({ params, headers, body }) => {
        await presets.rename(params.name, body.name, headers['if-match']);
        return { ...ok, name: body.name };
      });
      bind(api.deletePreset, async ({ params, headers }) => {
        return { ...ok, entry: await presets.remove(params.name, headers['if-match']) };
      });
      bind(api.restorePreset, async ({ params }) => {
        await presets.restore(params.name);
        return ok;
      });
      bind(api.applyPreset, ({ params, body }) =>
        presets.apply(params.name, body.agents, body.unlinkOthers ?? false),
      );
    },
  };
};
