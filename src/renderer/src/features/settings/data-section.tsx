import { useQuery } from '@tanstack/react-query';
import { FolderOpen } from 'lucide-react';
import type { Settings } from '../../../../shared/api/settings.ts';
import { desktopBridge } from '../../api/desktop.ts';
import { healthQuery } from '../../api/queries.ts';
import { settings as words } from '../../strings/settings.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { PathText } from '../../ui/path-text.tsx';
import { Section } from '../../ui/section.tsx';
import { notifyFailure } from '../../ui/toast.tsx';

/** The version of the server. */
const useVersion = (): string => useQuery(healthQuery()).data?.version ?? strings.api.unknown;

/** The paths of all data, and the version. */
export const DataSection = ({ settings: { settings } }: { readonly settings: Settings }) => {
  const version = useVersion();
  const bridge = desktopBridge();
  const open = (): void => {
    bridge?.openDataFolder?.().catch((error: unknown) => notifyFailure(words.openFailed, error));
  };
  return (
    <Section heading={words.sections.about}>
      <dl
        tabIndex={-1}
        data-setting="dataFolder"
        className="grid grid-cols-[auto_1fr] items-start gap-x-6 gap-y-1.5 max-single:grid-cols-1"
      >
        <Place label={words.dataFolder} path={settings.dataDirectory.value} />
        <Place
          label={words.wallet}
          path={settings.walletDirectory.value}
          variable={
            settings.walletDirectory.origin === 'environment' ? settings.walletDirectory.variable : null
          }
        />
        <Place
          label={words.models}
          path={settings.modelPricingPath.value}
          variable={
            settings.modelPricingPath.origin === 'environment' ? settings.modelPricingPath.variable : null
          }
        />
        <dt className="text-muted">{words.version}</dt>
        <dd tabIndex={-1} data-setting="version">
          {version}
        </dd>
      </dl>
      {bridge?.openDataFolder && (
        <div>
          <Button onClick={open}>
            <FolderOpen aria-hidden="true" className="size-3.5" />
            {words.openFolder}
          </Button>
        </div>
      )}
    </Section>
  );
};

interface PlaceProps {
  readonly label: string;
  readonly path: string;
  /** The environment variable that set it. */
  readonly variable?: string | null;
}

const Place = ({ label, path, variable }: PlaceProps) => (
  <>
    <dt className="text-muted">{label}</dt>
    <dd className="flex min-w-0 items-start gap-1">
      <span className="min-w-0 font-mono">
        <PathText path={path} />
        {variable && <span className="font-sans text-sm text-muted"> ({variable})</span>}
      </span>
      <CopyButton label={words.copyPath(label)} text={path} />
    </dd>
  </>
);
