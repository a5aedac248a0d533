/** Composes an API call from an operation's definition: programs can do all that the site does. */
import { type OperationName, operationList } from '@market/contract';

export interface ApiCall {
  readonly curl: string;
  readonly sdk: string;
}

export function composeApiCall(name: OperationName, args: Readonly<Record<string, unknown>>, apiUrl: string): ApiCall {
  return { curl: composeCurl(name, args, apiUrl), sdk: composeSdk(name, args) };
}

function composeCurl(name: OperationName, args: Readonly<Record<string, unknown>>, apiUrl: string): string {
  const operation = operationList.find((candidate) => candidate.name === name);
  if (operation === undefined) return '';
  const { rest, input, access, effects } = operation.spec;
  const path = rest.path.replace(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(String(args[field] ?? '')));
  const given = (part: 'query' | 'body') =>
    Object.entries(args).filter(([field, value]) => value !== undefined && Object.hasOwn(input?.[part]?.shape ?? {}, field));
  const query = new URLSearchParams(given('query').map(([field, value]) => [field, String(value)])).toString();
  const body = { ...Object.fromEntries(given('body')), ...(rest.selector && { [rest.selector.field]: rest.selector.value }) };
  const lines = [`curl ${rest.method === 'GET' ? '' : `-X ${rest.method} `}"${apiUrl}${path}${query === '' ? '' : `?${query}`}"`];
  // Public reads need no key; changes need credentials.
  if (effects.kind !== 'read' || !access.accepts.includes('anonymous')) lines.push('-H "Authorization: Bearer $MARKET_API_KEY"');
  if (Object.keys(body).length > 0)
    lines.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`);
  return lines.join(' \\\n  ');
}

function composeSdk(name: OperationName, args: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(args).filter(([, value]) => value !== undefined);
  const written = fields.map(([field, value]) => `  ${field}: ${JSON.stringify(value)},`).join('\n');
  return `await market.${name}(${fields.length === 0 ? '' : `{\n${written}\n}`});`;
}
