import { Popover } from '@base-ui/react/popover';
import type { ReactElement } from 'react';
import { models as words } from '../strings/models.ts';
import { cx } from '../ui/cx.ts';
import { lazyView } from '../ui/lazy-view.tsx';
import { POPUP } from '../ui/menu.tsx';
import { useModelChoices } from './use-model-choices.ts';

const ModelList = lazyView(async () => (await import('./model-list.tsx')).ModelList, 'part');

interface ModelPickerProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** The button that opens the list and gets focus afterwards. */
  readonly trigger: ReactElement;
  /** The agent whose call is priced. If undefined, prices are for 1,000 input tokens. */
  readonly agent?: string | undefined;
  /** The name of the model in use, without a thinking level. */
  readonly current?: string | undefined;
  readonly onPick: (name: string) => void;
  readonly side?: 'bottom' | 'top';
}

/** A button that opens the list of models. */
export const ModelPicker = ({
  open,
  onOpenChange,
  trigger,
  agent,
  current,
  onPick,
  side = 'bottom',
}: ModelPickerProps) => {
  // Load the choices early, so that they're there when the list opens.
  const read = useModelChoices(agent);
  return (
    <Popover.Root open={open} onOpenChange={onOpenChange}>
      <Popover.Trigger render={trigger} />
      <Popover.Portal>
        <Popover.Positioner side={side} align="start" sideOffset={6} collisionPadding={8} className="z-10">
          <Popover.Popup
            aria-label={words.title}
            // A fixed height, so that nothing moves while the list is filtered.
            className={cx(
              POPUP,
              'flex h-96 max-h-(--available-height) w-96 max-w-[calc(100vw-2rem)] flex-col overflow-hidden',
            )}
          >
            <ModelList
              read={read}
              current={current}
              onPick={(name) => {
                onOpenChange(false);
                onPick(name);
              }}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
};
