/** Shown instead of a page: not found, sign-in required, error. */
import { useFacts } from '../data/site-facts.ts';
import type { PageFailure } from '../router/page-visit.ts';
import { useNavigation } from '../router/router.tsx';
import { signInPath, sitePaths } from '../site-paths.ts';
import { Button } from '../ui/inputs/button.tsx';

export function NotFoundPage({ path }: { readonly path: string }) {
  return (
    <div className="wrap gone">
      <h1>Nothing at this address</h1>
      <p className="lead">
        There is no page at <code>{path}</code>. It may have moved, or the address is misspelled.
      </p>
      <p className="actions">
        <Button href={sitePaths.home}>Start page</Button>
        <Button href={sitePaths.reference}>API reference</Button>
      </p>
    </div>
  );
}

export function FailedPage({ failure }: { readonly failure: PageFailure | undefined }) {
  const { visit } = useNavigation();
  return (
    <div className="wrap gone">
      <h1>This page could not be shown</h1>
      <p className="lead">{failure?.message ?? 'Something on our side went wrong. Nothing was changed. Try again in a moment.'}</p>
      {failure?.requestId === undefined ? null : (
        <p className="meta">
          Request <span className="mono">{failure.requestId}</span>
        </p>
      )}
      <p className="actions">
        <Button href={visit.path}>Try again</Button>
        <Button href={sitePaths.home}>Start page</Button>
      </p>
    </div>
  );
}

export function SignInFirst() {
  const { serviceName } = useFacts();
  const { visit } = useNavigation();
  const query = visit.search.toString();
  return (
    <div className="wrap gone">
      <h1>Sign in first</h1>
      <p className="lead">This page shows what is yours on {serviceName}. Sign in with a wallet or an account, and you come back here.</p>
      <p className="actions">
        <Button kind="ink" href={signInPath(query === '' ? visit.path : `${visit.path}?${query}`)}>
          Sign in
        </Button>
        <Button href={sitePaths.browse}>Browse services</Button>
      </p>
    </div>
  );
}
