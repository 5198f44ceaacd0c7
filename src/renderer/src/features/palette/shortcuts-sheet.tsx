import { Fragment } from 'react';
import { type Keys, SHORTCUTS, type Shortcut, type ShortcutId } from '../../shell/shortcuts.ts';
import { common } from '../../strings/common.ts';
import { sheet as words } from '../../strings/palette.ts';
import { Button } from '../../ui/button.tsx';
import { DialogActions, Modal } from '../../ui/dialog.tsx';
import { KeyCaps } from '../../ui/key-caps.tsx';

const GROUPS = ['everywhere', 'agent', 'list'] as const;

const idsOf = (where: Shortcut['where']): readonly ShortcutId[] =>
  (Object.keys(SHORTCUTS) as ShortcutId[]).filter((id) => SHORTCUTS[id].where === where);

/** A sheet that lists all of the page's shortcuts. */
export const ShortcutsSheet = ({
  open,
  onClose,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
}) => (
  <Modal
    showsOnly
    open={open}
    onOpenChange={(next) => next || onClose()}
    title={words.title}
    description={words.description}
  >
    {GROUPS.map((where) => (
      <section key={where} className="flex flex-col gap-1">
        <h3 className="text-sm font-medium text-muted">{words.groups[where]}</h3>
        <dl className="grid grid-cols-[1fr_auto] items-center gap-x-6 gap-y-1.5">
          {idsOf(where).map((id) => (
            <Fragment key={id}>
              <dt>{words.names[id]}</dt>
              <dd className="flex items-center justify-end gap-1.5">
                <Combinations all={SHORTCUTS[id].keys} />
              </dd>
            </Fragment>
          ))}
        </dl>
      </section>
    ))}
    <DialogActions>
      <Button onClick={onClose}>{common.close}</Button>
    </DialogActions>
  </Modal>
);

const Combinations = ({ all }: { readonly all: readonly Keys[] }) =>
  all.map((keys, index) => (
    <Fragment key={keys.key}>
      {index > 0 && <span className="text-sm text-muted">{words.or}</span>}
      <KeyCaps keys={keys} />
    </Fragment>
  ));
