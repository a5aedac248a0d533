/** Explains why a program's request failed. Shown here, because the person must not be redirected to a URL that does not match. */
import { definePage, type PageProps } from '../../page.ts';
import { sitePaths } from '../../site-paths.ts';
import { Button } from '../../ui/index.ts';

const sentences: Readonly<Record<string, string>> = {
  invalid_redirect_uri: 'The address it wants to send you back to is not one it registered. Somebody may have changed the link.',
  invalid_client: 'We do not know this program, or its registration has ended. Remove it there and add it again.',
  invalid_client_metadata: 'The description of this program cannot be used.',
  invalid_request: 'The request of the program is incomplete or wrong.',
  invalid_target: 'It asks for access to another service.',
  invalid_scope: 'It asks for something that does not exist here.',
  session_not_found: 'This request is over, or it was begun in another browser. Begin again in the program.',
  access_denied: 'Access was refused.',
};

function ProblemPage({ search }: PageProps) {
  const code = search.get('code') ?? '';
  return (
    <div className="wrap">
      <header className="page-head">
        <h1>This program cannot be connected</h1>
        <p className="lead">{sentences[code] ?? 'The request of the program did not work. Try again from the program.'}</p>
      </header>
      <div className="stack">
        <p className="note">Nothing was allowed, and nothing about you was sent to the program.</p>
        <div className="actions">
          <Button kind="ink" href={sitePaths.home}>
            To the market
          </Button>
          <Button href={sitePaths.connections}>Connected programs</Button>
        </div>
      </div>
    </div>
  );
}

export const page = definePage({
  head: () => ({ title: 'This program cannot be connected', unlisted: true }),
  Component: ProblemPage,
});
