import { useQueryClient } from '@tanstack/react-query';
import { createAgent } from '../../../../shared/api/agents.ts';
import { applyPreset } from '../../../../shared/api/presets.ts';
import { callForChange } from '../../api/client.ts';
import { after } from '../../api/invalidations.ts';
import { type ChangeIds, useChange } from '../../changes/changes.ts';
import { changeModels } from '../../models/change-model.ts';
import { newAgent as words } from '../../strings/agents.ts';
import { models as modelWords } from '../../strings/models.ts';
import { presets as presetWords } from '../../strings/presets.ts';
import { reportFailure } from '../../ui/failures.tsx';
import type { TypedAgent } from './use-agents.ts';

/** Creates an agent with the root's setup script, which runs for up to 30 s, and applies a model and a preset. */
export const useCreateAgent = (onCreated: (id: string) => void) => {
  const client = useQueryClient();
  /** Returns its change. Undefined if it failed, which is only reported, because the agent already exists. */
  const applyTo = async (id: string, name: string): Promise<ChangeIds | undefined> => {
    try {
      const params = { params: { name }, body: { agents: [id] } };
      const { body, change } = await callForChange(applyPreset, params);
      const { link, missing, mcp } = body;
      const lacks = missing.length > 0 ? presetWords.missing(missing.map((entry) => entry.name)) : undefined;
      const failures = [...link, ...mcp.agents].flatMap(({ failed }) => failed);
      const problem = failures[0]?.error ?? lacks;
      if (problem !== undefined) reportFailure(presetWords.notAllLinked(id), problem);
      return change;
    } catch (error) {
      reportFailure(presetWords.applyFailed, error);
      return undefined;
    }
  };
  const setModel = async (id: string, name: string): Promise<ChangeIds> => {
    try {
      const { body, change } = await changeModels(client, [id], name);
      const [failure] = body.failures;
      if (failure) throw failure.error;
      return change;
    } catch (error) {
      reportFailure(modelWords.setFailed(id), error);
      return null;
    }
  };
  return useChange({
    make: async ({ preset, model, ...body }: TypedAgent) => {
      const created = await callForChange(createAgent, { body });
      const { id } = created.body;
      const modelChange = model === undefined ? null : await setModel(id, model);
      const presetChange = preset === undefined ? undefined : await applyTo(id, preset);
      const applied = presetChange === undefined ? null : (preset ?? null);
      // The undo takes back all of them, because it leaves an agent that was changed since.
      const change = [created.change, modelChange, presetChange ?? null].flatMap((made) => made ?? []);
      return { body: { id, applied }, change };
    },
    said: ({ id, applied }) => (applied === null ? words.created(id) : presetWords.createdWith(id, applied)),
    refresh: ({ name }) => [...after.agents(name), ...after.links(name)],
    onRefreshed: ({ id }) => onCreated(id),
  });
};
