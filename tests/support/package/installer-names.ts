import config from '../../../electron-builder.config.ts';

const EXTENSIONS: Record<string, string> = { nsis: 'exe', portable: 'exe' };
/** Kinds of packages with their own word for x64. */
const X64: Record<string, string> = { deb: 'amd64', rpm: 'x86_64', AppImage: 'x86_64' };

/** The files that electron-builder.config.ts creates for a version, as electron-builder would name them. */
export const installerNames = (version: string): string[] =>
  (['linux', 'mac', 'win'] as const).flatMap((os) =>
    [config[os]?.target ?? []].flat().flatMap((item) => {
      const { target, arch = 'x64' } = typeof item === 'string' ? { target: item } : item;
      const own = { nsis: config.nsis, portable: config.portable }[target]?.artifactName;
      return [arch].flat().map((name) => {
        const values: Record<string, string> = {
          version,
          os,
          arch: X64[target] ?? name,
          ext: EXTENSIONS[target] ?? target,
        };
        const pattern = own ?? config.artifactName ?? '';
        return pattern.replaceAll(/\$\{(\w+)\}/g, (_all, key: string) => values[key] ?? `?${key}?`);
      });
    }),
  );
