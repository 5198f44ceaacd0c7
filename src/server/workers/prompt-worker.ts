import { workerData } from 'node:worker_threads';
import { getPrompt } from '../../shared/api/prompt.ts';
import { parseFrontmatter } from '../catalog/frontmatter.ts';
import { type BodyResponse, problemOf } from '../platform/body-thread.ts';
import { createRoot } from '../platform/root.ts';
import { handleRequests } from '../platform/thread.ts';
import {
  createPromptResponses,
  type PromptQuestion,
  type PromptThreadData,
} from '../prompt/prompt-responses.ts';

/**
 * Entry point of the thread that builds prompts. It's separate from the disk thread, because counting a large file's
 * tokens takes a second, and only this thread needs the tokenizer's 2 MB of tables.
 */
const data = workerData as PromptThreadData;

const response = createPromptResponses(createRoot(data.rootPath), data, parseFrontmatter);

const bodyOf = async (question: PromptQuestion): Promise<BodyResponse> => {
  const prompt = getPrompt.success.body.parse(await response(question));
  return { kind: 'value', json: new TextEncoder().encode(JSON.stringify(prompt)) };
};

handleRequests((question: PromptQuestion) => bodyOf(question).catch(problemOf));
