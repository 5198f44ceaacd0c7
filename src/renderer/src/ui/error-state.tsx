import { CloudOff, KeyRound, TriangleAlert } from 'lucide-react';
import { Link } from 'wouter';
import { titleOf } from '../../../shared/api/errors.ts';
import type { ApiError } from '../api/client.ts';
import { paths } from '../routes.ts';
import { SignInForm } from '../sign-in/sign-in-form.tsx';
import { signIn } from '../strings/sign-in.ts';
import { strings } from '../strings.ts';
import { Button, buttonClass } from './button.tsx';
import { EmptyState } from './empty-state.tsx';

const ICONS: Readonly<Record<string, typeof CloudOff>> = { offline: CloudOff, unauthorized: KeyRound };

/** A place that could not be read: the server's sentence, and a way on. */
export const ErrorState = ({
  error,
  onRetry,
}: {
  readonly error: ApiError;
  readonly onRetry: () => void;
}) => (
  <EmptyState
    announce
    icon={ICONS[error.code] ?? TriangleAlert}
    title={strings.errors.titles[error.code] ?? titleOf(error.code) ?? strings.errors.fallbackTitle}
    hint={error.code === 'unauthorized' ? <p>{signIn.description}</p> : <p>{error.message}</p>}
  >
    {error.code === 'unauthorized' && <SignInForm />}
    {error.code === 'root_unavailable' && (
      <Link href={paths.settings} className={buttonClass('primary')}>
        {strings.shell.chooseRoot}
      </Link>
    )}
    <Button onClick={onRetry}>{strings.common.tryAgain}</Button>
  </EmptyState>
);
