import * as api from '../../shared/api/presets.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { PreparedBody } from '../platform/prepared-body.ts';
import type { PresetsService } from './presets.service.ts';

/** Reads presets in the scanner thread. Throws `not_a_directory`, `root_unavailable`. */
interface PresetsReader {
  all(): Promise<PreparedBody<{ presets: api.Preset[] }>>;
  /** Throws `preset_not_found`. */
  one(name: string): Promise<PreparedBody<api.Preset>>;
}

/** The routes of the presets. */
export const presetsRoutes =
  (presets: PresetsService, read: PresetsReader): Routes =>
  (bind) => {
    const ok = { ok: true as const };
    bind(api.listPresets, () => read.all());
    bind(api.readPreset, ({ params }) => read.one(params.name));
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
  };
