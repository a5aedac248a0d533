/** The methods of a path, for requests with another method. */
import type { NamedOperation } from '@market/contract';

export type AllowedMethods = (path: string) => readonly string[];

export function allowedMethodsOf(operations: readonly NamedOperation[]): AllowedMethods {
  const templates = operations.flatMap(({ spec: { rest } }) =>
    [rest.path, ...(rest.rssPath === undefined ? [] : [rest.rssPath])].map((path) => ({ method: rest.method, segments: segmentsOf(path) })),
  );
  return (path) => {
    const asked = segmentsOf(path);
    const taken = new Set<string>(templates.filter(({ segments }) => matches(segments, asked)).map(({ method }) => method));
    if (taken.has('GET')) taken.add('HEAD');
    return taken.size === 0 ? [] : [...taken, 'OPTIONS'];
  };
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
