import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type AroundNavHandler, Router } from 'wouter';
import type { EditableFile } from '../../shared/api/names.ts';
import { cancelAction } from './commands/requested-action.ts';
import { drafts } from './drafts/drafts.ts';
import { typedSettings } from './drafts/typed-settings.ts';
import { unsaved } from './drafts/unsaved.ts';
import { failedSaves, saveDrafts, unsavedFiles } from './features/files/save-draft.ts';
import { agentOf, parsePath, paths } from './routes.ts';
import { strings } from './strings.ts';
import { Button } from './ui/button.tsx';
import { Question } from './ui/dialog.tsx';
import { notify } from './ui/toast.tsx';

/** The files of an agent, or the settings, that have unsaved text. */
type Unsaved =
  | { readonly kind: 'files'; readonly id: string; readonly files: readonly EditableFile[] }
  | { readonly kind: 'settings'; readonly labels: readonly string[] };

interface Leaving {
  readonly unsaved: Unsaved;
  readonly go: () => void;
  /** Opens another page than the requested one, without a question. */
  readonly redirect: (path: string) => void;
}

/** The unsaved text that a navigation would leave behind. */
const leftBehind = (from: string, to: string): Unsaved | null => {
  const page = parsePath(from);
  const target = parsePath(to);
  const id = agentOf(page);
  if (id !== null && agentOf(target) !== id) {
    const files = unsavedFiles(id);
    return files.length > 0 ? { kind: 'files', id, files } : null;
  }
  const labels = page.name === 'settings' && target.name !== 'settings' ? typedSettings.labels() : [];
  return labels.length > 0 ? { kind: 'settings', labels } : null;
};

/** Reports files that couldn't be saved after their agent was left, because nobody sees their editors. */
const tellFailedSaves = async (id: string, open: (path: string) => void): Promise<void> => {
  for (const file of await failedSaves(id)) {
    if (agentOf(parsePath(window.location.pathname)) === id) return;
    notify(strings.leave.notSaved(id, file), {
      label: strings.drafts.open,
      run: () => open(paths.agent(id, { kind: 'files', file })),
    });
  }
};

/**
 * Asks before unsaved text is left behind: on the way to another agent or page, and when the window closes. A
 * closing window also asks about tokens that weren't received. Between the files of one agent it doesn't ask,
 * since the tabs show what is unsaved. It can't stop the browser's back and forward, and needn't: typed text
 * survives them.
 */
export const LeaveGuard = ({ children }: { readonly children: ReactNode }) => {
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  // Kept after the answer, for the words of the dialog while it fades.
  const [leaving, setLeaving] = useState<Leaving | null>(null);
  const [saving, setSaving] = useState(false);
  // Null once the person stays. A running "Save and leave" then doesn't navigate.
  const asked = useRef<Leaving>(null);

  useEffect(() => {
    const onBeforeUnload = (event: BeforeUnloadEvent): void => {
      const isUnsaved = drafts.all().length > 0 || typedSettings.labels().length > 0;
      if (isUnsaved || unsaved.mustAsk()) event.preventDefault();
    };
    window.addEventListener('beforeunload', onBeforeUnload);
    return () => window.removeEventListener('beforeunload', onBeforeUnload);
  }, []);

  const aroundNav: AroundNavHandler = (navigate, to, options) => {
    const from = window.location.pathname;
    const unsaved = leftBehind(from, to);
    const redirect = (path: string): void => navigate(path);
    if (!unsaved) {
      const id = agentOf(parsePath(from));
      if (id !== null && agentOf(parsePath(to)) !== id) void tellFailedSaves(id, redirect);
      navigate(to, options);
      return;
    }
    asked.current = { unsaved, go: () => navigate(to, options), redirect };
    setLeaving(asked.current);
    setAsking(true);
  };

  const close = (): void => {
    asked.current = null;
    setAsking(false);
  };
  const stay = (): void => {
    close();
    // Otherwise the action would start unexpectedly at the next visit.
    cancelAction();
  };
  const leave = (): void => {
    close();
    leaving?.go();
  };
  const saveAndGo = async (id: string, files: readonly EditableFile[]): Promise<void> => {
    setSaving(true);
    const failed = await saveDrafts(client, id, files);
    setSaving(false);
    if (asked.current !== leaving) return;
    if (!failed) return leave();
    stay();
    // The error appears above the editor of that file.
    leaving?.redirect(paths.agent(id, { kind: 'files', file: failed }));
  };
  const discardAndLeave = (): void => {
    typedSettings.clear();
    leave();
  };

  const words = strings.leave;
  const left = leaving?.unsaved;
  return (
    <Router aroundNav={aroundNav}>
      {children}
      <Question open={asking} onCancel={stay} title={words.title} description={left && sentenceOf(left)}>
        <Button onClick={stay}>{words.stay}</Button>
        {left?.kind === 'settings' && (
          <>
            <Button onClick={discardAndLeave}>{words.discard}</Button>
            <Button variant="primary" onClick={leave}>
              {words.keepTyped}
            </Button>
          </>
        )}
        {left?.kind === 'files' && (
          <>
            <Button disabled={saving} onClick={leave}>
              {words.keep}
            </Button>
            <Button variant="primary" disabled={saving} onClick={() => void saveAndGo(left.id, left.files)}>
              {saving ? strings.files.saving : words.save}
            </Button>
          </>
        )}
      </Question>
    </Router>
  );
};

const sentenceOf = (unsaved: Unsaved): string =>
  unsaved.kind === 'files'
    ? `${strings.leave.description(unsaved.id, unsaved.files)} ${strings.leave.keptHint}`
    : strings.leave.settings(unsaved.labels);
