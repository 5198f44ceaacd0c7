import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createAgent } from '../../../../shared/api/agents.ts';
import { applyPreset } from '../../../../shared/api/presets.ts';
import { call } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';
import { presets as presetTexts } from '../../strings/presets.ts';
import { strings } from '../../strings.ts';
import { notify, notifyFailure } from '../../ui/toast.tsx';
import type { TypedAgent } from './use-agents.ts';

/** Creates an agent with the root's setup script, which runs for up to 30 s, and gives it what a preset names. */
export const useCreateAgent = (onCreated: (id: string) => void) => {
  const client = useQueryClient();
  /** The agent is there by now, so a preset that fails is only reported. */
  const applyTo = async (id: string, name: string): Promise<void> => {
    try {
      const { link, missing } = await call(applyPreset, { params: { name }, body: { agents: [id] } });
      notify(presetTexts.createdWith(id, name));
      const lacks = missing.length > 0 ? presetTexts.missing(missing.map((entry) => entry.name)) : undefined;
      const problem = link.flatMap(({ failed }) => failed)[0]?.error ?? lacks;
      if (problem !== undefined) notifyFailure(presetTexts.notAllLinked(id), problem);
    } catch (error) {
      notify(strings.newAgent.created(id));
      notifyFailure(presetTexts.applyFailed, error);
    }
    for (const queryKey of [keys.linkCounts, keys.allMatrices]) void client.invalidateQueries({ queryKey });
  };
  return useMutation({
    mutationFn: async ({ preset, ...body }: TypedAgent) => {
      const { id } = await call(createAgent, { body });
      if (preset === undefined) notify(strings.newAgent.created(id));
      else await applyTo(id, preset);
      return { id };
    },
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: keys.agentList });
      onCreated(id);
    },
  });
};
