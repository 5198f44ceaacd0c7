import { AppError } from './app-error.ts';
import { namesEtag } from './etag.ts';

/** Conditions for a write (RFC 9110, 13.1), as in the headers. */
export interface WriteConditions {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/** The error for a file that another program changed. `etag` is the current one, if the file exists. */
export const fileChanged = (name: string, etag: string | undefined) =>
  new AppError(
    'file_changed',
    `${name} has changed since you read it. Read it again, then decide which version to keep.`,
    { etag: etag ?? null },
  );

/** Verifies that a file meets a write's conditions. Throws `file_changed`. */
export const requireConditions = (
  { ifMatch, ifNoneMatch }: WriteConditions,
  name: string,
  etag: string | undefined,
): void => {
  const lost = ifMatch !== undefined && !namesEtag(ifMatch, etag);
  const taken = ifNoneMatch !== undefined && namesEtag(ifNoneMatch, etag);
  if (lost || taken) throw fileChanged(name, etag);
};
