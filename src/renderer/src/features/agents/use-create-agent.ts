import { useQueryClient } from '@tanstack/react-query';
import { createAgent } from '../../../../shared/api/agents.ts';
import { applyPreset } from '../../../../shared/api/presets.ts';
import { callForChange } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';
import { useChange } from '../../changes.ts';
import { changeModels } from '../../models/change-model.ts';
import { newAgent as words } from '../../strings/agents.ts';
import { models as modelWords } from '../../strings/models.ts';
import { presets as presetWords } from '../../strings/presets.ts';
import { notifyFailure } from '../../ui/toast.tsx';
import type { TypedAgent } from './use-agents.ts';

/** Creates an agent with the root's setup script, which runs for up to 30 s, and applies a model and a preset. */
export const useCreateAgent = (onCreated: (id: string) => void) => {
  const client = useQueryClient();
  /** Returns whether the preset was applied. The agent already exists, so a failed preset is only reported. */
  const applyTo = async (id: string, name: string): Promise<boolean> => {
    try {
      const params = { params: { name }, body: { agents: [id] } };
      const { link, missing, mcp } = (await callForChange(applyPreset, params)).body;
      const lacks = missing.length > 0 ? presetWords.missing(missing.map((entry) => entry.name)) : undefined;
      const failures = [...link, ...mcp.agents].flatMap(({ failed }) => failed);
      const problem = failures[0]?.error ?? lacks;
      if (problem !== undefined) notifyFailure(presetWords.notAllLinked(id), problem);
      return true;
    } catch (error) {
      notifyFailure(presetWords.applyFailed, error);
      return false;
    }
  };
  const setModel = async (id: string, name: string): Promise<void> => {
    try {
      const [failure] = (await changeModels(client, [id], name)).body.failures;
      if (failure) throw failure.error;
    } catch (error) {
      notifyFailure(modelWords.setFailed(id), error);
    }
  };
  return useChange({
    make: async ({ preset, model, ...body }: TypedAgent) => {
      const { body: created, change } = await callForChange(createAgent, { body });
      const { id } = created;
      if (model !== undefined) await setModel(id, model);
      const applied = preset !== undefined && (await applyTo(id, preset)) ? preset : null;
      // Undoing the creation moves the agent to the trash, with its model and links.
      return { body: { id, applied }, change };
    },
    said: ({ id, applied }) => (applied === null ? words.created(id) : presetWords.createdWith(id, applied)),
    refresh: [keys.agentList, keys.profiles, keys.linkCounts, keys.allMatrices],
    onRefreshed: ({ id }) => onCreated(id),
  });
};
