import { Field } from '@base-ui/react/field';
import { apiView as words } from '../../strings/api-view.ts';
import { cx } from '../../ui/cx.ts';
import { Problem } from '../../ui/failures.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { type FormValues, fieldKey } from './build-request.ts';
import type { ApiRoute, BodyExample, Parameter } from './openapi.ts';

const PLACES = ['path', 'query', 'header'] as const;
const FIELDS = 'grid min-w-0 gap-3 icons:grid-cols-2';
const MAX_BODY_ROWS = 14;

interface RouteFormProps {
  readonly route: ApiRoute;
  readonly values: FormValues;
  /** Keyed by {@link fieldKey}, or by `body` for the body. */
  readonly problems: Readonly<Record<string, string>>;
  readonly onChange: (values: FormValues) => void;
}

/** A request's fields: its path, query, headers and JSON body. */
export const RouteForm = ({ route, values, problems, onChange }: RouteFormProps) => (
  <div className="flex flex-col gap-4">
    {PLACES.map((place) => {
      const parameters = route.parameters.filter((parameter) => parameter.in === place);
      if (parameters.length === 0) return null;
      const fields = parameters.map((parameter) => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          value={values.fields[fieldKey(parameter)] ?? ''}
          problem={problems[fieldKey(parameter)]}
          onChange={(value) =>
            onChange({ ...values, fields: { ...values.fields, [fieldKey(parameter)]: value } })
          }
        />
      ));
      if (place !== 'header')
        return (
          <fieldset key={place} className={FIELDS}>
            <legend className="pb-1 text-sm text-muted">{words.form.places[place]}</legend>
            {fields}
          </fieldset>
        );
      // Collapsed, because few people need headers and no route requires one.
      const isOpen = parameters.some((parameter) => parameter.isRequired || problems[fieldKey(parameter)]);
      return (
        <details key={place} open={isOpen || undefined}>
          <summary className="w-fit cursor-default rounded text-sm text-muted hover:text-ink">
            {words.form.headers(parameters.length)}
          </summary>
          <fieldset aria-label={words.form.places.header} className={cx(FIELDS, 'pt-2')}>
            {fields}
          </fieldset>
        </details>
      );
    })}
    {values.body !== undefined && (
      <BodyField
        value={values.body}
        examples={route.body?.examples ?? []}
        problem={problems.body}
        onChange={(body) => onChange({ ...values, body })}
      />
    )}
  </div>
);

interface ParameterFieldProps {
  readonly parameter: Parameter;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

const ParameterField = ({
  parameter: { name, description, isRequired, choices },
  value,
  problem,
  onChange,
}: ParameterFieldProps) => {
  const label = (
    <>
      <code className="font-mono">{name}</code>
      {!isRequired && <span className="font-normal text-muted"> {words.form.optional}</span>}
    </>
  );
  if (choices.length === 0)
    return (
      <TextField
        label={label}
        value={value}
        onValueChange={onChange}
        hint={description?.replaceAll('`', '')}
        error={problem}
      />
    );
  return (
    <SelectField
      label={label}
      value={value}
      onValueChange={onChange}
      options={[['', words.form.notSet], ...choices.map((choice) => [choice, choice] as const)]}
      hint={description?.replaceAll('`', '')}
      error={problem}
    />
  );
};

interface BodyFieldProps {
  readonly value: string;
  readonly examples: readonly BodyExample[];
  readonly problem: string | undefined;
  readonly onChange: (body: string) => void;
}

const BodyField = ({ value, examples, problem, onChange }: BodyFieldProps) => (
  <Field.Root invalid={problem !== undefined} className="flex flex-col gap-1.5">
    <div className="flex flex-wrap items-end gap-x-4 gap-y-1.5">
      <Field.Label className="mr-auto font-medium">{words.form.body}</Field.Label>
      {examples.length > 1 && (
        <span className="flex min-w-0 items-center gap-2 text-sm">
          <label className="flex min-w-0 items-center gap-2">
            <span className="font-medium">{words.form.examples}</span>
            <select
              value=""
              onChange={({ target }) => {
                const example = examples[Number(target.value)];
                if (example) onChange(JSON.stringify(example.value, null, 2));
              }}
              className="h-7 max-w-64 min-w-0 rounded-md border border-line-strong bg-canvas px-1.5"
            >
              <option value="" />
              {examples.map(({ title }, index) => (
                <option key={title} value={index}>
                  {title}
                </option>
              ))}
            </select>
          </label>
        </span>
      )}
    </div>
    <Field.Control
      render={
        <textarea rows={Math.min(MAX_BODY_ROWS, Math.max(3, value.split('\n').length))} spellCheck={false} />
      }
      value={value}
      onValueChange={onChange}
      className="w-full resize-y rounded-md border border-line-strong bg-canvas px-2.5 py-1.5 font-mono text-sm outline-offset-0 data-invalid:border-danger"
    />
    {problem !== undefined && (
      <Field.Error match render={<Problem />}>
        {problem}
      </Field.Error>
    )}
  </Field.Root>
);
