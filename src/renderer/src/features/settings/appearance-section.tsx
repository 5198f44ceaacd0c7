import { Field } from '@base-ui/react/field';
import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { useId } from 'react';
import { isMac } from '../../commands/platform.ts';
import { settings as words } from '../../strings/settings.ts';
import { chooseLineNumbers, useLineNumbers } from '../../theme/line-numbers.ts';
import { chooseTheme, THEMES, type Theme, useTheme } from '../../theme/theme.ts';
import { Section } from '../../ui/section.tsx';
import { Switch } from '../../ui/switch.tsx';

/** How the page looks in this browser. */
export const AppearanceSection = () => {
  const theme = useTheme();
  const id = useId();
  return (
    <Section heading={words.sections.appearance}>
      <div data-setting="theme" className="flex flex-col gap-1">
        <span id={id} className="font-medium">
          {words.theme}
        </span>
        <RadioGroup<Theme>
          aria-labelledby={id}
          value={theme}
          onValueChange={(next) => chooseTheme(next)}
          className="flex w-fit rounded-md border border-line-strong/60 p-0.5"
        >
          {THEMES.map((name) => (
            <Radio.Root
              key={name}
              value={name}
              aria-label={words.themes[name]}
              className="flex h-6 cursor-default items-center rounded px-3 text-muted hover:text-ink data-checked:bg-selected data-checked:font-medium data-checked:text-ink"
            >
              {words.themes[name]}
            </Radio.Root>
          ))}
        </RadioGroup>
      </div>
      <Field.Root data-setting="lineNumbers" className="flex items-start gap-3">
        <Switch checked={useLineNumbers()} onCheckedChange={(areShown) => chooseLineNumbers(areShown)} />
        <div className="flex flex-col gap-0.5">
          <Field.Label className="font-medium">{words.lineNumbers}</Field.Label>
          <Field.Description className="text-sm text-muted">{words.lineNumbersHint}</Field.Description>
        </div>
      </Field.Root>
      <p className="text-sm text-muted">{words.zoom(isMac() ? '⌘' : 'Ctrl')}</p>
    </Section>
  );
};
