import { workerData } from 'node:worker_threads';
import { getPrompt } from '../../shared/api/prompt.ts';
import { parseFrontmatter } from '../catalog/frontmatter.ts';
import { type BodyAnswer, problemOf } from '../platform/body-thread.ts';
import { createRoot } from '../platform/root.ts';
import { answerQuestions } from '../platform/thread.ts';
import { createPromptAnswers, type PromptQuestion, type PromptThreadData } from '../prompt/answer-prompt.ts';
import { skillFrontmatter } from '../prompt/skill-frontmatter.ts';

/**
 * Entry point of the thread that builds prompts. It isn't the disk thread: counting the tokens of a large
 * file takes a second, and the tokenizer is 2 MB of tables that only this needs.
 */
const data = workerData as PromptThreadData;

const answer = createPromptAnswers(createRoot(data.rootPath), data, skillFrontmatter(parseFrontmatter));

const bodyOf = async (question: PromptQuestion): Promise<BodyAnswer> => {
  const prompt = getPrompt.success.body.parse(answer(question));
  return { kind: 'value', json: new TextEncoder().encode(JSON.stringify(prompt)) };
};

answerQuestions((question: PromptQuestion) => bodyOf(question).catch(problemOf));
