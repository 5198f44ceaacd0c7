import { Menu } from '@base-ui/react/menu';
import { Ellipsis } from 'lucide-react';
import type { ReactNode } from 'react';
import { budgets } from '../../strings/budgets.ts';
import { strings } from '../../strings.ts';
import { buttonClass } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Tooltip } from '../../ui/tooltip.tsx';
import type { AgentTool } from './agent-tools.ts';

interface AgentActionsProps {
  readonly id: string;
  /** The tools that have no button of their own. */
  readonly tools: readonly AgentTool[];
  readonly onBudget: () => void;
  readonly onDuplicate: () => void;
  readonly onDelete: () => void;
}

/** A menu of the other actions on an agent: outside this page, its budget, and those that copy or delete it. */
export const AgentActions = ({ id, tools, onBudget, onDuplicate, onDelete }: AgentActionsProps) => (
  <Menu.Root>
    <Tooltip label={strings.tools.more(id)}>
      <Menu.Trigger
        aria-label={strings.tools.more(id)}
        className={cx(buttonClass('quiet', 'icon'), 'mt-0.75')}
      >
        <Ellipsis aria-hidden="true" className="size-4" />
      </Menu.Trigger>
    </Tooltip>
    <Menu.Portal>
      <Menu.Positioner sideOffset={4} align="end" className="z-10">
        <Menu.Popup className="min-w-48 rounded-lg bg-raised p-1 shadow-popup outline-none transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0">
          {tools.map((tool) => (
            <Item key={tool.id} onClick={() => void tool.run()}>
              {tool.label}
            </Item>
          ))}
          <Menu.Separator className="mx-2 my-1 h-px bg-line" />
          <Item onClick={onBudget}>{budgets.open}</Item>
          <Item onClick={onDuplicate}>{strings.duplicateAgent.open}</Item>
          <Item tone="text-danger" onClick={onDelete}>
            {strings.deleteAgent.open}
          </Item>
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  </Menu.Root>
);

const Item = ({
  tone,
  onClick,
  children,
}: {
  readonly tone?: string;
  readonly onClick: () => void;
  readonly children: ReactNode;
}) => (
  <Menu.Item
    onClick={onClick}
    className={cx(
      'flex cursor-default rounded-md px-2.5 py-1.5 outline-none data-highlighted:bg-hover',
      tone,
    )}
  >
    {children}
  </Menu.Item>
);
