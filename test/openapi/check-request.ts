/** Violations of the document in a request: for each of them the service must refuse it. */
import type { OpenApiDocument, OpenApiParameter } from '@market/contract';
import type { DocumentSchemas, Pointer } from './document-schemas.ts';
import type { Exchange } from './exchange.ts';
import type { MatchedOperation } from './match-operation.ts';

/** The document's introduction allows these in any body, and a wallet's in any query. */
const CREDENTIAL_FIELDS = ['wallet', 'wallet_sig', 'wallet_sig_ts', 'wallet_chain', 'signed_message', 'idp_access_token'];

type Problems = readonly string[];

export async function checkRequest(
  document: OpenApiDocument,
  schemas: DocumentSchemas,
  exchange: Exchange,
  matched: MatchedOperation,
): Promise<Problems> {
  const body = await readBody(exchange);
  return [
    ...checkParameters(document, schemas, exchange, matched),
    ...checkBody(schemas, exchange, matched, body),
    ...checkSecurity(document, exchange, matched),
  ];
}

function checkParameters(document: OpenApiDocument, schemas: DocumentSchemas, exchange: Exchange, matched: MatchedOperation): Problems {
  const { searchParams } = exchange.url;
  const declared = (matched.operation.parameters ?? []).map((parameter, index) => resolve(document, matched, parameter, index));
  const known = new Set([
    ...CREDENTIAL_FIELDS,
    ...declared.filter(({ parameter }) => parameter.in === 'query').map(({ parameter }) => parameter.name),
  ]);
  // The service ignores unknown fields here, and names them in a header.
  const ignored = (exchange.responseHeaders.get('x-ignored-parameters') ?? '').split(', ');
  const unknown = [...searchParams.keys()].filter((name) => !known.has(name) && !ignored.includes(name));
  const problems = declared.flatMap(({ parameter, pointer }) => {
    const value = sentValue(parameter, exchange, matched);
    if (value === undefined) return parameter.required ? [`${parameter.in} ${parameter.name} is missing`] : [];
    return schemas.checkText([...pointer, 'schema'], value).map((problem) => `${parameter.in} ${parameter.name}: ${problem}`);
  });
  return [...problems, ...unknown.map((name) => `query ${name} is neither in the document nor in X-Ignored-Parameters`)];
}

function resolve(
  document: OpenApiDocument,
  { pointer }: MatchedOperation,
  parameter: OpenApiParameter | { readonly $ref: string },
  index: number,
): { parameter: OpenApiParameter; pointer: Pointer } {
  if (!('$ref' in parameter)) return { parameter, pointer: [...pointer, 'parameters', String(index)] };
  const name = parameter.$ref.split('/').at(-1) ?? '';
  const shared = document.components.parameters[name];
  if (shared === undefined) throw new Error(`${parameter.$ref} leads nowhere`);
  return { parameter: shared, pointer: ['components', 'parameters', name] };
}

function sentValue(
  { in: place, name }: OpenApiParameter,
  { url, requestHeaders }: Exchange,
  { pathValues }: MatchedOperation,
): string | undefined {
  if (place === 'path') return pathValues[name];
  if (place === 'query') return url.searchParams.get(name) ?? undefined;
  return requestHeaders.get(name) ?? undefined;
}

type Body = { readonly type: string; readonly value: unknown } | { readonly type: string; readonly unreadable: true } | undefined;

async function readBody({ requestHeaders, requestBody }: Exchange): Promise<Body> {
  const type = (requestHeaders.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (requestBody.length === 0) return undefined;
  try {
    if (type !== 'multipart/form-data') return { type, value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(requestBody)) };
    const form = await new Response(requestBody, { headers: requestHeaders }).formData();
    return { type, value: Object.fromEntries([...form].map(([name, part]) => [name, typeof part === 'string' ? part : ''])) };
  } catch {
    return { type, unreadable: true };
  }
}

function checkBody(schemas: DocumentSchemas, _exchange: Exchange, { operation, pointer }: MatchedOperation, body: Body): Problems {
  const { requestBody } = operation;
  if (body === undefined) return requestBody?.required === true ? ['the body is missing'] : [];
  if (requestBody === undefined) return ['the document knows no body here'];
  if (!(body.type in requestBody.content)) return [`the body is of type ${body.type}, which the document does not name`];
  if ('unreadable' in body) return [`the body is no ${body.type}`];
  const check = body.type === 'multipart/form-data' ? schemas.checkText : schemas.checkClosed;
  return check([...pointer, 'requestBody', 'content', body.type, 'schema'], body.value).map((problem) => `body: ${problem}`);
}

/**
 * Whether the credentials of one alternative are present, as validators such as Prism check: in headers, cookies and query. Only the
 * service can tell whether they are valid.
 */
function checkSecurity(document: OpenApiDocument, exchange: Exchange, { operation }: MatchedOperation): Problems {
  const { requestHeaders, url } = exchange;
  const carried = (name: string): boolean => {
    const scheme = document.components.securitySchemes[name] as { type: string; scheme?: string; in?: string; name?: string };
    if (scheme.type === 'http') return scheme.scheme === 'bearer' && /^Bearer /i.test(requestHeaders.get('authorization') ?? '');
    if (scheme.in === 'query') return url.searchParams.has(scheme.name ?? '');
    if (scheme.in === 'cookie') return (requestHeaders.get('cookie') ?? '').includes(`${scheme.name?.replace('__Host-', '')}=`);
    return requestHeaders.has(scheme.name ?? '');
  };
  const satisfied = operation.security.some((alternative) => Object.keys(alternative).every(carried));
  return satisfied ? [] : ['no alternative of its security is satisfied'];
}
