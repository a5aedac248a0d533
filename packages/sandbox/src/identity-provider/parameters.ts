// Reads query and form parameters the way RFC 6749 wants: at most once each, an empty value counts as absent, and every length has a bound.

import type { ProviderRequest } from './exchange.ts';
import { OAuthError } from './oauth-error.ts';

const MAX_FORM_LENGTH = 16_384;

export function findParameter(parameters: URLSearchParams, name: string, maxLength: number): string | undefined {
  const values = parameters.getAll(name);
  if (values.length > 1) throw new OAuthError('invalid_request', `${name} was sent more than once. Send it once.`);
  const value = values[0];
  if (value === undefined || value === '') return undefined;
  if (value.length > maxLength) throw new OAuthError('invalid_request', `${name} is longer than ${maxLength} characters.`);
  return value;
}

export function getParameter(parameters: URLSearchParams, name: string, maxLength: number): string {
  const value = findParameter(parameters, name, maxLength);
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`);
  return value;
}

export function readForm(request: ProviderRequest): URLSearchParams {
  const header = request.headers['content-type'];
  const contentType = typeof header === 'string' ? header : '';
  if (contentType.split(';')[0]?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    throw new OAuthError('invalid_request', 'Send the body as application/x-www-form-urlencoded.');
  }
  if (request.body.length > MAX_FORM_LENGTH) {
    throw new OAuthError('invalid_request', `The form is longer than ${MAX_FORM_LENGTH} characters.`, 413);
  }
  return new URLSearchParams(request.body);
}
