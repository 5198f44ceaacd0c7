import { join } from 'node:path';
import { resolvedPlace } from './resolves-outside.ts';
import { isInside } from './root.ts';

/** The settings that say where dot-mi keeps its data. */
interface DataSettings {
  readonly dataDirectory: string;
  readonly walletDirectory: string;
  readonly starterRootPath: string;
}

/** Returns the directories of dot-mi's own data: wallet, operator token, keys, settings, services and more. */
export const ownDataOf = ({
  dataDirectory,
  walletDirectory,
}: Pick<DataSettings, 'dataDirectory' | 'walletDirectory'>): string[] => [
  join(dataDirectory, 'data'),
  walletDirectory,
];

/**
 * Returns why a directory can't be the root: it contains dot-mi's own data, or lies in it. A sentence for the
 * operator. Undefined if it can. Follows links, and the directories don't have to exist. Blocks.
 *
 * SECURITY: agents and callers without a token read and change the root.
 */
export const rootOverlap = (rootPath: string, settings: DataSettings): string | undefined => {
  const root = resolvedPlace(rootPath);
  const isStarterRoot = isInside(resolvedPlace(settings.starterRootPath), root);
  for (const directory of ownDataOf(settings)) {
    const place = resolvedPlace(directory);
    if (isInside(root, place))
      return `The root "${rootPath}" contains "${directory}", where dot-mi keeps its secrets. Choose another folder as the root.`;
    if (isInside(place, root) && !isStarterRoot)
      return `The root "${rootPath}" is in "${directory}", where dot-mi keeps its secrets. Choose another folder as the root.`;
  }
  return undefined;
};
