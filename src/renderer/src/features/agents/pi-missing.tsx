import { Popover } from '@base-ui/react/popover';
import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { PI_INSTALL_COMMAND } from '../../../../shared/run-command.ts';
import { runCommandQuery } from '../../api/queries.ts';
import { piMissing as words } from '../../strings/agents.ts';
import { buttonClass } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { cx } from '../../ui/cx.ts';

/** Says next to an agent's run button that pi isn't installed, and how to install it. Nothing if it is. */
export const PiMissing = ({ id }: { readonly id: string }) => {
  const run = useQuery(runCommandQuery(id)).data;
  if (!run?.warnings.some(({ code }) => code === 'pi_missing')) return null;
  return (
    <Popover.Root>
      <Popover.Trigger aria-label={words.title} className={cx(buttonClass('quiet'), 'text-warn')}>
        <TriangleAlert aria-hidden="true" className="size-3.5" />
        <span className="@max-xl:hidden">{words.title}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end" className="z-10">
          <Popover.Popup className="flex w-90 max-w-[calc(100vw-2rem)] flex-col gap-2 rounded-lg bg-raised p-3 shadow-popup outline-none transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0">
            <Popover.Title className="font-medium">{words.title}</Popover.Title>
            <Popover.Description className="text-sm text-muted">{words.hint}</Popover.Description>
            <div className="flex items-start gap-1">
              <code className="min-w-0 flex-1 rounded-md bg-sunken px-2 py-1 font-mono text-sm wrap-anywhere">
                {PI_INSTALL_COMMAND}
              </code>
              <CopyButton label={words.copy} text={PI_INSTALL_COMMAND} />
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
};
