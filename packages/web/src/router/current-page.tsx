/** Shows the page of the current visit, or the reason why there is none. */
import { useSession } from '../data/session.ts';
import { FailedPage, NotFoundPage, SignInFirst } from '../shell/instead.tsx';
import { PageBoundary } from './page-boundary.tsx';
import { useNavigation } from './router.tsx';

export function CurrentPage() {
  const { visit } = useNavigation();
  const session = useSession();
  const { route, page: definition, failure, params, search, path } = visit;
  if (failure?.status === 404 || (definition === undefined && failure === undefined)) return <NotFoundPage path={path} />;
  if (failure !== undefined || definition === undefined || route === undefined) return <FailedPage failure={failure} />;
  if (route.access === 'signed-in' && session.state === 'anonymous') return <SignInFirst />;
  const { Component } = definition;
  return (
    <PageBoundary key={path}>
      <Component params={params} search={search} />
    </PageBoundary>
  );
}
