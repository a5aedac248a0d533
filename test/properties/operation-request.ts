/** A well-formed request with valid credentials for any operation of the contract, in which a test spoils one place. */
import { operationList as everyOperation, type NamedOperation, signatureTierOf } from '@market/contract';
import { registerAgent } from '../harness/agents.ts';
import { png } from '../harness/files.ts';
import { call } from '../harness/http.ts';
import { agreed, asHeaders, asSignInHeader, type SignatureFields, signed, solanaWallet, tokenFor } from '../harness/people.ts';
import type { RawRequest } from '../harness/raw-http.ts';

/** An opened stream has no end to wait for; test/events tests those. */
export const operationList = everyOperation.filter(({ spec }) => spec.output.stream !== true);

export interface Cast {
  readonly url: string;
  readonly agentId: string;
  /** Changes when a test rotates the key. */
  key: string;
  readonly token: string;
  readonly adminToken: string;
  readonly wallet: ReturnType<typeof solanaWallet>;
  readonly signature: SignatureFields;
}

/** JSON source by field. */
export type Fields = Readonly<Record<string, string>>;

export interface OperationRequest {
  readonly headers: readonly (readonly [string, string | Buffer])[];
  readonly path: Readonly<Record<string, string | Buffer>>;
  readonly query: Fields;
  readonly body: Fields | undefined;
}

const casts = new Map<string, { readonly cast: Promise<Cast>; readonly at: number }>();
/** Wallet signatures work for 15 minutes. */
const CAST_LASTS_MS = 5 * 60_000;

/**
 * One cast per writing operation, so that a test's effect on its agent cannot hide a fault of the next operation. Reading operations
 * change nothing and share one cast.
 */
export function castOf(url: string, { name, spec }: NamedOperation): Promise<Cast> {
  const place = `${url} ${spec.effects.kind === 'read' ? 'reads' : name}`;
  const known = casts.get(place);
  if (known !== undefined && performance.now() - known.at < CAST_LASTS_MS) return known.cast;
  const cast = gatherCast(url);
  casts.set(place, { cast, at: performance.now() });
  return cast;
}

export async function gatherCast(url: string): Promise<Cast> {
  const token = await tokenFor(url, { email: 'ines@example.com', name: 'Ines' });
  const adminToken = await tokenFor(url, { email: 'ops@example.com', admin: true });
  for (const key of [token, adminToken]) await call(url, 'POST /api/auth/user', { key });
  const { id, key } = await registerAgent(url);
  const wallet = solanaWallet();
  return { url, agentId: id, key, token, adminToken, wallet, signature: await signed(wallet) };
}

export async function wellFormedRequest({ spec }: NamedOperation, cast: Cast): Promise<OperationRequest> {
  const example = spec.examples[0]?.input ?? {};
  const fieldsOf = (part: 'path' | 'query' | 'body') =>
    Object.keys(spec.input?.[part]?.shape ?? {}).filter((name) => part === 'path' || name in example);
  const sourceOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, JSON.stringify(example[name])]));
  const path = Object.fromEntries(
    fieldsOf('path').map((name) => [name, spec.rest.path.startsWith('/api/agents/{id}') ? cast.agentId : String(example[name])]),
  );
  return {
    headers: await credentialHeaders(spec, cast),
    path,
    query: sourceOf(fieldsOf('query')),
    body: ['GET', 'DELETE'].includes(spec.rest.method) ? undefined : { ...chosenBy(spec), ...sourceOf(fieldsOf('body')) },
  };
}

/** The field that selects one of the operations at an address. */
function chosenBy({ rest: { selector } }: NamedOperation['spec']): Fields {
  return selector === undefined ? {} : { [selector.field]: JSON.stringify(selector.value) };
}

async function credentialHeaders(spec: NamedOperation['spec'], cast: Cast): Promise<[string, string][]> {
  const { accepts, together } = spec.access;
  if (accepts.includes('anonymous')) return [];
  const bearer = accepts.includes('api_key') ? cast.key : accepts.includes('idp') ? cast.token : cast.adminToken;
  const needsWallet = together === 'wallet' || accepts.every((kind) => kind === 'wallet');
  const signature = needsWallet ? await signatureHeaders(spec, cast) : {};
  const isBearer = accepts.some((kind) => kind !== 'wallet');
  return [...(isBearer ? [['Authorization', `Bearer ${bearer}`] as [string, string]] : []), ...Object.entries(signature)];
}

/** A single-use signature is made anew for each request. */
async function signatureHeaders(spec: NamedOperation['spec'], { url, token, wallet, signature }: Cast): Promise<Record<string, string>> {
  const tier = signatureTierOf(spec);
  if (tier !== 'action') return asHeaders(tier === 'ordinary' ? signature : await signed(wallet));
  const action = spec.access.together === 'wallet' ? 'link_wallet' : 'session';
  return { [SIGN_IN]: asSignInHeader(await agreed(url, wallet, { action }, token), wallet) };
}

export const SIGN_IN = 'sign-in-with-x';

export function toRawRequest({ spec }: NamedOperation, { headers, path, query, body }: OperationRequest): RawRequest {
  const search = Object.entries(query).map(([name, source]) => `${encodeURIComponent(name)}=${encodeQueryValue(source)}`);
  const { multipart } = spec.rest;
  const type = multipart === undefined ? 'application/json' : `multipart/form-data; boundary=${BOUNDARY}`;
  return {
    method: spec.rest.method,
    path: Buffer.concat([fillPath(spec.rest.path, path), Buffer.from(search.length === 0 ? '' : `?${search.join('&')}`)]),
    headers: [...(body === undefined ? [] : [['Content-Type', type] as const]), ...headers],
    ...(body !== undefined && { body: multipart === undefined ? toJsonSource(body) : toForm(multipart.field, body) }),
  };
}

const BOUNDARY = 'a-boundary-of-the-tests';
const A_FILE = png(2, 2);

/** The fields, then a picture. Names are quoted as browsers do. */
function toForm(fileField: string, fields: Fields): Buffer {
  const quote = (name: string) => name.toWellFormed().replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const part = (disposition: string, content: string | Buffer) => [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`,
    content,
    '\r\n',
  ];
  const parts = [
    ...Object.entries(fields).flatMap(([name, source]) => part(`name="${quote(name)}"`, textOf(source))),
    ...part(`name="${fileField}"; filename="a.png"`, A_FILE),
    `--${BOUNDARY}--\r\n`,
  ];
  return Buffer.concat(parts.map((piece) => Buffer.from(piece as string)));
}

/** The request target without its query, with every parameter inserted unchanged. */
export function fillPath(template: string, values: OperationRequest['path']): Buffer {
  const parts = template.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? part : (values[part] ?? '')));
  return Buffer.concat(parts.map((part) => Buffer.from(part as string)));
}

function toJsonSource(fields: Fields): string {
  return `{${Object.entries(fields)
    .map(([name, source]) => `${JSON.stringify(name)}:${source}`)
    .join(',')}}`;
}

/** In a query a string is sent as it is; half a surrogate pair is sent as the bytes of a careless encoder. */
function encodeQueryValue(source: string): string {
  const text = textOf(source);
  if (text.length > 12_000) return encodeURIComponent(text.slice(0, 1_000));
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}

function textOf(source: string): string {
  const value: unknown = JSON.parse(source);
  return typeof value === 'string' ? value : source;
}
