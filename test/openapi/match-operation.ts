/** Finds the operation in the document that a request is for. */
import type { OpenApiDocument, OpenApiOperation } from '@market/contract';
import type { Pointer } from './document-schemas.ts';

export interface MatchedOperation {
  readonly operation: OpenApiOperation;
  /** Its pointer in the document. */
  readonly pointer: Pointer;
  readonly pathValues: Readonly<Record<string, string>>;
}

export function matchOperation(document: OpenApiDocument, method: string, pathname: string): MatchedOperation | undefined {
  const key = method.toLowerCase();
  const candidates = Object.entries(document.paths).flatMap(([template, methods]) => {
    const operation = methods[key];
    const found = operation === undefined ? null : patternOf(template).exec(pathname);
    return operation === undefined || found === null ? [] : [{ template, operation, pathValues: decoded(found.groups ?? {}) }];
  });
  // A path without parameters is a better match than one with.
  const [best] = candidates.sort((a, b) => Object.keys(a.pathValues).length - Object.keys(b.pathValues).length);
  return best && { operation: best.operation, pointer: ['paths', best.template, key], pathValues: best.pathValues };
}

function patternOf(template: string): RegExp {
  const parts = template.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? RegExp.escape(part) : `(?<${part}>[^/]+)`));
  return new RegExp(`^${parts.join('')}$`);
}

function decoded(groups: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decode(value)]));
}

/** Invalid UTF-8 is left as it is, because the service must refuse it. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
