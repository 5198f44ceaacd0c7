import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { checkRoot, setUpRoot } from '../../../../shared/api/root.ts';
import {
  type ChangedSettings,
  changeSettings,
  type Settings,
  type SettingsChange,
} from '../../../../shared/api/settings.ts';
import { showSaved } from '../../api/cache-invalidation.ts';
import { type ApiError, call } from '../../api/client.ts';
import { after, refreshAfter } from '../../api/invalidations.ts';
import { keys, settingsQuery } from '../../api/queries.ts';
import { readStatus, type Unread } from '../../api/read-status.ts';
import { settings as words } from '../../strings/settings.ts';

/** The settings. They stay visible while the server restarts. */
export type SettingsStatus = Unread | { readonly status: 'ready'; readonly settings: Settings };

export const useSettings = (): SettingsStatus => {
  const read = readStatus(useQuery(settingsQuery()));
  return read.status === 'ready' ? { status: 'ready', settings: read.data } : read;
};

/** Saves settings changes, one at a time, and tracks the result. */
export interface SettingsSaver {
  readonly save: (change: SettingsChange) => void;
  /** Like `save`, but rejects with the error. */
  readonly saveNow: (change: SettingsChange) => Promise<unknown>;
  readonly isSaving: boolean;
  readonly error: ApiError | null;
  readonly reset: () => void;
}

/** Changes settings. If they need a restart, the event stream refetches everything afterwards. */
export const useSaveSettings = (
  onSaved: (changed: ChangedSettings) => void,
  onSettled?: () => void,
): SettingsSaver => {
  const client = useQueryClient();
  const { mutate, mutateAsync, isPending, error, reset } = useMutation<
    ChangedSettings,
    ApiError,
    SettingsChange
  >({
    mutationFn: (body) => call(changeSettings, { body }),
    onSuccess: async (changed) => {
      const { restarting, url: _url, pageToken: _pageToken, ...settings } = changed;
      await showSaved(client, keys.settings, settings);
      if (!restarting) void refreshAfter(client, after.settings());
      onSaved(changed);
    },
    onSettled: () => onSettled?.(),
  });
  return {
    save: (change) => !isPending && mutate(change),
    saveNow: mutateAsync,
    isSaving: isPending,
    error,
    reset,
  };
};

/** The parts of a setting that name it. */
interface NamedSetting {
  readonly label: string;
  /** The environment variable that the server's messages name. */
  readonly variable: string | null;
}

/** Returns the server's message about one setting, with its label, or else the general message. */
export const sentenceOf = (error: ApiError | null, setting?: NamedSetting): string | undefined => {
  if (error === null) return undefined;
  const message = error.details?.issues?.[0]?.message ?? error.message;
  if (setting?.variable == null || !message.startsWith(`${setting.variable} must be `)) return message;
  return `${setting.label}${message.slice(setting.variable.length)}`;
};

/** The question to ask before a setting is saved. */
export interface SettingQuestion {
  readonly title: string;
  readonly description: string;
  /** The choice that saves after `prepare`. */
  readonly confirm: string;
  readonly prepare?: (() => Promise<unknown>) | undefined;
  /** The choice that saves without `prepare`. */
  readonly skip?: string | undefined;
}

/** Returns the question to ask before a folder without agents becomes the root. Null if the folder has agents. */
export const questionForRoot = async (path: string): Promise<SettingQuestion | null> => {
  // The server refuses a folder that can't be read, and says why.
  const found = await call(checkRoot, { query: { path } }).catch(() => undefined);
  if (!found?.exists || found.agents !== null) return null;
  return {
    title: found.empty ? words.emptyFolder : words.noAgents,
    description: words.setUpHint,
    confirm: words.setUp,
    prepare: () => call(setUpRoot, { body: { path } }),
    skip: words.useAsItIs,
  };
};
