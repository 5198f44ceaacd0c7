import { useState } from 'react';
import { Link } from 'wouter';
import { paths } from '../routes.ts';
import { common } from '../strings/common.ts';
import { fixAll as words } from '../strings/fix-all.ts';
import { Button } from '../ui/button.tsx';
import { DialogActions, Modal } from '../ui/dialog.tsx';
import { Failure } from '../ui/failures.tsx';
import { CheckboxField } from '../ui/field.tsx';
import { ScrollBlock } from '../ui/scroll-block.tsx';
import { type FixPlan, type LeftProblems, withoutLinks } from './fix-plan.ts';
import { type FixResult, useFixAll } from './use-fix-all.ts';

/** The most agents that the result names. */
const NAMED = 100;

const BLOCK = 'max-h-60 rounded-md border border-line low:max-h-32';

interface FixAllDialogProps {
  /** The agents to fix. Undefined for all agents. */
  readonly ids: readonly string[] | undefined;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Lists the fixes for several agents, asks for confirmation once, and then lists what wasn't fixed. */
export const FixAllDialog = ({ ids, open, onOpenChange }: FixAllDialogProps) => {
  const [result, setResult] = useState<FixResult | null>(null);
  const { plan, checking, fix, fixing } = useFixAll(ids, open && result === null, (done) => {
    setResult(done);
    if (done.left.length === 0) onOpenChange(false);
  });
  const { data } = plan;
  const [repairs, setRepairs] = useState(true);
  const [removes, setRemoves] = useState(false);
  const canFix = data !== undefined && data.fixes + data.links.length > 0 && result === null;
  const repairable = data?.links.filter((link) => link.repairable) ?? [];
  const others = data?.links.filter((link) => !link.repairable) ?? [];
  const links = [...(repairs ? repairable : []), ...(removes ? others : [])];
  const fixes = (data?.fixes ?? 0) + links.length;
  const agents = new Set([...(data?.agents ?? []), ...links].map(({ id }) => id)).size;
  const staying = withoutLinks(data?.left ?? [], links).length;
  return (
    <Modal
      open={open}
      onOpenChange={(next) => fix.isPending || onOpenChange(next)}
      title={canFix && fixes > 0 ? words.question(fixes, agents) : words.title}
      description={result ? words.done(result.fixed, result.agents) : canFix ? words.body : words.find}
    >
      <div className="flex flex-col gap-4">
        <div role="status" className="flex flex-col gap-2 empty:hidden">
          {plan.isPending && <p className="tabular-nums">{words.checking(checking.done, checking.all)}</p>}
          {data && !canFix && !result && <p>{words.nothing}</p>}
        </div>
        {plan.error && <Failure title={words.checkFailed} message={plan.error.message} />}
        {canFix && data.fixes > 0 && <Kinds plan={data} />}
        {canFix && repairable.length > 0 && (
          <CheckboxField
            label={words.repair(repairable.length)}
            hint={words.repairHint}
            checked={repairs}
            onCheckedChange={setRepairs}
          />
        )}
        {canFix && others.length > 0 && (
          <CheckboxField
            label={words.remove(others.length)}
            hint={words.removeHint}
            checked={removes}
            onCheckedChange={setRemoves}
          />
        )}
        {canFix && staying > 0 && <p className="text-muted">{words.staying(staying)}</p>}
        {!canFix && data && <Left left={result?.left ?? data.left} onLeave={() => onOpenChange(false)} />}
        <DialogActions>
          <Button disabled={fix.isPending} onClick={() => onOpenChange(false)}>
            {canFix || plan.isPending ? common.cancel : common.close}
          </Button>
          {canFix && (
            <Button
              variant="primary"
              disabled={fix.isPending || fixes === 0}
              onClick={() => fix.mutate({ plan: data, links })}
            >
              {fix.isPending ? words.fixing(fixing.done, fixing.all) : words.fix(fixes)}
            </Button>
          )}
        </DialogActions>
      </div>
    </Modal>
  );
};

const Kinds = ({ plan: { kinds } }: { readonly plan: FixPlan }) => (
  <ScrollBlock label={words.kinds} className={BLOCK}>
    <ul className="divide-y divide-line text-sm">
      {kinds.map(({ title, count }) => (
        <li key={title} className="flex items-baseline gap-3 py-1">
          <span className="min-w-0 flex-1 break-words">{title}</span>
          <span className="text-muted tabular-nums">{words.number(count)}</span>
        </li>
      ))}
    </ul>
  </ScrollBlock>
);

interface LeftProps {
  readonly left: readonly LeftProblems[];
  /** Called before an agent opens. */
  readonly onLeave: () => void;
}

const Left = ({ left, onLeave }: LeftProps) =>
  left.length > 0 && (
    <div className="flex flex-col gap-1.5">
      <p>{words.left}</p>
      <ScrollBlock label={words.leftLabel} className={BLOCK}>
        <ul className="divide-y divide-line text-sm">
          {left.slice(0, NAMED).map((one) => (
            <li key={one.id} className="flex flex-wrap items-baseline gap-x-3 py-1">
              <Link
                href={paths.agent(one.id, { kind: 'checks' })}
                onClick={onLeave}
                className="min-w-0 flex-1 rounded break-words text-accent underline-offset-2 hover:underline"
              >
                {one.id}
              </Link>
              {one.count > 0 && <span className="text-muted tabular-nums">{words.count(one)}</span>}
              {one.unsaved.length > 0 && <p className="w-full">{words.unsavedFiles(one.unsaved)}</p>}
              {one.reason !== undefined && <p className="w-full break-words">{one.reason}</p>}
            </li>
          ))}
          {left.length > NAMED && <li className="py-1 text-muted">{words.more(left.length - NAMED)}</li>}
        </ul>
      </ScrollBlock>
    </div>
  );
