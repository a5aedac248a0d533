/** Validates the parts of a request against the operation and merges them into one flat argument object. */
import { headerOf, MarketError, type NamedOperation } from '@market/contract';
import { z } from 'zod';
import { credentialFields, READ_TOKEN_PARAMETER } from '../access/credentials.ts';

export interface RequestParts {
  readonly path: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
}

interface PartSchemas {
  readonly path: z.ZodObject;
  readonly query: z.ZodObject;
  readonly body: z.ZodObject;
  readonly headers: z.ZodObject;
  /** Body fields of the operation itself, which stay in the body although credentials use the same name. */
  readonly ownBodyFields: ReadonlySet<string>;
}

const nothing = z.object({});
const compiled = new WeakMap<NamedOperation, PartSchemas>();

export function readInput(operation: NamedOperation, given: RequestParts, ignoredParameters: (names: readonly string[]) => void): unknown {
  const schemas = schemasOf(operation);
  const parts = (operation.spec.rest.eitherPlace ?? []).reduce((moved, field) => moveHome(schemas, field, moved), given);
  const path = schemas.path.safeParse(parts.path ?? {});
  const query = schemas.query.safeParse(parts.query ?? {});
  const body = schemas.body.safeParse(withoutCredentials(parts.body ?? {}, schemas.ownBodyFields, operation.spec.rest.selector?.field));
  const headers = schemas.headers.safeParse(namedHeaders(schemas.headers, parts.headers));
  const issues = [path, query, body, headers].flatMap((result) => result.error?.issues ?? []);
  if (issues.length > 0) throw invalidInput(issues);

  const unknown = Object.keys(parts.query ?? {}).filter(
    (name) => !(name in schemas.query.shape) && !isCredentialField(name) && name !== READ_TOKEN_PARAMETER,
  );
  if (unknown.length > 0) ignoredParameters(unknown);
  return { ...path.data, ...query.data, ...body.data, ...headers.data };
}

function schemasOf(operation: NamedOperation): PartSchemas {
  const known = compiled.get(operation);
  if (known !== undefined) return known;
  const { input } = operation.spec;
  const schemas: PartSchemas = {
    path: input?.path ?? nothing,
    query: input?.query ?? nothing,
    // A field nobody reads is a mistake its sender should hear about.
    body: (input?.body ?? nothing).strict(),
    headers: input?.headers ?? nothing,
    ownBodyFields: new Set(Object.keys(input?.body?.shape ?? {})),
  };
  compiled.set(operation, schemas);
  return schemas;
}

/** A field that stands in the other of query and body is read from there. */
function moveHome(schemas: PartSchemas, field: string, parts: RequestParts): RequestParts {
  const [home, other] = field in schemas.query.shape ? (['query', 'body'] as const) : (['body', 'query'] as const);
  const [there, here] = [fieldsOf(parts[other]), fieldsOf(parts[home])];
  if (there === undefined || here === undefined || !Object.hasOwn(there, field)) return parts;
  const { [field]: value, ...rest } = there;
  if (Object.hasOwn(here, field) && !isSame(here[field], value)) {
    throw new MarketError('invalid_input', {
      message: `${field} stands in the query and in the body, and the two differ. Send it once. Nothing was taken.`,
      data: { issues: [{ field, message: 'It stands in the query and in the body, and the two differ.' }] },
    });
  }
  return { ...parts, [other]: rest, [home]: { ...here, [field]: value } };
}

/** Undefined for what has no fields: its schema says so. */
function fieldsOf(part: unknown): Readonly<Record<string, unknown>> | undefined {
  if (part === undefined || part === null) return {};
  return typeof part === 'object' && !Array.isArray(part) ? (part as Readonly<Record<string, unknown>>) : undefined;
}

function isSame(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && typeof other === 'string' && one.trim() === other.trim();
}

/** Only the headers the operation asks for; a repeated one arrives as a list, which no header of ours is. */
function namedHeaders({ shape }: z.ZodObject, headers: RequestParts['headers']): unknown {
  return Object.fromEntries(Object.keys(shape).map((field) => [field, headers[headerOf(field).toLowerCase()]]));
}

/** Credentials and the field that chose the operation are read elsewhere. */
function withoutCredentials(body: unknown, ownFields: ReadonlySet<string>, selector: string | undefined): unknown {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return body;
  return Object.fromEntries(
    Object.entries(body).filter(([name]) => name !== selector && (ownFields.has(name) || !isCredentialField(name))),
  );
}

function isCredentialField(name: string): boolean {
  return (credentialFields as readonly string[]).includes(name);
}

const MAX_LISTED_ISSUES = 10;

function invalidInput(issues: readonly z.core.$ZodIssue[]): MarketError {
  const listed = issues.slice(0, MAX_LISTED_ISSUES).map((issue) => ({ field: issue.path.join('.'), message: sentenceFor(issue) }));
  return new MarketError('invalid_input', {
    message: [...new Set(listed.map(({ message }) => message))].join(' '),
    data: { issues: listed },
  });
}

function sentenceFor(issue: z.core.$ZodIssue): string {
  const field = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.slice(0, 5).map((key) => key.slice(0, 60));
    return `Unknown field${names.length === 1 ? '' : 's'}: ${names.join(', ')}.`;
  }
  const text = issue.message.replace(/\.$/, '');
  return field === '' || text.startsWith(field.split('.')[0] ?? field) ? `${text}.` : `${field}: ${text}.`;
}
