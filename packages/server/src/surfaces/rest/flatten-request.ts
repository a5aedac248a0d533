/** The path, query, body and headers of an HTTP request as the flat arguments of an operation. */
import { headerOf, ignoresUnknownQuery, MarketError, type NamedOperation } from '@market/contract';
import { credentialFields, READ_TOKEN_PARAMETER } from '../../access/credentials.ts';
import { type Arguments, type PartName, partsByArgument } from '../argument-parts.ts';

export interface RequestParts {
  readonly path: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface FlatRequest {
  readonly args: Arguments;
  /** Fields of query and body that the operation does not have there. They may have the name of an argument of another part. */
  readonly unknownFields: readonly string[];
  /** Unknown query fields of operations that do not refuse them. */
  readonly ignored: readonly string[];
  /** Why the parts contradict each other. */
  readonly error?: MarketError;
}

type Fields = Readonly<Record<string, unknown>>;

export function flattenRequest(operation: NamedOperation, given: RequestParts): FlatRequest {
  const parts = partsByArgument(operation);
  const args: Record<string, unknown> = {};
  const take = (fields: Fields, part: PartName): string[] => {
    const others: string[] = [];
    for (const [name, value] of Object.entries(fields)) {
      if (parts.get(name) === part) args[name] = value;
      else others.push(name);
    }
    return others;
  };

  take(fieldsOf(given.path) ?? {}, 'path');
  takeHeaders(parts, given.headers, args);
  const renamed = useFieldNames(operation, fieldsOf(given.query) ?? {});
  const moved = renamed instanceof MarketError ? renamed : moveFieldsHome(operation, renamed, fieldsOf(given.body));
  if (moved instanceof MarketError) return { args, unknownFields: [], ignored: [], error: moved };
  const inQuery = take(moved.query, 'query').filter((name) => !isCredentialField(name) && name !== READ_TOKEN_PARAMETER);
  const selector = operation.spec.rest.selector?.field;
  const inBody = take(moved.body, 'body').filter((name) => !isCredentialField(name) && name !== selector);
  return ignoresUnknownQuery(operation.spec)
    ? { args, unknownFields: inBody, ignored: inQuery }
    : { args, unknownFields: [...inQuery, ...inBody], ignored: [] };
}

/** Takes only the operation's own headers. A repeated one arrives as a list, which validation refuses. */
function takeHeaders(parts: ReadonlyMap<string, PartName>, headers: Fields, args: Record<string, unknown>): void {
  for (const [name, part] of parts) {
    if (part !== 'headers') continue;
    const value = headers[headerOf(name).toLowerCase()];
    if (value !== undefined) args[name] = value;
  }
}

/** Renames query fields that have another name of the field. */
function useFieldNames({ spec }: NamedOperation, query: Fields): Fields | MarketError {
  let fields = query;
  for (const [synonym, field] of Object.entries(spec.rest.synonyms ?? {})) {
    if (!Object.hasOwn(fields, synonym)) continue;
    const { [synonym]: value, ...rest } = fields;
    if (Object.hasOwn(rest, field) && !isSame(rest[field], value)) return twoNames(synonym, field);
    fields = { ...rest, [field]: value };
  }
  return fields;
}

/** Moves a field between query and body to the part where the definition has it. */
function moveFieldsHome(operation: NamedOperation, query: Fields, body: Fields | undefined): { query: Fields; body: Fields } | MarketError {
  if (body === undefined) return notAnObject();
  let parts = { query, body };
  for (const field of operation.spec.rest.eitherPlace ?? []) {
    const [home, other] = partsByArgument(operation).get(field) === 'query' ? (['query', 'body'] as const) : (['body', 'query'] as const);
    if (!Object.hasOwn(parts[other], field)) continue;
    const { [field]: value, ...rest } = parts[other];
    if (Object.hasOwn(parts[home], field) && !isSame(parts[home][field], value)) return standsTwice(field);
    parts = { [other]: rest, [home]: { ...parts[home], [field]: value } } as typeof parts;
  }
  return parts;
}

/** Undefined for a value without fields. */
function fieldsOf(part: unknown): Fields | undefined {
  if (part === undefined || part === null) return {};
  return typeof part === 'object' && !Array.isArray(part) ? (part as Fields) : undefined;
}

function isSame(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && typeof other === 'string' && one.trim() === other.trim();
}

/** Credentials are read by `readCredentials`. */
function isCredentialField(name: string): boolean {
  return (credentialFields as readonly string[]).includes(name);
}

function notAnObject(): MarketError {
  const message = 'The body must be a JSON object.';
  return new MarketError('invalid_input', { message, data: { issues: [{ field: '', message }] } });
}

function twoNames(synonym: string, field: string): MarketError {
  const message = `${synonym} and ${field} are the same field, and the two differ. Send one of them.`;
  return new MarketError('invalid_input', { message, data: { issues: [{ field, message }] } });
}

function standsTwice(field: string): MarketError {
  return new MarketError('invalid_input', {
    message: `${field} stands in the query and in the body, and the two differ. Send it once. Nothing was taken.`,
    data: { issues: [{ field, message: 'It stands in the query and in the body, and the two differ.' }] },
  });
}
