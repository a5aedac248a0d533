import { type Route, routes } from '../routes.ts';

export interface RouteMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

export function matchRoute(pathname: string, table: readonly Route[] = routes): RouteMatch | undefined {
  const asked = segmentsOf(pathname);
  for (const route of table) {
    const params = matchSegments(segmentsOf(route.path), asked);
    if (params !== undefined) return { route, params };
  }
  return undefined;
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function matchSegments(pattern: readonly string[], asked: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== asked.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of pattern.entries()) {
    const value = asked[index] ?? '';
    if (!segment.startsWith(':')) {
      if (segment !== value) return undefined;
      continue;
    }
    const decoded = decodeSegment(value);
    if (decoded === undefined) return undefined;
    params[segment.slice(1)] = decoded;
  }
  return params;
}

/** A malformed escape sequence matches no route. */
function decodeSegment(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
