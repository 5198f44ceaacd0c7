import { KEY_VARIABLES } from '../../../pi/providers.ts';
import { isWindowsPath } from '../../../shared/run-command.ts';
import { readiness } from '../strings/readiness.ts';
import { CopyButton } from '../ui/copy-button.tsx';

const words = readiness.guide;

const Command = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <div className="flex items-start gap-1">
    <code className="min-w-0 flex-1 rounded-md bg-hover px-2 py-1 font-mono text-sm wrap-anywhere text-ink">
      {text}
    </code>
    <CopyButton label={label} text={text} />
  </div>
);

interface SignInGuideProps {
  readonly provider: string;
  /** The path of the agent or root, which shows which shell people use. */
  readonly path?: string | undefined;
}

/** The exact commands that sign in to a provider: in pi, or with an environment variable. */
export const SignInGuide = ({ provider, path = '' }: SignInGuideProps) => {
  const variable = Object.hasOwn(KEY_VARIABLES, provider) ? KEY_VARIABLES[provider] : undefined;
  const login = `/login ${provider}`;
  return (
    <div className="flex flex-col gap-1.5 text-sm text-muted">
      <p>{words.login}</p>
      <Command text={login} label={words.copyLogin(provider)} />
      {variable !== undefined && (
        <>
          <p>{words.variable}</p>
          <Command
            text={
              isWindowsPath(path) ? `$env:${variable} = '${words.key}'` : `export ${variable}='${words.key}'`
            }
            label={words.copyVariable(variable)}
          />
          <p>{words.unseen}</p>
        </>
      )}
    </div>
  );
};
