/** Builds an HTTP request from flat arguments: path, query, body, bearer and idempotency key. */
import { headerOf, keepsAnswers, type NamedOperation, type OperationSpec } from '@market/contract';
import type { Identity } from './identity.ts';

export interface ComposedRequest {
  readonly method: string;
  /** The path without the query; custody signatures cover it. */
  readonly path: string;
  readonly search: string;
  readonly body: Record<string, unknown> | undefined;
  /** The file of a form, which is sent instead of JSON, with the fields of `body` before the file. */
  readonly file: { readonly field: string; readonly content: Blob } | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** True: the answer is a document without the envelope. */
  readonly bareAnswer: boolean;
}

type Arguments = Record<string, unknown>;

export interface CallHeaders {
  readonly idempotencyKey?: string | undefined;
  readonly budgetSession?: string | undefined;
}

export function composeRequest(
  { name, spec }: NamedOperation,
  args: Arguments,
  identity: Identity,
  { idempotencyKey = crypto.randomUUID(), budgetSession }: CallHeaders = {},
): ComposedRequest {
  refuseUnknownArguments(name, spec, args);
  const bearer = chooseBearer(spec, identity);
  const body = composeBody(spec, args, identity, bearer);
  const file = takeFile(name, spec, args);
  return {
    method: spec.rest.method,
    path: fillPath(name, spec.rest.path, args),
    search: composeSearch(part(spec, 'query', args)),
    body,
    file,
    headers: {
      accept: 'application/json',
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      // `fetch` sets the content type of a form, because it chooses the boundary.
      ...(body === undefined || file !== undefined ? {} : { 'content-type': 'application/json' }),
      ...composeHeaders(part(spec, 'headers', args)),
      ...(keepsAnswers(spec) ? { 'idempotency-key': idempotencyKey } : {}),
      ...(budgetSession === undefined ? {} : { 'x-budget-session': budgetSession }),
    },
    bareAnswer: spec.output.bare === true,
  };
}

function refuseUnknownArguments(name: string, spec: OperationSpec, args: Arguments): void {
  const known = (['path', 'query', 'body', 'headers'] as const).flatMap((key) => Object.keys(spec.input?.[key]?.shape ?? {}));
  if (spec.rest.multipart !== undefined) known.push(spec.rest.multipart.field);
  const unknown = Object.keys(args).find((argument) => !known.includes(argument));
  if (unknown === undefined) return;
  const accepted = known.length === 0 ? 'It takes no arguments' : `It takes ${known.join(', ')}`;
  throw new TypeError(`${name} does not take "${unknown}". ${accepted}.`);
}

function part(spec: OperationSpec, key: 'query' | 'body' | 'headers', args: Arguments): Arguments {
  const fields = spec.input?.[key]?.shape ?? {};
  return Object.fromEntries(Object.entries(args).filter(([name, value]) => Object.hasOwn(fields, name) && value !== undefined));
}

function takeFile(name: string, { rest }: OperationSpec, args: Arguments): ComposedRequest['file'] {
  if (rest.multipart === undefined) return undefined;
  const { field } = rest.multipart;
  const content = args[field];
  if (!(content instanceof Blob)) throw new TypeError(`${name} needs "${field}": a File or Blob.`);
  return { field, content };
}

function fillPath(name: string, template: string, args: Arguments): string {
  return template.replace(/\{(\w+)\}/g, (_, parameter: string) => {
    const value = String(args[parameter] ?? '');
    // URL parsing would remove a dot segment, and the call would reach another address.
    if (value === '' || value === '.' || value === '..')
      throw new TypeError(`${name} needs "${parameter}": a value that can stand in a path.`);
    return encodeURIComponent(value);
  });
}

function composeHeaders(headers: Arguments): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [headerOf(name).toLowerCase(), String(value)]));
}

function composeSearch(query: Arguments): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === null ? [] : [value].flat().map((item): [string, string] => [name, String(item)]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** Sends only a credential that the call accepts, so that an agent's key does not break a public call. */
function chooseBearer({ access }: OperationSpec, { apiKey, accessToken }: Identity): string | undefined {
  const takesToken = access.accepts.includes('idp') || access.accepts.includes('admin');
  if (apiKey !== undefined && access.accepts.includes('api_key')) return apiKey;
  if (accessToken !== undefined && takesToken) return accessToken;
  // No credential fits: send the available one, and let the service answer which one it needs.
  return access.accepts.includes('anonymous') ? undefined : (apiKey ?? accessToken);
}

/** A request can carry one bearer. Beside an API key, the owner's token goes in the body. */
function composeBody(spec: OperationSpec, args: Arguments, identity: Identity, bearer: string | undefined): Arguments | undefined {
  if (spec.rest.method === 'GET' || spec.rest.method === 'DELETE') return undefined;
  const { selector } = spec.rest;
  const tokenGoesInBody = identity.accessToken !== undefined && bearer !== undefined && bearer === identity.apiKey;
  const fields = {
    ...part(spec, 'body', args),
    ...(selector === undefined ? {} : { [selector.field]: selector.value }),
    ...(tokenGoesInBody ? { idp_access_token: identity.accessToken } : {}),
  };
  return spec.input?.body === undefined && Object.keys(fields).length === 0 ? undefined : fields;
}
