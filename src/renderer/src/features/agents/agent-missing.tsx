import { FolderX } from 'lucide-react';
import { Link } from 'wouter';
import { drafts } from '../../drafts/drafts.ts';
import { useDraftedFiles } from '../../drafts/use-drafts.ts';
import { paths } from '../../routes.ts';
import { strings } from '../../strings.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

/** Says that the agent doesn't exist, and offers its drafts to copy or discard. */
export const AgentMissing = ({ id }: { readonly id: string }) => {
  const words = strings.agents;
  return (
    <EmptyState
      announce
      level={1}
      icon={FolderX}
      title={words.notFound(id)}
      hint={
        <>
          <p>{words.notFoundHint}</p>
          <KeptDrafts id={id} />
        </>
      }
    >
      <Link href={paths.agents} className={buttonClass('primary')}>
        {words.all}
      </Link>
      <Link href={paths.trash} className={buttonClass()}>
        {words.openTrash}
      </Link>
    </EmptyState>
  );
};

const KeptDrafts = ({ id }: { readonly id: string }) => {
  const files = useDraftedFiles(id);
  if (files.length === 0) return null;
  const words = strings.agents;
  return (
    <div className="mt-4 rounded-md border border-warn-line bg-warn-soft p-3 text-left text-ink">
      <h2 className="font-medium">{words.keptDrafts}</h2>
      <ul>
        {files.map((file) => (
          <li key={file} className="flex items-center gap-1">
            <span className="mr-auto font-mono">{file}</span>
            <CopyButton label={words.copyDraft(file)} text={String(drafts.get(id, file)?.text ?? '')} />
            <Button
              variant="quiet"
              size="small"
              aria-label={words.discardDraft(file)}
              onClick={() => drafts.remove(id, file)}
            >
              {strings.common.discard}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
};
