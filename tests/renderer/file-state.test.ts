import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/renderer/src/api/client.ts';
import type { Draft } from '../../src/renderer/src/drafts/drafts.ts';
import { type FileResponse, fileState, isOnDisk } from '../../src/renderer/src/features/files/file-state.ts';

const read = (content: string, etag: string | null): FileResponse => ({
  data: { path: 'SYSTEM.md', content, missing: etag === null, etag, modifiedAt: null },
  error: null,
});
const failed = (code: ApiError['code'], data?: FileResponse['data']): FileResponse => ({
  data,
  error: new ApiError(code === 'offline' ? 0 : 422, code, 'No.'),
});
const draft = (text: string, content: string, etag: string | null): Draft => ({
  root: 'r',
  id: 'scout',
  file: 'SYSTEM.md',
  text,
  base: { content, etag },
  saving: false,
  error: null,
  restoredFrom: null,
  origin: null,
  typedAt: 1000,
});

describe('fileState without unsaved text', () => {
  it('shows what is on disk', () => {
    expect(fileState(read('a\r\n', '"1"'), undefined)).toMatchObject({
      status: 'editing',
      text: 'a\n',
      dirty: false,
      isNew: false,
    });
  });

  it('offers to create a missing file', () => {
    expect(fileState(read('', null), undefined)).toMatchObject({ status: 'editing', text: '', isNew: true });
    expect(fileState(failed('file_not_found'), undefined)).toMatchObject({
      status: 'problem',
      startable: true,
    });
  });

  it('says why a file cannot be shown', () => {
    const state = fileState(failed('not_text', read('old', '"1"').data), undefined);
    expect(state).toMatchObject({ status: 'problem', startable: false, error: { code: 'not_text' } });
  });

  it('keeps showing a file that was read before the API went offline', () => {
    expect(fileState(failed('offline', read('a', '"1"').data), undefined)).toMatchObject({ text: 'a' });
    expect(fileState(failed('offline'), undefined)).toMatchObject({ status: 'problem' });
  });
});

describe('fileState with unsaved text', () => {
  const mine = draft('mine', 'a', '"1"');

  it('does not conflict with the version it was made from', () => {
    expect(fileState(read('a', '"1"'), mine)).toMatchObject({ text: 'mine', dirty: true, conflict: null });
  });

  it('conflicts with another version, a deleted file, and one that was created meanwhile', () => {
    expect(fileState(read('b', '"2"'), mine)).toMatchObject({
      text: 'mine',
      conflict: { etag: '"2"', content: 'b' },
    });
    expect(fileState(read('', null), mine)).toMatchObject({ text: 'mine', conflict: { etag: null } });
    expect(fileState(failed('file_not_found', read('a', '"1"').data), mine)).toMatchObject({
      conflict: { etag: null },
    });
    expect(fileState(read('b', '"2"'), draft('mine', '', null))).toMatchObject({ conflict: { etag: '"2"' } });
  });

  it('asks nothing while its own save runs', () => {
    expect(fileState(read('mine', '"2"'), { ...mine, saving: true })).toMatchObject({ conflict: null });
  });

  it('shows the text whatever happened to the file', () => {
    for (const code of ['not_text', 'outside_root', 'offline', 'agent_not_found'] as const) {
      expect(fileState(failed(code), mine)).toMatchObject({
        status: 'editing',
        text: 'mine',
        diskError: { code },
      });
    }
  });

  it('is settled when the disk holds what a save would write', () => {
    expect(isOnDisk(draft('x\ny', 'x\r\n', '"1"'), { content: 'x\r\ny', etag: '"2"' })).toBe(true);
    expect(isOnDisk(draft('x\ny', 'x\r\n', '"1"'), { content: 'x\ny', etag: '"2"' })).toBe(false);
    expect(isOnDisk(draft('', '', null), { content: '', etag: null })).toBe(false);
  });
});
