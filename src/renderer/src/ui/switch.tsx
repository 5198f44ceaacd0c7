import { Switch as BaseSwitch } from '@base-ui/react/switch';

/** A switch that takes effect at once. Without a `label`, the field around it provides its name. */
export const Switch = ({
  label,
  checked,
  onCheckedChange,
}: {
  readonly label?: string;
  readonly checked: boolean;
  readonly onCheckedChange: (checked: boolean) => void;
}) => (
  <BaseSwitch.Root
    aria-label={label}
    checked={checked}
    onCheckedChange={(next) => onCheckedChange(next)}
    className="flex h-5 w-9 shrink-0 items-center rounded-full border border-line-strong bg-sunken p-0.5 transition-colors duration-100 data-checked:border-accent data-checked:bg-accent data-disabled:cursor-not-allowed data-disabled:opacity-50"
  >
    <BaseSwitch.Thumb className="size-3.5 rounded-full bg-line-strong transition-transform duration-100 data-checked:translate-x-4 data-checked:bg-on-accent" />
  </BaseSwitch.Root>
);
