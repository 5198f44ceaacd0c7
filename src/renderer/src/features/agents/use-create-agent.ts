import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createAgent } from '../../../../shared/api/agents.ts';
import { applyPreset } from '../../../../shared/api/presets.ts';
import { call } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';
import { changeModel } from '../../models/change-model.ts';
import { newAgent as words } from '../../strings/agents.ts';
import { models as modelWords } from '../../strings/models.ts';
import { presets as presetWords } from '../../strings/presets.ts';
import { notify, notifyFailure } from '../../ui/toast.tsx';
import type { TypedAgent } from './use-agents.ts';

/** Creates an agent with the root's setup script, which runs for up to 30 s, and applies a model and a preset. */
export const useCreateAgent = (onCreated: (id: string) => void) => {
  const client = useQueryClient();
  /** The agent already exists, so a failed preset is only reported. */
  const applyTo = async (id: string, name: string): Promise<void> => {
    try {
      const { link, missing, mcp } = await call(applyPreset, { params: { name }, body: { agents: [id] } });
      notify(presetWords.createdWith(id, name));
      const lacks = missing.length > 0 ? presetWords.missing(missing.map((entry) => entry.name)) : undefined;
      const failures = [...link, ...mcp.agents].flatMap(({ failed }) => failed);
      const problem = failures[0]?.error ?? lacks;
      if (problem !== undefined) notifyFailure(presetWords.notAllLinked(id), problem);
    } catch (error) {
      notify(words.created(id));
      notifyFailure(presetWords.applyFailed, error);
    }
    for (const queryKey of [keys.linkCounts, keys.allMatrices]) void client.invalidateQueries({ queryKey });
  };
  return useMutation({
    mutationFn: async ({ preset, model, ...body }: TypedAgent) => {
      const { id } = await call(createAgent, { body });
      if (model !== undefined)
        await changeModel(client, id, model).catch((error) => notifyFailure(modelWords.setFailed(id), error));
      if (preset === undefined) notify(words.created(id));
      else await applyTo(id, preset);
      return { id };
    },
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: keys.agentList });
      void client.invalidateQueries({ queryKey: keys.profiles });
      onCreated(id);
    },
  });
};
