/** The examples of a definition as complete requests and answers. */
import { signatureTierOf } from '../authority/permits.ts';
import { type CredentialKind, headerOf, type OperationExample, type OperationSpec } from '../define-operation.ts';
import { convertSchema } from './json-schema.ts';

type Fields = Record<string, unknown>;

/** An example's flat input, sorted into the parts of the request. */
export function splitInput(spec: OperationSpec, input: Fields): { path: Fields; query: Fields; body: Fields; headers: Fields } {
  const part = (name: 'path' | 'query' | 'body' | 'headers') =>
    Object.fromEntries(Object.entries(input).filter(([field]) => Object.hasOwn(spec.input?.[name]?.shape ?? {}, field)));
  const { selector } = spec.rest;
  const body = selector === undefined ? part('body') : { [selector.field]: selector.value, ...part('body') };
  return { path: part('path'), query: part('query'), body, headers: part('headers') };
}

/** The envelope of an example: its `data`, and extras from the example or derived. */
export function exampleAnswer(spec: OperationSpec, example: OperationExample): Fields {
  const { properties = {}, required = [] } = spec.output.extras === undefined ? {} : convertSchema(spec.output.extras, 'output').root;
  // An optional extra is shown only if the example has it.
  const extras = Object.entries(properties).filter(([name]) => required.includes(name) || example.extras?.[name] !== undefined);
  const rows = Array.isArray(example.data) ? example.data.length : 0;
  const data = (typeof example.data === 'object' && example.data !== null ? example.data : {}) as Fields;
  const filled = extras.map(([name, schema]) => [
    name,
    example.extras?.[name] ?? data[name] ?? (schema.type === 'integer' ? rows : schema.type === 'boolean' ? false : null),
  ]);
  if (spec.output.bare === true || spec.output.stream === true) return example.data as Fields;
  return { success: true, data: example.data, ...Object.fromEntries(filled) };
}

/** Component-style keys: `First sign-in` → `first-sign-in`. */
export function exampleKey(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

export function curlOf(spec: OperationSpec, example: OperationExample, baseUrl: string): string {
  const { path, query, headers, ...split } = splitInput(spec, example.input ?? {});
  const body = { ...split.body, ...signedMessageFields(spec) };
  const filledPath = spec.rest.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name] ?? name)));
  const search = new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])).toString();
  const hasBody = Object.keys(body).length > 0 && spec.rest.multipart === undefined;
  const parts = [
    `curl ${spec.rest.method === 'GET' ? '' : `-X ${spec.rest.method} `}${shellQuote(`${baseUrl}${filledPath}${search === '' ? '' : `?${search}`}`)}`,
    ...credentialHeaders(spec),
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuote(`${headerOf(name)}: ${value}`)}`),
    ...(hasBody ? [`-H 'Content-Type: application/json'`, `-d ${shellQuote(bodyText(body))}`] : []),
    ...formFlags(spec, body, example.input ?? {}),
  ];
  return parts.join(' \\\n  ');
}

/** `-F` sends a form; `@` reads a file. The file is the last part. */
function formFlags({ rest }: OperationSpec, fields: Fields, input: Fields): string[] {
  if (rest.multipart === undefined) return [];
  const { field } = rest.multipart;
  return [...Object.entries(fields).map(([name, value]) => `-F ${shellQuote(`${name}=${value}`)}`), `-F ${field}=@${String(input[field])}`];
}

const ONE_LINE = 60;

/** Prints a short body on one line, a long one indented like the flags above it. */
function bodyText(body: Fields): string {
  const short = JSON.stringify(body);
  return short.length <= ONE_LINE ? short : JSON.stringify(body, undefined, 2).replaceAll('\n', '\n  ');
}

const bearers: Partial<Record<CredentialKind, string>> = {
  api_key: `-H "Authorization: Bearer $MARKET_API_KEY"`,
  idp: `-H "Authorization: Bearer $MARKET_TOKEN"`,
  admin: `-H "Authorization: Bearer $MARKET_TOKEN"`,
};

const signatureHeaders = [
  `-H "X-Market-Wallet: $WALLET"`,
  `-H "X-Market-Wallet-Sig: $WALLET_SIG"`,
  `-H "X-Market-Wallet-Sig-Ts: $WALLET_SIG_TS"`,
];

/** Body fields of a signed action message, if the operation takes one. */
function signedMessageFields(spec: OperationSpec): Fields {
  if (spec.access.accepts.includes('anonymous') || signatureTierOf(spec) !== 'action') return {};
  return { wallet: '<wallet>', signed_message: '<message of POST /api/auth/challenge>', wallet_sig: '<signature of the message>' };
}

function credentialHeaders(spec: OperationSpec): readonly string[] {
  const { access } = spec;
  if (access.accepts.includes('anonymous')) return [];
  const bearer = access.accepts.map((kind) => bearers[kind]).find((header) => header !== undefined);
  const signature = signatureTierOf(spec) === 'action' ? [] : signatureHeaders;
  if (bearer === undefined) return signature;
  return access.together === 'wallet' ? [bearer, ...signature] : [bearer];
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
