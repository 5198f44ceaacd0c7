import { useMemo, useState } from 'react';
import type { Command } from '../../commands/command.ts';
import { SHORTCUTS } from '../../commands/shortcuts.ts';
import { palette } from '../../strings/palette.ts';
import { KeyCaps } from '../../ui/key-caps.tsx';
import { rank } from './fuzzy.ts';
import { PickerDialog, type PickerGroup } from './picker-dialog.tsx';

interface CommandPaletteProps {
  readonly open: boolean;
  readonly commands: readonly Command[];
  readonly onClose: () => void;
  readonly onClosed: (picked: Command | null) => void;
}

const grouped = (commands: readonly Command[]): PickerGroup<Command>[] =>
  [...Map.groupBy(commands, ({ group }) => group)].map(([value, items]) => ({ value, items }));

/** All commands, found by a few letters. Without letters, they are grouped. With letters, best first. */
export const CommandPalette = ({ open, commands, onClose, onClosed }: CommandPaletteProps) => {
  const [query, setQuery] = useState('');
  const groups = useMemo(() => {
    if (query.trim() === '') return grouped(commands);
    const items = rank(
      commands,
      query,
      ({ title, keywords = '' }) => `${title} ${keywords}`,
      commands.length,
    );
    return items.length === 0 ? [] : [{ value: '', items }];
  }, [commands, query]);
  return (
    <PickerDialog
      open={open}
      onClose={onClose}
      onClosed={onClosed}
      label={palette.label}
      placeholder={palette.search}
      hint={palette.hint}
      none={palette.none}
      query={query}
      onQueryChange={setQuery}
      groups={groups}
      keyOf={({ id }) => id}
      show={({ title, shortcut }) => (
        <>
          <span className="min-w-0 flex-1 truncate">{title}</span>
          {shortcut && <KeyCaps keys={SHORTCUTS[shortcut].keys[0]} />}
        </>
      )}
    />
  );
};
