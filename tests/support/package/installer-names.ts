import config from '../../../electron-builder.config.ts';

const EXTENSIONS: Record<string, string> = { nsis: 'exe', portable: 'exe' };
/** Kinds of packages with their own word for a kind of machine. */
const WORDS: Record<string, Record<string, string>> = {
  x64: { deb: 'amd64', rpm: 'x86_64', AppImage: 'x86_64' },
  arm64: { rpm: 'aarch64' },
};

/** The files that the release creates for a version, as electron-builder would name them. */
export const installerNames = (version: string): string[] =>
  (['linux', 'mac', 'win'] as const).flatMap((os) =>
    [config[os]?.target ?? []].flat().flatMap((item) => {
      const { target, arch = ['x64', 'arm64'] } = typeof item === 'string' ? { target: item } : item;
      const own = { nsis: config.nsis, portable: config.portable }[target]?.artifactName;
      return [arch].flat().map((name) => {
        const values: Record<string, string> = {
          version,
          os,
          arch: WORDS[name]?.[target] ?? name,
          ext: EXTENSIONS[target] ?? target,
        };
        const pattern = own ?? config.artifactName ?? '';
        return pattern.replaceAll(/\$\{(\w+)\}/g, (_all, key: string) => values[key] ?? `?${key}?`);
      });
    }),
  );
