import * as api from '../../shared/api/presets.ts';
import type { Base, Feature } from '../feature.ts';
import { createPresetsService, type PresetsDeps } from './presets.service.ts';

type PresetsFeatureDeps = Pick<Base, 'disk'> & Omit<PresetsDeps, 'matrix'>;

/** Creates the routes for presets. The disk thread lists the presets. */
export const createPresets = ({ disk, ...deps }: PresetsFeatureDeps): Feature => {
  const presets = createPresetsService({ ...deps, matrix: (kind) => disk.list(`${kind}Matrix`) });
  const ok = { ok: true as const };
  return {
    routes(bind) {
      bind(api.listPresets, () => disk.list('presets'));
      bind(api.readPreset, ({ params }) => disk.ask({ preset: params.name }));
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
