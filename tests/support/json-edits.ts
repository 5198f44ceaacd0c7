import type { JsonEdit } from '../../src/shared/json-edit.ts';
import type { TestServer } from './server.ts';

/** Edits of one file of scout. */
interface JsonItem {
  readonly agent?: string;
  readonly json: string;
  readonly edits: readonly JsonEdit[];
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
}

/** What became of the edits of one file. The code is undefined if they were made. */
export interface Edited {
  readonly status: number;
  readonly code: string | undefined;
  readonly error: string | undefined;
  readonly change: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: an answer
  readonly body: any;
}

/** Edits one JSON file of an agent as the operator. */
export const editFile = async (
  { asOperator }: Pick<TestServer, 'asOperator'>,
  item: JsonItem,
): Promise<Edited> => {
  const { status, body } = await asOperator('POST', '/api/changes', {
    label: 'Edit',
    items: [{ agent: 'scout', ...item }],
  });
  const [refused] = body.refused ?? [];
  return {
    status,
    code: refused?.code ?? body.code,
    error: refused?.error ?? body.error,
    change: body.change ?? null,
    body,
  };
};

/** Undoes edits. */
export const undoEdits = (
  { asOperator }: Pick<TestServer, 'asOperator'>,
  { change }: Pick<Edited, 'change'>,
) => asOperator('POST', `/api/changes/${change}/undo`);
