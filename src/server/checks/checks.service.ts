import type {
  AgentChecks,
  FindingCounts,
  FindingPlace,
  FindingsFixed,
  SkillChecks,
} from '../../shared/api/checks.ts';
import type { EditableFile } from '../../shared/api/names.ts';
import { AppError } from '../platform/app-error.ts';
import type { BodyThread } from '../platform/body-thread.ts';
import type { Reader } from '../platform/caller.ts';
import type { PreparedBody } from '../platform/prepared-body.ts';

import type { FixPlan } from './plan-fixes.ts';

/** The first count of 10,000 agents takes 12 s on an idle computer with two cores, and longer on a busy one. */
const FIRST_COUNT_TIMEOUT_MS = 120_000;

/** A request to check an agent or a skill on the disk thread. */
export type CheckQuestion =
  | { readonly check: 'agent'; readonly id: string; readonly reader: Reader }
  | { readonly check: 'skill'; readonly name: string; readonly reader: Reader }
  | {
      readonly check: 'plan';
      readonly id: string;
      readonly places: readonly FindingPlace[];
      readonly reader: Reader;
    };

type CheckThread = Pick<BodyThread<{ findingCounts: FindingCounts }, CheckQuestion>, 'list' | 'ask'>;

/** Writes an agent's files if their etags still match, as one change. Returns the new etags. Throws `file_changed`. */
export type WriteFiles = (
  id: string,
  files: readonly { readonly file: EditableFile; readonly content: string; readonly ifMatch: string }[],
) => Promise<string[]>;

/** Checks agents and skills, and fixes findings. */
interface ChecksService {
  agent(id: string, reader: Reader): Promise<PreparedBody<AgentChecks>>;
  skill(name: string, reader: Reader): Promise<PreparedBody<SkillChecks>>;
  counts(): Promise<PreparedBody<FindingCounts>>;
  fix(
    id: string,
    places: readonly FindingPlace[],
    etags: AgentChecks['etags'],
    reader: Reader,
  ): Promise<FindingsFixed>;
}

const fileChanged = (file: EditableFile, etag: string | undefined) =>
  new AppError(
    'file_changed',
    `${file} has changed since it was checked, so nothing was fixed. Check the agent again.`,
    { etag: etag ?? null },
  );

export const createChecksService = (thread: CheckThread, writeAll: WriteFiles): ChecksService => ({
  agent: (id, reader) => thread.ask({ check: 'agent', id, reader }),
  skill: (name, reader) => thread.ask({ check: 'skill', name, reader }),
  counts: () => thread.list('findingCounts', FIRST_COUNT_TIMEOUT_MS),

  async fix(id, places, etags, reader) {
    const response = await thread.ask<FixPlan>({ check: 'plan', id, places, reader });
    const plan: FixPlan = JSON.parse(response.json.toString());
    // Check all files first, so that nothing is written if one of them changed.
    for (const { file } of places) {
      if (plan.etags[file] !== etags[file]) throw fileChanged(file, plan.etags[file]);
    }
    const wanted = plan.files.filter(({ fixed }) => fixed > 0);
    const written = await writeAll(
      id,
      wanted.map(({ file, content }) => ({ file, content, ifMatch: etags[file] ?? '' })),
    );
    const files = wanted.map(({ file, fixed }, at) => ({ file, etag: written[at] ?? '', fixed }));
    return { ok: true, files, notFixed: [...plan.notFixed] };
  },
});
