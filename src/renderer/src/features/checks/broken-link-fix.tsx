import { useQuery } from '@tanstack/react-query';
import { LINK_KINDS, type LinkKind } from '../../../../shared/api/names.ts';
import { linksQuery } from '../../api/queries.ts';
import { useLinkActions } from '../../links/use-link-actions.ts';
import { links as linkWords } from '../../strings/links.ts';
import { Button } from '../../ui/button.tsx';

/** The link that a finding is about, such as `skills/review`. Undefined for a finding about anything else. */
export const linkOf = ({ rule, file }: { readonly rule: string; readonly file: string }) => {
  const [folder, name] = file.split('/', 2);
  const kind = LINK_KINDS.find((one) => one === folder);
  return rule === 'link-broken' && kind && name !== undefined ? { kind, name } : undefined;
};

interface BrokenLinkFixProps {
  readonly id: string;
  readonly kind: LinkKind;
  readonly name: string;
}

/** Repairs a broken link if `shared` has an entry of its name, or removes it. */
export const BrokenLinkFix = ({ id, kind, name }: BrokenLinkFixProps) => {
  const entry = useQuery(linksQuery(id, kind)).data?.find((one) => one.name === name);
  const { repair, unlink, busy } = useLinkActions(id, kind);
  if (!entry?.broken) return null;
  return (
    <div className="flex gap-2">
      {entry.sharedRelative !== undefined && (
        <Button
          size="small"
          disabled={busy !== null}
          aria-label={linkWords.repairLabel(name)}
          data-details={linkWords.repairLabel(name)}
          onClick={() => repair(name)}
          data-row-action="fix"
        >
          {linkWords.repair}
        </Button>
      )}
      <Button
        size="small"
        disabled={busy !== null}
        aria-label={linkWords.removeLabel(name)}
        data-details={linkWords.removeLabel(name)}
        onClick={() => unlink(entry)}
        data-row-action="fix"
      >
        {linkWords.remove}
      </Button>
    </div>
  );
};
