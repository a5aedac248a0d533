/** Compares a request and its answer with the OpenAPI document, and names every contradiction. */
import type { OpenApiDocument, OpenApiHeader, OpenApiResponse } from '@market/contract';
import { checkRequest } from './check-request.ts';
import type { DocumentSchemas, Pointer } from './document-schemas.ts';
import type { Exchange } from './exchange.ts';
import { type MatchedOperation, matchOperation } from './match-operation.ts';

export interface Verdict {
  /** Undefined for an address or method that is not in the document. */
  readonly operationId: string | undefined;
  readonly violations: readonly string[];
}

export async function checkExchange(document: OpenApiDocument, schemas: DocumentSchemas, exchange: Exchange): Promise<Verdict> {
  const matched = matchOperation(document, exchange.method, exchange.url.pathname);
  if (matched === undefined) return { operationId: undefined, violations: checkOutside(schemas, exchange) };
  const wrong = exchange.status < 300 ? await checkRequest(document, schemas, exchange, matched) : [];
  const violations = [
    ...wrong.map((problem) => `was accepted although ${problem}`),
    ...checkResponse(document, schemas, exchange, matched),
  ];
  return { operationId: matched.operation.operationId, violations };
}

/** An address or method outside the document must be refused, in the envelope. */
function checkOutside(schemas: DocumentSchemas, { status, responseBody }: Exchange): readonly string[] {
  if (status !== 404 && status !== 405) return [`answered ${status} at an address that the document does not name`];
  return schemas.checkClosed(['components', 'schemas', 'ErrorEnvelope'], parse(responseBody));
}

function checkResponse(
  document: OpenApiDocument,
  schemas: DocumentSchemas,
  exchange: Exchange,
  matched: MatchedOperation,
): readonly string[] {
  const status = String(exchange.status);
  const response = matched.operation.responses[status];
  if (response === undefined) return [`answered ${status}, which is not declared: ${exchange.responseBody.toString().slice(0, 200)}`];
  const pointer = [...matched.pointer, 'responses', status];
  return [...checkHeaders(document, schemas, exchange, response, pointer), ...checkContent(schemas, exchange, response, pointer)].map(
    (problem) => `${status}: ${problem}`,
  );
}

/** Headers of HTTP itself and of browsers' security rules, which no API document describes. */
const ORDINARY = new Set([
  ...[
    'allow',
    'cache-control',
    'connection',
    'content-disposition',
    'content-encoding',
    'content-length',
    'content-type',
    'date',
    'keep-alive',
    'vary',
  ],
  ...['content-security-policy', 'cross-origin-opener-policy', 'permissions-policy', 'referrer-policy', 'transfer-encoding'],
  ...['x-content-type-options', 'x-frame-options'],
]);

function checkHeaders(
  document: OpenApiDocument,
  schemas: DocumentSchemas,
  { responseHeaders }: Exchange,
  response: OpenApiResponse,
  pointer: Pointer,
): string[] {
  const declared = Object.entries(response.headers).flatMap(([name, header]) => {
    const place = '$ref' in header ? ['components', 'headers', header.$ref.split('/').at(-1) ?? ''] : [...pointer, 'headers', name];
    const { required } = '$ref' in header ? (document.components.headers[place.at(-1) ?? ''] as OpenApiHeader) : header;
    const value = responseHeaders.get(name);
    if (value === null) return required === true ? [`header ${name} is missing`] : [];
    return schemas.checkText([...place, 'schema'], value).map((problem) => `header ${name}: ${problem}`);
  });
  const known = new Set(Object.keys(response.headers).map((name) => name.toLowerCase()));
  const unknown = [...responseHeaders.keys()].filter((name) => !known.has(name) && !ORDINARY.has(name));
  return [...declared, ...unknown.map((name) => `header ${name} is not declared`)];
}

function checkContent(
  schemas: DocumentSchemas,
  { responseHeaders, responseBody }: Exchange,
  { content }: OpenApiResponse,
  pointer: Pointer,
): readonly string[] {
  const type = (responseHeaders.get('content-type') ?? '').split(';')[0] ?? '';
  if (!(type in content)) return [`content type ${type} is not declared`];
  const value = type === 'application/json' || type.endsWith('+json') ? parse(responseBody) : responseBody.toString();
  return schemas.checkClosed([...pointer, 'content', type, 'schema'], value);
}

function parse(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString('utf8'));
}
