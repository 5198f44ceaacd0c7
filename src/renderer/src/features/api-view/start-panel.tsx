import { useQuery } from '@tanstack/react-query';
import { modelsQuery } from '../../api/queries.ts';
import { lastRead } from '../../api/read-status.ts';
import { apiView as words } from '../../strings/api-view.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Section } from '../../ui/section.tsx';
import { apiAddress, type Example, startExamples } from './curl.ts';

/** How to call this server: its address, commands to try and tokens. */
export const StartPanel = () => {
  const model = lastRead(useQuery(modelsQuery()))?.models[0]?.name;
  const address = apiAddress(window.location);
  return (
    <div className="max-w-190">
      <Section heading={words.address}>
        <Line text={address} copyLabel={words.copyAddress} />
      </Section>
      <Section heading={words.commands}>
        <ul className="flex flex-col gap-3">
          {startExamples(address, model).map((example) => (
            <Command key={example.title} example={example} />
          ))}
        </ul>
      </Section>
      <Section heading={words.document}>
        <Line text={`${address}/openapi.json`} copyLabel={words.copyOpenApi} />
      </Section>
      <Section heading={words.tokens}>
        <p className="text-muted">{words.tokensHint}</p>
      </Section>
    </div>
  );
};

const Command = ({ example: { title, hint, command } }: { readonly example: Example }) => (
  <li className="flex flex-col gap-1">
    <h3 className="font-medium">{title}</h3>
    {hint !== undefined && <p className="text-muted">{hint}</p>}
    <Line text={command} copyLabel={words.copyCommand(title)} />
  </li>
);

/** A line of code, with a button that copies it. */
export const Line = ({ text, copyLabel }: { readonly text: string; readonly copyLabel: string }) => (
  <div className="flex min-w-0 items-start gap-2 rounded-md border border-line bg-sunken py-1.5 pr-1.5 pl-3">
    <code className="min-w-0 flex-1 py-0.5 font-mono text-sm break-all whitespace-pre-wrap">{text}</code>
    <CopyButton label={copyLabel} text={text} />
  </div>
);
