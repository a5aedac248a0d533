// The authorization endpoint: shows the sign-in page, and after the form sends the person back to the app with a code.

import type { AuthorizationCodes } from './authorization-codes.ts';
import { type AuthorizationRequest, buildReturn, readAuthorizationRequest } from './authorization-request.ts';
import { demoPeople } from './demo-people.ts';
import { answerRedirect, type ProviderRequest, type ProviderResponse } from './exchange.ts';
import { isFormToken, signForm } from './form-token.ts';
import { OAuthError } from './oauth-error.ts';
import { answerRefusalPage, type PageFrame, readTheme } from './page.ts';
import type { Typeface } from './page-style.ts';
import { findParameter, readForm } from './parameters.ts';
import { InvalidPersonError, type Person, type PersonInput, readPerson } from './person.ts';
import { answerSignInPage } from './sign-in-page.ts';
import type { SignedIn } from './tokens.ts';

/** The grant behind an authorization code. */
export interface Grant {
  readonly request: AuthorizationRequest;
  readonly signedIn: SignedIn;
}

export interface AuthorizeEndpointOptions {
  readonly issuer: string;
  readonly serviceName: string;
  readonly typeface: Typeface | undefined;
  readonly allowedRedirectOrigins: ReadonlySet<string>;
  readonly formSecret: Buffer;
  readonly codes: AuthorizationCodes<Grant>;
  readonly now: () => Date;
  readonly rememberPerson: (person: Person) => Person;
}

const MAX_FIELD_LENGTH = 1_000;

export function showSignIn(options: AuthorizeEndpointOptions, request: ProviderRequest): ProviderResponse {
  const frame = frameFor(options, request);
  const reading = readAuthorizationRequest(request.query, options.issuer, options.allowedRedirectOrigins);
  if (reading.outcome === 'refused on a page') return answerRefusalPage(frame, reading.reason);
  if (reading.outcome === 'refused to the app') return answerRedirect(reading.location);
  return answerForm(options, frame, reading.request);
}

export function acceptSignIn(options: AuthorizeEndpointOptions, request: ProviderRequest): ProviderResponse {
  const frame = frameFor(options, request);
  try {
    if (isFromOtherSite(request)) throw new OAuthError('invalid_request', 'This form was sent from another site.');
    const form = readForm(request);
    const reading = readAuthorizationRequest(form, options.issuer, options.allowedRedirectOrigins);
    // Only a genuine form may cause a redirect, so a request that was fine when shown cannot be refused to the app here.
    if (reading.outcome !== 'accepted' || !isGenuine(options, reading.request, form)) {
      throw new OAuthError('invalid_request', 'This form is too old, was changed, or was not made by this page.');
    }
    return signIn(options, frame, reading.request, form);
  } catch (error) {
    if (error instanceof OAuthError) return answerRefusalPage(frame, error.message, error.status);
    throw error;
  }
}

function signIn(
  options: AuthorizeEndpointOptions,
  frame: PageFrame,
  request: AuthorizationRequest,
  form: URLSearchParams,
): ProviderResponse {
  const entered = readEntered(form);
  try {
    const person = options.rememberPerson(readPerson(entered));
    const code = options.codes.issue({ request, signedIn: { person, admin: entered.admin === true } });
    return answerRedirect(buildReturn(request.redirectUri, { code, state: request.state, iss: options.issuer }));
  } catch (error) {
    if (error instanceof InvalidPersonError) return answerForm(options, frame, request, { entered, problem: error });
    throw error;
  }
}

function answerForm(
  options: AuthorizeEndpointOptions,
  frame: PageFrame,
  request: AuthorizationRequest,
  again?: { entered: PersonInput; problem: InvalidPersonError },
): ProviderResponse {
  const formToken = signForm(options.formSecret, request, options.now());
  return answerSignInPage({ frame, request, formToken, ...again });
}

function frameFor({ serviceName, typeface }: AuthorizeEndpointOptions, { headers }: ProviderRequest): PageFrame {
  return { serviceName, typeface, theme: readTheme(String(headers['cookie'] ?? '')) };
}

function isGenuine(options: AuthorizeEndpointOptions, request: AuthorizationRequest, form: URLSearchParams): boolean {
  const token = findParameter(form, 'form_token', MAX_FIELD_LENGTH);
  return token !== undefined && isFormToken(options.formSecret, request, options.now(), token);
}

/** Anyone can fetch a form and its token, so also check the form's origin if the browser states it. */
function isFromOtherSite({ headers }: ProviderRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin';
}

function readEntered(form: URLSearchParams): PersonInput {
  const key = findParameter(form, 'person', MAX_FIELD_LENGTH);
  if (key !== undefined) {
    const demoPerson = demoPeople.find((person) => person.key === key);
    if (demoPerson === undefined) throw new OAuthError('invalid_request', 'There is no demo person of this name.');
    return demoPerson;
  }
  return {
    email: findParameter(form, 'email', MAX_FIELD_LENGTH) ?? '',
    name: findParameter(form, 'name', MAX_FIELD_LENGTH),
    twitter_username: findParameter(form, 'twitter_username', MAX_FIELD_LENGTH),
    admin: findParameter(form, 'admin', MAX_FIELD_LENGTH) === 'yes',
  };
}
