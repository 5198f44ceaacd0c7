import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import type { AgentProfile } from '../../../../shared/api/profiles.ts';
import { ModelPicker } from '../../models/model-picker.tsx';
import { useSetModel } from '../../models/use-set-model.ts';
import { useAction } from '../../shell/intents.ts';
import { models as words } from '../../strings/models.ts';

interface ModelChipProps {
  readonly id: string;
  /** The model the agent starts with, as named in its files. Undefined if no file names one. */
  readonly model: AgentProfile['model'];
}

/** An agent's model. Clicking it offers other models. */
export const ModelChip = ({ id, model }: ModelChipProps) => {
  const [isOpen, setIsOpen] = useState(false);
  const { mutate } = useSetModel(id);
  useAction('set-model', () => setIsOpen(true), id);
  const name = model?.name;
  return (
    <li className="flex min-w-0">
      <ModelPicker
        open={isOpen}
        onOpenChange={setIsOpen}
        agent={id}
        current={name}
        onPick={mutate}
        trigger={
          <button
            type="button"
            className="flex min-w-0 items-center gap-1 rounded-full bg-hover px-2 py-0.5 text-left text-xs hover:bg-selected data-popup-open:bg-selected"
          >
            <span className="text-muted">{words.model}</span>
            <span className="min-w-0 wrap-anywhere">
              {model ? model.name + (model.thinking ? `:${model.thinking}` : '') : words.unset}
            </span>
            {model && model.source !== 'pi-args' && (
              <span className="text-muted @max-sm:hidden">{words.from(model.source)}</span>
            )}
            <ChevronDown aria-hidden="true" className="size-3 shrink-0 text-muted" />
          </button>
        }
      />
    </li>
  );
};
