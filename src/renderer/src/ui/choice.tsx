interface ChoiceProps<T extends string> {
  /** Names the group of options, for screen readers. */
  readonly label: string;
  readonly options: readonly T[];
  readonly names: Readonly<Record<T, string>>;
  /** Undefined if nothing is chosen yet. */
  readonly value: T | undefined;
  readonly onChange: (value: T) => void;
}

/** A choice between a few views of the same thing. All options are visible. */
export const Choice = <T extends string>({ label, options, names, value, onChange }: ChoiceProps<T>) => (
  <fieldset aria-label={label} className="flex w-fit min-w-0 flex-wrap rounded-lg bg-hover p-0.5 text-sm">
    {options.map((option) => (
      <button
        key={option}
        type="button"
        aria-pressed={option === value}
        onClick={() => onChange(option)}
        className="rounded-md px-2 py-0.25 whitespace-nowrap text-muted hover:text-ink aria-pressed:bg-canvas aria-pressed:text-ink aria-pressed:shadow-sm"
      >
        {names[option]}
      </button>
    ))}
  </fieldset>
);
