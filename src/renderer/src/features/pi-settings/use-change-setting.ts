import type { PiSetting } from '../../../../shared/api/pi-settings.ts';
import { after } from '../../api/invalidations.ts';
import { useChange } from '../../changes/changes.ts';
import { editJsonFile, ifStill } from '../../json-form/json-edits.ts';
import { piSettings as words } from '../../strings/pi-settings.ts';

/** A setting's new value. Without one, pi uses the default. */
type SettingChange = Pick<PiSetting, 'path' | 'value'>;

const nameOf = ({ path }: SettingChange): string => path.join('.');

/** Changes one of an agent's pi settings if its file still has `etag`, and offers Undo. */
export const useChangeSetting = (id: string, etag: string | null) =>
  useChange({
    make: (edit: SettingChange) =>
      editJsonFile(words.change(nameOf(edit)), {
        agent: id,
        json: 'settings.json',
        edits: [edit],
        ...ifStill(etag),
      }),
    said: (_, edit) => words.saved(nameOf(edit)),
    failed: (edit) => words.failed(nameOf(edit)),
    // After a failure, too: another program may have changed the file.
    refresh: after.entries(id),
  });
