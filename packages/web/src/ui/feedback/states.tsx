/** States of an answer: loading, empty, failed, outdated, forbidden. */
import './states.css';
import type { MarketApiError } from '@market/sdk';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { signInPath } from '../../site-paths.ts';
import { Button } from '../inputs/button.tsx';
import { Time } from '../time/time.tsx';

/** Placeholder bars in the shape of the content to come. */
export function Skeleton({ lines = 3, label = 'Loading' }: { readonly lines?: number; readonly label?: string }) {
  return (
    <div className="skeleton" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place
        <span key={index} className={index % 3 === 2 ? 'short' : undefined} />
      ))}
    </div>
  );
}

/** One sentence and one action. */
export function Empty({ children, action }: { readonly children: ReactNode; readonly action?: ReactNode }) {
  return (
    <div className="state">
      <p>{children}</p>
      {action}
    </div>
  );
}

export interface ErrorStateProps {
  /** The beginning of the sentence, as in `The orders could not be loaded.` */
  readonly what: string;
  readonly error?: MarketApiError | Error | null;
  readonly onRetry?: () => void;
}

export function ErrorState({ what, error, onRetry }: ErrorStateProps) {
  const requestId = error != null && 'requestId' in error ? error.requestId : undefined;
  return (
    <div className="state bad" role="alert">
      <p>
        <b>{what}</b> {reasonOf(error)}
      </p>
      {requestId === undefined ? null : (
        <p className="meta">
          Request <span className="mono">{requestId}</span>
        </p>
      )}
      {onRetry === undefined ? null : (
        <Button size="small" onClick={onRetry}>
          Retry
        </Button>
      )}
    </div>
  );
}

function reasonOf(error: ErrorStateProps['error']): string {
  if (error == null || !('code' in error)) return '';
  if (error.code === 'network_error') return 'The service cannot be reached. Check the connection.';
  return error.message;
}

/** Marks outdated data, which stays visible, with its age. */
export function Stale({ asOf }: { readonly asOf: number }) {
  return (
    <p className="stale">
      as of <Time at={asOf} style="moment" />
    </p>
  );
}

/** Names the missing source; the rest is shown. */
export function Partial({ missing, onRetry }: { readonly missing: string; readonly onRetry: () => void }) {
  return (
    <p className="stale actions" role="status">
      <span>{missing} could not be read just now. The rest is complete.</span>
      <Button size="small" onClick={onRetry}>
        Retry
      </Button>
    </p>
  );
}

export function NoPermission({ children }: { readonly children?: ReactNode }) {
  return (
    <div className="state" role="alert">
      <p>
        <b>This is not yours to see.</b> {children ?? 'Sign in as somebody who takes part in it.'}
      </p>
    </div>
  );
}

export function NotThere({ what, action }: { readonly what: string; readonly action?: ReactNode }) {
  return (
    <div className="state" role="alert">
      <p>
        <b>{what}</b>
      </p>
      {action}
    </div>
  );
}

export interface LoadedProps<T> {
  readonly answer: Pick<UseQueryResult<T, MarketApiError>, 'data' | 'error' | 'isPending' | 'isFetching' | 'dataUpdatedAt' | 'refetch'>;
  /** The beginning of the sentences about failure, such as `The orders`. */
  readonly what: string;
  readonly skeleton?: ReactNode;
  readonly children: (data: T) => ReactNode;
}

/** Shows an answer, or its state. Data already loaded stay when a refetch fails. */
export function Loaded<T>({ answer, what, skeleton, children }: LoadedProps<T>) {
  const { data, error, dataUpdatedAt } = answer;
  if (data !== undefined)
    return (
      <>
        {error === null ? null : <Stale asOf={dataUpdatedAt} />}
        {children(data)}
      </>
    );
  if (error === null) return skeleton ?? <Skeleton label={`${what}: loading`} />;
  if (error.status === 401)
    return (
      <Empty action={<SignInButton />}>
        <b>Sign in to see this.</b>
        {error.code === 'invalid_order_token' ? <p>{error.message}</p> : null}
      </Empty>
    );
  if (error.status === 403) return <NoPermission>{error.message}</NoPermission>;
  if (error.status === 404) return <NotThere what={error.message} />;
  return <ErrorState what={`${what} could not be loaded.`} error={error} onRetry={() => void answer.refetch()} />;
}

export function SignInButton() {
  const backTo = typeof location === 'undefined' ? '/' : `${location.pathname}${location.search}`;
  return (
    <Button kind="ink" href={signInPath(backTo)}>
      Sign in
    </Button>
  );
}
