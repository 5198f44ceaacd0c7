import { workerData } from 'node:worker_threads';
import { checkAgent, checkSharedSkill, countFindings } from '../../shared/api/checks.ts';
import type { CheckQuestion } from '../checks/checks.service.ts';
import { createChecks } from '../checks/checks-scan.ts';
import { newBudget, readFile } from '../checks/read/read-file.ts';
import { AppError, fromSystemError } from '../platform/app-error.ts';
import { createRoot } from '../platform/root.ts';
import type { ScanAnswer } from '../platform/scanner.ts';
import { createSettledWatch } from '../platform/settled-watch.ts';
import { answerQuestions } from '../platform/thread.ts';
import { parseModels } from '../pricing/parse-models.ts';

/**
 * Entry point of the thread that checks agents and skills. It isn't the scanner thread, because the first check
 * of a large root takes seconds, and the lists of the window must not wait for it.
 */
const { rootPath, homeDirectory, modelsPath, markerPath } = workerData as {
  rootPath: string;
  homeDirectory: string;
  modelsPath: string;
  markerPath: string;
};

const MAX_MODELS_CHARACTERS = 2 * 1024 * 1024;

const checks = createChecks(
  createRoot(rootPath),
  homeDirectory,
  (record) => {
    const file = readFile(modelsPath, record, { ...newBudget(), characters: MAX_MODELS_CHARACTERS });
    const models = file.kind === 'text' ? parseModels(file.text).models : undefined;
    return models && [...models.keys()];
  },
  { watch: createSettledWatch(rootPath, markerPath) },
);

let lastCounts: unknown;

const encode = (value: unknown): ScanAnswer => ({
  kind: 'value',
  json: new TextEncoder().encode(JSON.stringify(value)),
});

const answerTo = async (question: CheckQuestion | 'counts'): Promise<ScanAnswer> => {
  if (question === 'counts') {
    const counts = await checks.counts();
    if (counts === lastCounts) return { kind: 'same' };
    lastCounts = counts;
    return encode(countFindings.success.body.parse(counts));
  }
  switch (question.kind) {
    case 'agent':
      return encode(checkAgent.success.body.parse(await checks.agent(question.id)));
    case 'skill':
      return encode(checkSharedSkill.success.body.parse(checks.skill(question.name)));
    case 'plan':
      return encode(await checks.plan(question.id, question.places));
  }
};

answerQuestions((question: CheckQuestion | 'counts') =>
  answerTo(question).catch((error: unknown): ScanAnswer => {
    // Convert the error here, because it loses its code when it crosses threads.
    const known = error instanceof AppError ? error : fromSystemError(error);
    if (known) return { kind: 'problem', code: known.code, message: known.message };
    return { kind: 'error', error };
  }),
);
