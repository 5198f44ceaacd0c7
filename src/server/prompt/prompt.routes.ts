import { getPrompt } from '../../shared/api/prompt.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { PromptService } from './prompt.service.ts';

/** The route of predicted prompts. */
export const promptRoutes =
  (prompts: PromptService): Routes =>
  (bind) => {
    bind(getPrompt, ({ params, query }, caller) =>
      prompts.prompt({
        id: params.id,
        cwd: query.cwd,
        version: query.piVersion,
        trusted: query.trusted === undefined ? undefined : query.trusted === 'true',
        isOperator: caller.may('operator'),
      }),
    );
  };
