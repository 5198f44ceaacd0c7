import { describe, expect, it, vi } from 'vitest';
import { createPageDrafts, type Draft } from '../../src/renderer/src/drafts/drafts.ts';

const draft = (id: string, file: Draft['file'], text = 'x'): Draft => ({
  root: 'r',
  id,
  file,
  text,
  base: { content: '', etag: null },
  saving: false,
  error: null,
  restoredFrom: null,
  origin: null,
  typedAt: 1000,
});

describe('createPageDrafts', () => {
  it('keeps one draft per file, by agent', () => {
    const drafts = createPageDrafts();
    drafts.put(draft('a', 'SYSTEM.md'));
    drafts.put(draft('a', 'SYSTEM.md', 'y'));
    drafts.put(draft('b', 'SYSTEM.md'));
    expect(drafts.get('a', 'SYSTEM.md')?.text).toBe('y');
    expect(drafts.of('a')).toHaveLength(1);
    expect(drafts.all()).toHaveLength(2);
  });

  it('changes an existing draft, and doesn’t bring back a removed one', () => {
    const drafts = createPageDrafts();
    drafts.put(draft('a', 'pi-args'));
    drafts.patch('a', 'pi-args', { saving: true });
    expect(drafts.get('a', 'pi-args')?.saving).toBe(true);
    drafts.remove('a', 'pi-args');
    drafts.patch('a', 'pi-args', { saving: false });
    expect(drafts.all()).toEqual([]);
  });

  it('notifies its listeners of changes, and only of changes', () => {
    const drafts = createPageDrafts();
    const listener = vi.fn();
    const stop = drafts.subscribe(listener);
    drafts.put(draft('a', 'pi-args'));
    drafts.remove('a', 'SYSTEM.md');
    expect(listener).toHaveBeenCalledTimes(1);
    stop();
    drafts.remove('a', 'pi-args');
    expect(listener).toHaveBeenCalledTimes(1);
  });
});
