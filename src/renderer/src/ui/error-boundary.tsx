import { OctagonX } from 'lucide-react';
import { Component, type ReactNode } from 'react';
import { common } from '../strings/common.ts';
import { Button, buttonClass } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { EmptyState } from './empty-state.tsx';

interface ErrorBoundaryProps {
  /** A new value makes the boundary render its children again. */
  readonly place?: string;
  readonly children: ReactNode;
}

interface ErrorBoundaryState {
  readonly broken: { readonly error: unknown } | null;
}

/**
 * Renders its children. If they throw, shows an error and ways to continue. Everything around the boundary keeps
 * working. Typed text is in stores outside React, so it isn't lost.
 */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { broken: null };

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { broken: { error } };
  }

  override componentDidUpdate({ place }: ErrorBoundaryProps): void {
    if (this.state.broken && place !== this.props.place) this.setState({ broken: null });
  }

  override render(): ReactNode {
    const { broken } = this.state;
    if (!broken) return this.props.children;
    return <Broken error={broken.error} onRetry={() => this.setState({ broken: null })} />;
  }
}

const Broken = ({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) => (
  <EmptyState announce level={1} icon={OctagonX} title={common.broken.title} hint={common.broken.hint}>
    <Button variant="primary" onClick={onRetry}>
      {common.tryAgain}
    </Button>
    <Button onClick={() => window.location.reload()}>{common.broken.reload}</Button>
    {/* A link that reloads the page, because the router may be the cause. */}
    <a href="/" className={buttonClass('secondary')}>
      {common.broken.start}
    </a>
    <CopyButton
      label={common.broken.copy}
      text={error instanceof Error ? String(error.stack) : String(error)}
    />
  </EmptyState>
);
