import { CloudOff, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { needsSignIn, titleOf } from '../../../shared/api/errors.ts';
import type { ApiError } from '../api/client.ts';
import { paths } from '../routes.ts';
import { common, errors } from '../strings/common.ts';
import { shell as shellWords } from '../strings/shell.ts';
import { Button, buttonClass } from './button.tsx';
import { EmptyState } from './empty-state.tsx';
import { lazyView } from './lazy-view.tsx';

// Loaded lazily: most people are signed in, and its form is larger than the first view's other controls.
const SignInPrompt = lazyView(async () => (await import('../shell/sign-in.tsx')).SignInPrompt);

/** Says why content couldn't be loaded, in the server's words, and how to continue. `children` add more ways. */
export const ErrorState = ({
  error,
  onRetry,
  level,
  children,
}: {
  readonly error: ApiError;
  readonly onRetry: () => void;
  /** As in {@link EmptyState}. */
  readonly level?: 1;
  readonly children?: ReactNode;
}) =>
  needsSignIn(error) ? (
    <SignInPrompt announce>
      <Button onClick={onRetry}>{common.tryAgain}</Button>
    </SignInPrompt>
  ) : (
    <EmptyState
      announce
      {...(level && { level })}
      icon={error.code === 'offline' ? CloudOff : TriangleAlert}
      title={errors.titles[error.code] ?? titleOf(error.code) ?? errors.fallbackTitle}
      hint={<p>{error.message}</p>}
    >
      {error.code === 'root_unavailable' && (
        <Link href={paths.settings} className={buttonClass('primary')}>
          {shellWords.chooseRoot}
        </Link>
      )}
      {children}
      <Button onClick={onRetry}>{common.tryAgain}</Button>
    </EmptyState>
  );
