/** The methods of a path, to answer requests with other methods. */
import type { NamedOperation } from '@market/contract';

export type AllowedMethods = (path: string) => readonly string[];

/** `others`: routes without an operation, as `GET /path`. */
export function allowedMethodsOf(operations: readonly NamedOperation[], others: readonly `${string} /${string}`[] = []): AllowedMethods {
  const ofOperations = operations.flatMap(({ spec: { rest } }) =>
    [rest.path, ...(rest.rssPath === undefined ? [] : [rest.rssPath])].map((path) => ({ method: rest.method, segments: segmentsOf(path) })),
  );
  const templates = [...ofOperations, ...others.map(templateOf)];
  return (path) => {
    const asked = segmentsOf(path);
    const taken = new Set<string>(templates.filter(({ segments }) => matches(segments, asked)).map(({ method }) => method));
    if (taken.has('GET')) taken.add('HEAD');
    return taken.size === 0 ? [] : [...taken, 'OPTIONS'];
  };
}

function templateOf(route: string): { readonly method: string; readonly segments: readonly string[] } {
  const [method = '', path = ''] = route.split(' ');
  return { method, segments: segmentsOf(path) };
}

function segmentsOf(path: string): readonly string[] {
  return path.replace(/\/$/, '').split('/');
}

function matches(template: readonly string[], asked: readonly string[]): boolean {
  return (
    template.length === asked.length &&
    template.every((segment, index) => (segment.startsWith('{') ? asked[index] !== '' : asked[index] === segment))
  );
}
