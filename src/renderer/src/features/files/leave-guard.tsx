import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { type AroundNavHandler, Router } from 'wouter';
import type { EditableFile } from '../../../../shared/api/names.ts';
import { drafts } from '../../drafts/drafts.ts';
import { agentOf, parsePath, paths } from '../../routes.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Question } from '../../ui/dialog.tsx';
import { saveDrafts } from './save-draft.ts';

interface Leaving {
  readonly id: string;
  readonly files: readonly EditableFile[];
  readonly go: () => void;
  /** Goes to another place than the one that was asked for, without a question. */
  readonly redirect: (path: string) => void;
}

/**
 * Asks before unsaved text is left behind: on the way to another agent or page, and when the window closes. Between
 * the files of one agent nobody is asked, since the tabs show what is unsaved. Back and forward of the browser
 * cannot be held up and need not be: drafts outlive the way.
 */
export const LeaveGuard = ({ children }: { readonly children: ReactNode }) => {
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  // Stays after the answer, for the words of the dialog while it fades.
  const [leaving, setLeaving] = useState<Leaving | null>(null);
  const [saving, setSaving] = useState(false);

  useEffect(() => {
    const onBeforeUnload = (event: BeforeUnloadEvent): void => {
      if (drafts.all().length > 0) event.preventDefault();
    };
    window.addEventListener('beforeunload', onBeforeUnload);
    return () => window.removeEventListener('beforeunload', onBeforeUnload);
  }, []);

  const aroundNav: AroundNavHandler = (navigate, to, options) => {
    const id = agentOf(parsePath(window.location.pathname));
    const files = id === null ? [] : drafts.of(id).map((draft) => draft.file);
    if (id === null || files.length === 0 || agentOf(parsePath(to)) === id) {
      navigate(to, options);
      return;
    }
    setLeaving({ id, files, go: () => navigate(to, options), redirect: (path) => navigate(path) });
    setAsking(true);
  };

  const saveAndGo = async ({ id, files, go, redirect }: Leaving): Promise<void> => {
    setSaving(true);
    const failed = await saveDrafts(client, id, files);
    setSaving(false);
    setAsking(false);
    // What went wrong is said above the editor of that file.
    if (failed) redirect(paths.agent(id, { kind: 'files', file: failed }));
    else go();
  };

  const leave = (): void => {
    setAsking(false);
    leaving?.go();
  };

  const words = strings.leave;
  return (
    <Router aroundNav={aroundNav}>
      {children}
      <Question
        open={asking}
        onCancel={() => setAsking(false)}
        title={words.title}
        description={leaving && `${words.description(leaving.id, leaving.files)} ${words.keptHint}`}
      >
        <Button onClick={() => setAsking(false)}>{words.stay}</Button>
        <Button disabled={saving} onClick={leave}>
          {words.keep}
        </Button>
        <Button variant="primary" disabled={saving} onClick={() => leaving && void saveAndGo(leaving)}>
          {saving ? strings.files.saving : words.save}
        </Button>
      </Question>
    </Router>
  );
};
